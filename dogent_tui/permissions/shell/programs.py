"""What ordinary programs do with their operands and option values, one line each.

A line is `names : operand roles ; option=ROLE …`. The last operand role with `*` holds for all that follow. Roles:

* TEXT   not a path: a pattern, a number, a format
* READ   a file that is read
* EDIT   a file that is changed in place
* REWRITE  the same, where what it holds afterwards cannot be told
* OUT    a file that is made or replaced
* FOLDER a folder that is made
* DELETE, MOVE  a file that goes
* RUN    a shell command
* ASK    nothing that can be judged from here
* DEVICE a disk or a file system
* SETS   a new time or name of the machine, unless it is a format (`+%F`)
* TRUNCATE, PREFIX, SORTED  cut to a length; the start of output names; `sort -o`, an edit where it is an input too
* MAYBE  perhaps a path

`=ROLE!`: the option also stands in for the first operand (`grep -e PATTERN`). `--option?=ROLE`: its value is optional, not the
next word. Sources: the manual pages of GNU coreutils, findutils, diffutils, grep, poppler, and of the programs themselves.
"""

from dataclasses import dataclass, field

from dogent_tui.permissions.shell.words import Field

TABLE = """
cat rev zcat bzcat xzcat zstdcat gunzcat lz4cat : READ*
tac : READ* ; -s=TEXT --separator=TEXT
nl : READ* ; -b=TEXT -d=TEXT -f=TEXT -h=TEXT -i=TEXT -l=TEXT -n=TEXT -s=TEXT -v=TEXT -w=TEXT
less more most zless zmore : READ* ; -p=TEXT -P=TEXT -t=TEXT -T=READ -o=OUT -O=OUT -k=ASK -j=TEXT -x=TEXT -y=TEXT -b=TEXT -h=TEXT
od hexdump hd : READ* ; -A=TEXT -t=TEXT -N=TEXT -j=TEXT -n=TEXT -e=TEXT -f=READ -S=TEXT
strings : READ* ; -n=TEXT -t=TEXT -e=TEXT --bytes=TEXT --radix=TEXT
column : READ* ; -s=TEXT -c=TEXT -o=TEXT -N=TEXT -R=TEXT -E=TEXT -H=TEXT --separator=TEXT --output-separator=TEXT
expand unexpand : READ* ; -t=TEXT --tabs=TEXT
bat batcat : READ* ; -l=TEXT --language=TEXT -r=TEXT --line-range=TEXT -H=TEXT --pager=RUN -m=TEXT
glow mdcat mdless proselint : READ* ; -w=TEXT -s=TEXT
head tail : READ* ; -n=TEXT -c=TEXT --lines=TEXT --bytes=TEXT --pid=TEXT
wc : READ* ; --files0-from=ASK
md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum md5 : READ* ; --length=TEXT
shasum : READ* ; -a=TEXT
grep egrep fgrep zgrep : TEXT READ* ; -e=TEXT! --regexp=TEXT! -f=READ! --file=READ! -A=TEXT -B=TEXT -C=TEXT -m=TEXT -d=TEXT \\
 --colour?=TEXT \\
 -D=TEXT --include=TEXT --exclude=TEXT --exclude-dir=TEXT --exclude-from=READ --after-context=TEXT --before-context=TEXT \\
 --context=TEXT --max-count=TEXT --label=TEXT --binary-files=TEXT --directories=TEXT --group-separator=TEXT --color?=TEXT
rg : TEXT READ* ; -e=TEXT! --regexp=TEXT! -f=READ! --file=READ! -g=TEXT --glob=TEXT --iglob=TEXT -t=TEXT --type=TEXT \\
 -T=TEXT --type-not=TEXT -A=TEXT -B=TEXT -C=TEXT -m=TEXT --max-count=TEXT -M=TEXT --max-columns=TEXT -r=TEXT --replace=TEXT \\
 --sort=TEXT --sortr=TEXT -d=TEXT --max-depth=TEXT -E=TEXT -j=TEXT --pre=RUN --pre-glob=TEXT --ignore-file=READ --color=TEXT \\
 --colors=TEXT --context=TEXT --after-context=TEXT --before-context=TEXT --type-add=TEXT --hostname-bin=RUN
ag ack : TEXT READ* ; -A=TEXT -B=TEXT -C=TEXT -G=TEXT -m=TEXT --ignore=TEXT --ignore-dir=TEXT --pager=RUN --type=TEXT
fd fdfind : TEXT READ* ; -C=READ -e=TEXT --extension=TEXT -t=TEXT --type=TEXT -d=TEXT --max-depth=TEXT --min-depth=TEXT -E=TEXT \\
 --exclude=TEXT -S=TEXT --size=TEXT --changed-within=TEXT --changed-before=TEXT \\
 --base-directory=READ --search-path=READ -c=TEXT --color=TEXT -j=TEXT
sort : READ* ; -k=TEXT -t=TEXT -S=TEXT -T=EDIT -o=SORTED --output=SORTED --key=TEXT --field-separator=TEXT --buffer-size=TEXT \\
 --compress-program=RUN --files0-from=ASK --parallel=TEXT --batch-size=TEXT --random-source=READ --temporary-directory=EDIT
uniq : READ OUT ; -f=TEXT -s=TEXT -w=TEXT --skip-fields=TEXT --skip-chars=TEXT --check-chars=TEXT
cut : READ* ; -d=TEXT -f=TEXT -c=TEXT -b=TEXT --delimiter=TEXT --fields=TEXT --characters=TEXT --bytes=TEXT \\
 --output-delimiter=TEXT
paste : READ* ; -d=TEXT --delimiters=TEXT
join comm : READ* ; -t=TEXT -j=TEXT -o=TEXT -a=TEXT -v=TEXT -e=TEXT --output-delimiter=TEXT
cmp : READ READ TEXT* ; -n=TEXT -i=TEXT --bytes=TEXT --ignore-initial=TEXT
diff diff3 sdiff colordiff wdiff delta icdiff difft : READ* ; -U=TEXT -C=TEXT -W=TEXT -I=TEXT -L=TEXT -F=TEXT -x=TEXT -o=OUT \\
 --exclude=TEXT --label=TEXT --ignore-matching-lines=TEXT --width=TEXT --output=OUT --exclude-from=READ -X=READ \\
 --from-file=READ --to-file=READ --diff-program=RUN --color?=TEXT
fold fmt : READ* ; -w=TEXT --width=TEXT -p=TEXT -g=TEXT --prefix=TEXT --goal=TEXT
pr : READ* ; -l=TEXT -h=TEXT -o=TEXT -w=TEXT -W=TEXT --header=TEXT
xxd : READ OUT ; -l=TEXT -s=TEXT -c=TEXT -g=TEXT -n=TEXT -o=TEXT -R=TEXT
file : READ* ; -f=ASK -F=TEXT -m=READ -P=TEXT -e=TEXT --exclude=TEXT --separator=TEXT
stat : READ* ; -c=TEXT --format=TEXT --printf=TEXT
ls dir vdir exa eza lsd : READ* ; -I=TEXT --ignore=TEXT --hide=TEXT --block-size=TEXT --color?=TEXT --sort=TEXT --time-style=TEXT
tree : READ* ; -L=TEXT -P=TEXT -I=TEXT -o=OUT -H=TEXT -T=TEXT --filelimit=TEXT --charset=TEXT --timefmt=TEXT --fromfile=READ
du : READ* ; -d=TEXT --max-depth=TEXT -t=TEXT -B=TEXT --block-size=TEXT --exclude=TEXT -X=READ --threshold=TEXT --files0-from=ASK
df : READ* ; -t=TEXT -B=TEXT --block-size=TEXT -x=TEXT
base64 base32 basenc : READ* ; -w=TEXT --wrap=TEXT -i=READ -o=OUT -b=TEXT
iconv : READ* ; -f=TEXT -t=TEXT -o=OUT --from-code=TEXT --to-code=TEXT --output=OUT
tr : TEXT*
xmllint : READ* ; --xpath=TEXT --output=OUT --schema=READ --dtdvalid=READ --encode=TEXT --relaxng=READ --pattern=TEXT
readlink realpath : READ* ; --relative-to=READ --relative-base=READ
basename dirname echo pwd true false : yes expr seq factor type whereis whatis whoami id groups logname uname arch nproc \\
 uptime cal ncal locale tput clear reset w times umask ulimit getconf tty stty which \\
 exit logout suspend disown bg fg numfmt banner sleep usleep printenv : TEXT*
lolcat fortune who users : MAYBE*
cowsay cowthink figlet toilet : TEXT* ; -f=READ -d=READ -C=READ
inotifywait inotifywatch : MAYBE* ; -o=OUT --outfile=OUT -t=TEXT -e=TEXT --format=TEXT --timefmt=TEXT --exclude=TEXT
history : TEXT* ; -w=OUT -a=OUT -r=READ -n=READ -d=ASK -s=TEXT -p=TEXT
bc dc : READ* ; -e=TEXT --expression=TEXT
date : SETS* ; -d=TEXT --date=TEXT -r=READ --reference=READ -f=READ --file=READ -s=ASK --set=ASK
hostname domainname : SETS* ; -F=ASK --file=ASK
ps top htop pgrep free vmstat iostat lscpu lsblk lsof pstree pidof sw_vers lsb_release : TEXT*
man info : MAYBE* ; -P=RUN --pager=RUN -H=ASK -C=READ -M=READ -o=OUT --output=OUT -f=READ --file=READ
apropos tldr : TEXT*
shuf : READ* ; -n=TEXT -i=TEXT -o=OUT --output=OUT --head-count=TEXT --input-range=TEXT --random-source=READ
tsort : READ*
look : TEXT READ
pdfinfo pdffonts : READ* ; -f=TEXT -l=TEXT
pdftohtml : READ OUT ; -f=TEXT -l=TEXT -r=TEXT -x=TEXT -y=TEXT -W=TEXT -H=TEXT -enc=TEXT -eol=TEXT
identify ffprobe mediainfo : READ* ; -format=TEXT -show_entries=TEXT -of=TEXT -print_format=TEXT -select_streams=TEXT -v=TEXT
hunspell : READ* ; -d=TEXT -p=EDIT -i=TEXT
aspell spell : MAYBE* ; -d=TEXT -l=TEXT --lang=TEXT --personal=EDIT -p=EDIT
touch : EDIT* ; -d=TEXT -t=TEXT --date=TEXT -r=READ --reference=READ --time=TEXT
mkdir : FOLDER* ; -m=TEXT --mode=TEXT
mkfifo mknod : OUT TEXT* ; -m=TEXT --mode=TEXT
truncate : TRUNCATE* ; -s=TEXT --size=TEXT -r=READ --reference=READ
rm rmdir unlink del erase rd rimraf del-cli trash trash-put trash-rm rip srm wipe shred grm gio : DELETE* ; -n=TEXT -s=TEXT \\
 --iterations=TEXT --size=TEXT --random-source=READ
rename prename perl-rename file-rename convmv mmv zmv qmv : MOVE* ; -f=TEXT -t=TEXT
fallocate : TRUNCATE* ; -l=TEXT -o=TEXT --length=TEXT --offset=TEXT
mogrify : EDIT* ; -resize=TEXT -quality=TEXT -format=TEXT -path=FOLDER -crop=TEXT -rotate=TEXT -density=TEXT
dos2unix unix2dos fromdos todos : EDIT*
split : READ PREFIX ; -l=TEXT -b=TEXT -n=TEXT -a=TEXT -C=TEXT --lines=TEXT --bytes=TEXT --number=TEXT \\
 --suffix-length=TEXT --additional-suffix=TEXT --filter=RUN
csplit : READ TEXT* ; -f=PREFIX -n=TEXT -b=TEXT --prefix=PREFIX --digits=TEXT --suffix-format=TEXT
patch : REWRITE READ ; -p=TEXT -i=READ -d=EDIT -o=OUT -r=OUT -F=TEXT -B=TEXT -z=TEXT --input=READ --output=OUT \\
 --directory=EDIT --strip=TEXT -e?=ASK --ed?=ASK
chown chgrp setfacl chattr xattr setfattr compress uncompress crontab at batch atrm dd_rescue : ASK*
mkfs mke2fs mkswap fdisk parted sfdisk gdisk wipefs blkdiscard diskutil hdiutil mount umount losetup cryptsetup dmsetup : DEVICE*
reboot shutdown poweroff halt init telinit systemctl service launchctl rc-service sysctl modprobe insmod rmmod : ASK*
useradd userdel usermod groupadd passwd chpasswd visudo vipw chsh adduser deluser : ASK*
killall pkill skill xkill fuser tmutil defaults plutil networksetup scutil dropdb createdb : ASK*
apt apt-get aptitude dpkg yum dnf rpm pacman zypper apk port snap flatpak nix nix-env guix conda mamba : ASK*
docker podman nerdctl kubectl helm vagrant lxc systemd-run systemd-nspawn virsh qemu-system-x86_64 : ASK*
chroot unshare nsenter su runuser pkexec gosu setpriv capsh newgrp sg : ASK*
screen tmux byobu zellij expect dtach abduco : ASK*
gdb lldb dtrace bpftrace perf : ASK*
osascript open xdg-open gvfs-open mail mailx sendmail mutt msmtp wall write lp lpr : ASK*
detox vidir tmpreaper tmpwatch rdfind rmlint bleachbit bfg git-filter-repo : ASK*
iptables ip6tables nft ufw ip ifconfig route tc nmcli : ASK*
terraform tofu pulumi ansible ansible-playbook firebase serverless cdk : ASK*
psql mysql mariadb mongo mongosh redis-cli sqlite3 duckdb : ASK*
vi vim nvim view ex ed red emacs emacsclient nano pico joe micro helix hx kak code subl mate gedit : ASK*
gpg gpg2 gpgsm gpgconf age pass secret-tool security : ASK*
xdotool ydotool wtype xte dbus-send gdbus busctl qdbus gsettings dconf gconftool xdg-mime xdg-settings : ASK*
xterm uxterm gnome-terminal konsole alacritty kitty wezterm foot : ASK*
update-alternatives ldconfig logger fc bind complete compgen ipcrm jshell dmesg journalctl log : ASK*
"""


@dataclass(frozen=True)
class Program:
    """What one program does with its command line."""

    operands: tuple[str, ...]
    rest: str
    options: dict[str, str] = field(default_factory=dict)

    def role(self, index: int) -> str:
        """Return the role of the operand with this index."""
        return self.operands[index] if index < len(self.operands) else self.rest


def _read(table: str) -> dict[str, Program]:
    programs: dict[str, Program] = {}
    for line in table.replace("\\\n", "").splitlines():
        names, colon, rest = line.rpartition(" : ")
        if not colon:
            continue
        roles_text, _, options_text = rest.partition(";")
        roles = roles_text.split()
        repeated = roles[-1].endswith("*")
        operands = tuple(role.rstrip("*") for role in (roles[:-1] if repeated else roles))
        program = Program(operands, roles[-1].rstrip("*") if repeated else "MAYBE", _options(options_text))
        programs.update(dict.fromkeys(names.split(), program))
    return programs


def _options(text: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in text.split())
    return {name: role for name, _, role in pairs}


PROGRAMS = _read(TABLE)


def looks_like_path(arg: Field) -> bool:
    """Return whether a word given to a program that is not known is spelled like a path."""
    return arg.text.startswith((".", "~")) or "/" in arg.text
