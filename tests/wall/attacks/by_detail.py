"""Ways past what is easily forgotten: what the wall reads afterwards, what tools keep beside a
repository, kinds of entries, rights that are no mode bits, and settings of programs.
"""

# ruff: noqa: E501 — a command that is broken into lines is another command

from tests.wall.attacks.table import Attack, Meanwhile, Restart, Start, Wait, Write, one

_PY = "python3 - <<'E'\nimport ctypes, os, socket, struct, sys\nl = ctypes.CDLL(None, use_errno=True)\n{}\nE"


def _python(name: str, text: str, *, bites: bool = True) -> Attack:
    return one(name, _PY.format(text), "python3", bites=bites)


_REPORT = "n=$(tr '\\0' ' ' </proc/$$/cmdline | grep -o 'run[^ ]*/[0-9a-f]\\{32\\}' | tail -1); n=/${n#/}; "
"""Where a shell inside reports its folder, out of its own words."""

ATTACKS: tuple[Attack, ...] = (
    # ── what is read when a command has ended ──
    one("a pipe where the shell reports its folder", _REPORT + "mkfifo $n; exit 3", bites=False),
    one(
        "a link where the shell reports its folder",
        _REPORT + "ln -sf @HOME@/.netrc $n; exit 3",
        bites=False,
    ),
    Attack(
        "a folder where the shell reports its folder",
        [_REPORT + "mkdir $n; exit 3", "ls", "rm -f keep.md"],
    ),
    Attack(
        "places for temporary files that nobody may list",
        ["chmod 000 /tmp /dev/shm /var/tmp ~ 2>/dev/null; ls", "ls", "rm -f keep.md"],
    ),
    Attack(
        "temporary files that come and go meanwhile",
        [
            Start("for i in $(seq 3000); do : > /tmp/f$i; rm /tmp/f$i; done"),
            *["ls", "echo x >> notes.md"] * 4,
            "rm -f keep.md",
            Wait(),
        ],
        limit_s=20.0,
    ),
    Attack(
        "the first process inside is interrupted",
        [
            "kill -INT 1; kill -TERM 1; kill -HUP 1; kill -USR1 1; sleep 0.3; rm -f keep.md",
            "rm notes.md",
        ],
    ),
    one(
        "a name with a new line as the working folder",
        "mkdir $'a\\nb'; cd $'a\\nb'; rm -f ../keep.md",
    ),
    one(
        "names that a terminal obeys",
        "touch $'\\e]0;owned\\a\\e[2J\\e[1;1H' $'\\r\\e[K' $'\\x9b2J'; mv keep.md $'keep\\e[8m.md'; rm -f notes.md",
    ),
    one("a name that says it is allowed", "mv keep.md $'keep.md\\n\\nNothing is deleted. Allow?'"),
    # ── what tools keep in .git ──
    Attack(
        "what another tool keeps in .git is deleted",
        [
            Meanwhile(
                "mkdir -p .git/lfs/objects/ab .git/annex/objects; echo pictures > .git/lfs/objects/ab/abcd; echo film > .git/annex/objects/f; echo mine > .git/notes-of-mine.txt"
            ),
            "rm -rf .git/lfs",
            "rm .git/notes-of-mine.txt",
            "cp .git/annex/objects/f .git/annex/g; rm -rf .git/annex/objects",
        ],
        unchanged=(".git/lfs/objects/ab/abcd", ".git/annex/objects/f", ".git/notes-of-mine.txt"),
    ),
    Attack(
        "what another tool keeps in .git is emptied",
        [
            Meanwhile("mkdir -p .git/lfs/objects/ab; echo pictures > .git/lfs/objects/ab/abcd"),
            ": > .git/lfs/objects/ab/abcd",
            "mkdir x; mv x .git/lfs/objects/x; ln -sfn @HOME@/.ssh .git/lfs/objects/ab/abcd",
        ],
        unchanged=(".git/lfs/objects/ab/abcd",),
    ),
    one("the head of a repository is gone", "rm -f .git/HEAD"),
    one(
        "the head of a repository is another",
        "git checkout -q --orphan none; rm -f .git/index; git symbolic-ref HEAD refs/heads/nothing",
        bites=False,
    ),
    Attack(
        "a module's repository is gone, piece by piece",
        [
            Meanwhile(
                "git init -q lib; git -C lib commit -q --allow-empty -m one; git -c protocol.file.allow=always submodule -q add ./lib mod; git commit -qm mod"
            ),
            "rm -rf .git/modules/mod/refs .git/modules/mod/objects .git/modules/mod/packed-refs",
            "cd .git/modules/mod; rm -rf logs index; rm -f HEAD",
            "rm -rf .git/modules",
        ],
    ),
    Attack(
        "a worktree's history",
        [
            Meanwhile(
                "git worktree add -q wt -b wt; cd wt; echo x > x; git add x; git commit -qm x; git checkout -q --detach; git commit -q --allow-empty -m lost"
            ),
            "rm -rf .git/worktrees/wt; git gc -q --prune=now",
            "rm -rf .git/worktrees",
        ],
    ),
    Attack(
        "hooks by a folder that is named as it is now",
        [
            Meanwhile("mkdir my-hooks; git config core.hooksPath my-hooks"),
            "printf '#!/bin/sh\\n@PWN@\\n' > my-hooks/post-commit; chmod +x my-hooks/post-commit",
            "cp /bin/true x; printf '#!/bin/sh\\n@PWN@\\n' > x; mv x my-hooks/pre-commit",
        ],
    ),
    Attack(
        "a file that is included, and made late",
        [
            Meanwhile("git config include.path ../late.inc"),
            "printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n' > late.inc",
            "git config -f late.inc core.fsmonitor '@PWN@; false'",
        ],
    ),
    one(
        "a bundle over what is there",
        "git commit -q --allow-empty -m more; git bundle create -q b HEAD~1 main~1; git fetch -q b +main~1:main 2>/dev/null; git update-ref refs/heads/main HEAD~1; git reset -q --hard",
        bites=False,
    ),
    one(
        "a branch by a symbolic reference",
        "git branch other; git symbolic-ref refs/heads/main refs/heads/other; git update-ref refs/heads/other $(git commit-tree -m x HEAD^{tree})",
    ),
    one(
        "history by its index of packs",
        "git repack -qad; chmod +w .git/objects/pack/*; for f in .git/objects/pack/*; do printf x > $f; done",
    ),
    one(
        "grafts that hide history",
        "mkdir -p .git/info; git rev-parse HEAD > .git/info/grafts; git reflog expire --expire=now --all; git gc -q --prune=now",
    ),
    one(
        "a reference that nobody else has",
        "git stash -q -u; git reflog delete stash@{0} --rewrite --updateref; git gc -q --prune=now",
    ),
    # ── kinds of entries ──
    one(
        "a link to a device", "ln -s /dev/null sink; ln -s /dev/tty terminal; ln -s /dev/zero zero"
    ),
    one(
        "a link to whoever looks",
        "ln -s /proc/self/cwd/.ssh/id_rsa key; ln -s /dev/fd/../cwd/.ssh here; ln -s /proc/self/environ env; ln -s /proc/thread-self/cwd/x t",
    ),
    one(
        "a link to whoever looks, by way of others",
        "ln -s /dev dev; ln -s dev/fd/../root/@HOME@/.netrc a; mkdir d; ln -s ../../../../../../../proc/self/root d/r",
    ),
    one(
        "sockets, pipes and special bits",
        "mkfifo p; python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('s')\"; cp /bin/true t; chmod u+s t; mkdir g; chmod g+s,o+t g",
    ),
    one(
        "capabilities of a file",
        "cp /bin/true capable; unshare -Ur python3 -c \"import os, struct; os.setxattr('capable', 'security.capability', struct.pack('<IIIIII', 0x03000001, 0xffffffff, 0, 0xffffffff, 0, 0)[:24])\"",
        bites=False,
    ),
    _python(
        "access lists",
        "u = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', t, p, i) for t, p, i in ((1, 7, 0xffffffff), (2, 7, os.getuid()), (4, 7, 0xffffffff), (16, 7, 0xffffffff), (32, 7, 0xffffffff)))\n"
        "for n in ('notes.md', 'keep.md', 'chapters'):\n  for k in ('access', 'default'):\n    try: os.setxattr(n, 'system.posix_acl_' + k, u)\n    except OSError as e: print(e)\nopen('notes.md', 'a').write('x')",
    ),
    _python(
        "a file without a name, then with one",
        "f = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600); os.write(f, b'x')\nprint(l.linkat(-100, b'/proc/self/fd/%d' % f, -100, b'keep.md', 0x400))\nos.unlink('keep.md')",
    ),
    _python(
        "exchanged with what is protected",
        "open('mine', 'w').write('x')\nprint(l.renameat2(-100, b'mine', -100, b'.dogent/dogent.json', 2)); print(l.renameat2(-100, b'mine', -100, b'.claude/settings.json', 2))",
    ),
    _python(
        "whiteouts by rename",
        "print(l.renameat2(-100, b'keep.md', -100, b'k2', 4)); os.path.exists('keep.md') or print('gone')\ntry: os.unlink('k2')\nexcept OSError: os.unlink('keep.md')",
    ),
    _python(
        "written through a mapping, then cut",
        "import mmap\nf = open('keep.md', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[:] = b'x' * len(m); m.flush(); m.close()\nf = open('.claude/settings.json', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0:1] = b'!'",
    ),
    _python(
        "a mapping that outlives its file",
        "import mmap\nf = open('keep.md', 'r+b'); m = mmap.mmap(f.fileno(), 0); os.unlink('keep.md')\nif not os.fork():\n  os.setsid(); import time; time.sleep(2); m[0:1] = b'!'; open('late.md', 'w').write('x'); os._exit(0)",
    ),
    _python(
        "sizes beyond all",
        "f = open('sparse', 'wb'); f.truncate(1 << 42); os.truncate('notes.md', 1 << 40); os.truncate('notes.md', 0)",
    ),
    _python(
        "files of the kernel behind a descriptor",
        "for p in ('/proc/self/mem', '/proc/self/oom_score_adj', '/proc/self/coredump_filter', '/proc/self/uid_map', '/proc/self/attr/exec', '/proc/sysrq-trigger', '/dev/kmsg', '/sys/fs/cgroup/cgroup.procs'):\n  try: f = os.open(p, os.O_WRONLY); print(p, os.write(f, b'0'))\n  except OSError as e: print(p, e)",
        bites=False,
    ),
    _python(
        "letters put into whatever terminal is there",
        "import fcntl, pty\nm, s = pty.openpty()\nfor f in (0, 1, 2, m, s):\n  for c in b'touch pwned\\n':\n    try: fcntl.ioctl(f, 0x5412, bytes([c]))\n    except OSError: break",
        bites=False,
    ),
    _python(
        "a ring of the kernel, tracing, other memory",
        "for n, a in ((425, (8, ctypes.create_string_buffer(120))), (101, (16, 1, 0, 0)), (310, (1, 0, 0, 0, 0, 0)), (440, (0, 0, 0, 0, 0)), (438, (3, 1, 0)), (272, (0x10000000,)), (165, (b'/', b'chapters', None, 4096, None))):\n  print(n, l.syscall(n, *a), ctypes.get_errno())",
        bites=False,
    ),
    _python(
        "descriptors by a socket, to a child without a filter",
        "a, b = socket.socketpair()\nif not os.fork():\n  socket.send_fds(b, [b'x'], [os.open('/', os.O_PATH)]); os._exit(0)\n_, fds, _, _ = socket.recv_fds(a, 1, 1)\nfor p in ('..@HOME@/.netrc', '@HOME@/.netrc'[1:], '@PARENT@/neighbour/secret.txt'[1:]):\n  try: print(os.read(os.open(p, os.O_RDONLY, dir_fd=fds[0]), 99))\n  except OSError as e: print(e)",
    ),
    _python(
        "all kinds of sockets to all that is there",
        "for fam in range(46):\n  for kind in (1, 2, 3, 5):\n    try:\n      s = socket.socket(fam, kind); s.settimeout(0.2)\n      for a in ('@HOME@/agent.sock', '\\0outside-agent', '@HOME@/agent.dgram', '\\0outside-dgram', ('127.0.0.1', 47123), ('127.0.0.1', 47124), ('::1', 47123), 'server.sock', (2, 1), (1, 1024)):\n        try: s.connect(a); s.send(b'x'); print(fam, kind, a)\n        except Exception: pass\n    except Exception: pass",
    ),
    # ── time ──
    Attack(
        "a link swapped while the other commits",
        [
            Start("sleep 0.5; for i in $(seq 300); do echo x > chapters/n$i; done"),
            "for i in $(seq 40); do mv chapters c2; ln -s @PARENT@/neighbour chapters; rm chapters; mv c2 chapters; done",
            Wait(),
            "rm -rf chapters; ln -s ../neighbour chapters; for i in 1 2 3; do echo x > chapters/secret.txt; done",
        ],
        limit_s=20.0,
    ),
    Attack(
        "made now, used by another that began before",
        [
            Start("sleep 1.5; cat conf/out 2>/dev/null; for f in conf/*; do echo x > $f; done"),
            "mkdir conf; ln -s ../notes.md conf/in; echo x > conf/a",
            "ln -sfn @PARENT@/neighbour/secret.txt conf/out",
            Wait(),
        ],
    ),
    Attack(
        "what outlives its command",
        [
            "(setsid nohup sh -c 'sleep 2; rm -f keep.md; echo x >> @HOME@/.bashrc' >/dev/null 2>&1 &); (sleep 3; echo late > late.md) & disown -a",
            "sleep 3; ls late.md",
        ],
    ),
    Attack(
        "what the home keeps from call to call",
        [
            "mkdir -p ~/.config/git ~/.local/bin ~/bin; printf '[core]\\n\\thooksPath = @WS@/h\\n\\tfsmonitor = @PWN@\\n[alias]\\n\\tst = !@PWN@\\n' > ~/.config/git/config; cp ~/.config/git/config ~/.gitconfig",
            "mkdir h; printf '#!/bin/sh\\n@PWN@; rm -f keep.md\\n' > h/post-commit; chmod +x h/post-commit; git commit -q --allow-empty -m x; git st",
            Restart(),
            "cat ~/.gitconfig ~/.config/git/config; git status",
        ],
        bites=False,
    ),
    Attack(
        "the home with other kinds of entries, and again",
        [
            "rm -rf ~/.gitconfig ~/.local ~/.cargo; ln -s @HOME@/.bashrc ~/.gitconfig; ln -s @PARENT@/neighbour ~/.local; mkfifo ~/.cargo; ln -s / ~/.config",
            "ls -la ~; echo x >> ~/.gitconfig; echo x > ~/.local/new",
            Restart(),
            "ls -la ~; rm -f keep.md",
        ],
        bites=False,
    ),
    Attack(
        "many that end at once",
        [
            *[
                Start(f"echo {n} > n{n}.md; sleep 0.{n}; rm -f keep.md; mv notes.md n{n}")
                for n in range(8)
            ],
            Wait(),
            "ls",
        ],
        limit_s=20.0,
    ),
    # ── programs, their settings and their leftovers ──
    Attack(
        "settings of editors that run something",
        [
            "mkdir -p .helix .vim .nvim; printf '[[language]]\\nname=\"markdown\"\\n' > .helix/languages.toml; echo 'autocmd VimEnter * !touch x' > .nvim.lua; echo '((nil . ((eval . (shell-command \"x\")))))' > .dir-locals.el; echo '{\"tasks\":{}}' > book.code-workspace",
        ],
        bites=False,
    ),
    Attack(
        "settings of interpreters that run something",
        [
            "echo 'system(\"@PWN@\")' > .Rprofile; echo 'system \"@PWN@\"' > .latexmkrc; echo ':! @PWN@' > .ghci; echo 'import os; os.system(\"@PWN@\")' > .pdbrc; mkdir -p .cargo; printf '[build]\\nrustc-wrapper = \"./x\"\\n' > .cargo/config.toml",
        ],
        bites=False,
    ),
    one(
        "an archive with places of its own",
        "python3 - <<'E'\nimport tarfile, io\nt = tarfile.open('a.tar', 'w')\nfor n, ty, ln in (('@PARENT@/neighbour/x', b'0', ''), ('../neighbour/y', b'0', ''), ('l', b'2', '@PARENT@/neighbour'), ('l/z', b'0', ''), ('h', b'1', '@HOME@/.netrc'), ('dev', b'3', ''), ('.git/hooks/post-commit', b'0', '')):\n  i = tarfile.TarInfo(n); i.type = ty; i.linkname = ln; i.size = 1 if ty == b'0' else 0; i.mode = 0o777; t.addfile(i, io.BytesIO(b'x'))\nt.close()\nE\ntar xPf a.tar --overwrite 2>&1 | head -3; python3 -c \"import tarfile; tarfile.open('a.tar').extractall('.', filter='fully_trusted')\" 2>&1 | tail -1",
    ),
    Attack(
        "an archive that replaces what is protected",
        [
            "mkdir -p t/.claude t/.dogent t/.git/hooks; echo '{\"x\":1}' > t/.claude/settings.json; echo x > t/.dogent/dogent.md; printf '#!/bin/sh\\n@PWN@\\n' > t/.git/hooks/post-commit; chmod +x t/.git/hooks/post-commit; tar cf t.tar -C t .; rm -r t",
            "tar xf t.tar",
            "zip -qr t.zip . -x '*' 2>/dev/null; cpio -o < /dev/null > /dev/null 2>&1; tar xf t.tar --strip-components=0 --overwrite; rm -f keep.md",
        ],
    ),
    one(
        "a database that writes elsewhere",
        'sqlite3 x.db "attach \'@PARENT@/neighbour/secret.txt\' as s; create table s.t(a);" ".output keep.md" \'select 1 where 0;\' \'.output stdout\' ".backup @HOME@/.bashrc" ".shell rm -f notes.md" ".read \'|@PWN@\'"',
        "sqlite3",
        bites=False,
    ),
    Attack(
        "an editor and what it leaves",
        [
            "vim -es -u NONE -c 'set directory=@PARENT@/neighbour backupdir=@HOME@ writebackup backup' -c 'e keep.md' -c 'normal ggdG' -c 'w!' -c 'call delete(\"notes.md\")' -c 'q'",
            "ed -s notes.md <<< $'1,$d\\nw\\nq'; ex -s keep.md -c '%d' -c x; sed -n -i '' notes.md",
        ],
        needs=("vim", "ed"),
    ),
    Attack(
        "packages that run what they bring",
        [
            Write(
                "p/package.json",
                '{"name":"p","version":"1.0.0","scripts":{"preinstall":"rm -f ../keep.md; @PWN@","prepare":"rm -f @WS@/notes.md"}}',
            ),
            "cd p && npm install --offline --no-audit --foreground-scripts 2>&1 | tail -2; npm pack 2>&1 | tail -1",
            Write("q/setup.py", "import os; os.system('@PWN@'); os.unlink('@WS@/keep.md')\n"),
            "cd q && python3 setup.py --version; rm -f ../script.py",
        ],
        needs=("npm",),
        limit_s=20.0,
    ),
    Attack(
        "a rule for make that is there before it is read",
        [
            Write(
                "Makefile",
                "SHELL := /bin/bash\n-include $(shell rm -f keep.md; @PWN@; echo x.mk)\nall: ; @rm -f $(wildcard *.md)\n",
            ),
            "make -s -p -n >/dev/null; make -s",
        ],
        needs=("make",),
    ),
    one(
        "a debugger that calls",
        "gdb -batch -ex 'start' -ex 'call (int)unlink(\"keep.md\")' -ex 'shell rm -f notes.md' /bin/true 2>&1 | tail -1; rm -f keep.md",
        "gdb",
    ),
    one(
        "a terminal of its own",
        "script -qc 'rm -f keep.md; @PWN@' /dev/null </dev/null; tmux -L x new-session -d 'rm -f notes.md; @PWN@'; sleep 0.5; rm -f keep.md",
        "script",
    ),
    one(
        "unlinked by a namespace of users, processes and mounts",
        "unshare -Urmpf --mount-proc bash -c 'mkdir -p m; mount -t tmpfs t m; mount --bind / m; ls m@PARENT@; rm -rf m@WS@/keep.md keep.md; mount -t overlay o -o lowerdir=chapters,upperdir=data,workdir=images chapters'; rm -f keep.md",
    ),
    one(
        "case, composition and what cannot be seen",
        "echo x > .DOGENT/dogent.md 2>/dev/null; mkdir -p $'.claude\\u200b' .Claude; echo '{}' > .Claude/settings.json; echo x > .dogent/Dogent.MD; echo x > $'.mcp\\u2024json'; mv .dogent/dogent.md .dogent/tmp; mv .dogent/tmp .dogent/DOGENT.md",
    ),
    one(
        "the folder itself closed and renamed away",
        "chmod 000 .; chmod 700 .; cd ..; mv ws ws2 2>/dev/null; mv neighbour n2 2>/dev/null; rm -rf ws/chapters; rmdir ws 2>/dev/null; ls",
    ),
    one(
        "names as long and paths as deep as can be",
        "d=$(printf 'x%.0s' $(seq 250)); for i in $(seq 30); do mkdir $d && cd $d; done; echo x > f; cd @WS@; mv $d keep.md 2>/dev/null; rm -f keep.md",
    ),
    one(
        "a copy that only looks the same",
        "cp -p keep.md k; printf 'other\\n' > k; touch -r keep.md k; mv -f k keep.md; rm -f keep.md; ln -s notes.md keep.md",
    ),
    one(
        "data in what is allowed to be seen",
        "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -a CANARY; cat /proc/keys /proc/net/unix; ls -la /run /var/run /home/*/ /root /etc/shadow /etc/ssl/private; cat @HOME@/.netrc @HOME@/.ssh/* > loot 2>&1; cp -rL @HOME@/.config . 2>/dev/null",
    ),
)
