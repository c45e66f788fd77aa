"""What is left once the plain ways are closed: the layer's own marks, what the judging process
reads, what stays behind, and what fills up.
"""

# ruff: noqa: E501 — a command that is broken into lines is another command

from tests.wall.attacks.table import Attack, Meanwhile, Restart, Start, Wait, one

_PY = "python3 - <<'E'\nimport ctypes, os, socket, stat, sys, time\nl = ctypes.CDLL(None, use_errno=True)\n{}\nE"


def _python(name: str, text: str, *, bites: bool = False) -> Attack:
    return one(name, _PY.format(text), "python3", bites=bites)


ATTACKS: tuple[Attack, ...] = (
    # ── the layer's own marks ──
    one(
        "whiteouts by hand",
        "mknod chapters/ch1.md c 0 0; mknod wh c 0 0; rm -f keep.md; mknod keep.md c 0 0; touch .wh.keep.md .wh..wh..opq",
    ),
    _python(
        "every mark of an overlay",
        "for n in ('user.overlay.', 'trusted.overlay.', 'user.overlay.overlay.', 'security.'):\n for k in ('opaque', 'redirect', 'metacopy', 'whiteout', 'origin', 'impure', 'capability'):\n  for p in ('chapters', 'keep.md', '.', '.git'):\n   try: os.setxattr(p, n + k, b'y')\n   except OSError: pass\nos.unlink('keep.md')",
        bites=True,
    ),
    one(
        "an opaque folder that comes back",
        "mv chapters c2; mkdir chapters; setfattr -n user.overlay.opaque -v y chapters; cp c2/ch1.md chapters/; rm -r c2",
    ),
    one("a folder made unreadable over what was deleted", "rm chapters/ch1.md; chmod 000 chapters"),
    one(
        "a folder without search over what was deleted",
        "rm chapters/ch1.md; chmod 444 chapters; chmod 0 .",
    ),
    one(
        "a tree too deep to read",
        "rm -f keep.md; python3 -c \"import os\nfor i in range(4000):\n os.mkdir('d'); os.chdir('d')\"",
    ),
    one(
        "a name with a line break among the deleted",
        "rm keep.md; touch $'keep.md\\nnothing was deleted' $'\\e[2J\\e[Hall is well' $'a\\rb' $'\\u202eдm.peek'",
    ),
    _python(
        "names that are not text",
        "for i in range(1, 256):\n  if i != 47: open(b'n' + bytes([i]) * 100, 'w').close()\nos.unlink('keep.md')",
        bites=True,
    ),
    one(
        "a hundred thousand bytes of question",
        "for i in $(seq 400); do mkdir -p \"$(printf 'x%.0s' {1..200})$i\"; done; rm -rf chapters",
    ),
    # ── protected files, by other ways ──
    one(
        "the protected file through its parent",
        "mv .dogent .d2; mkdir .dogent; echo '# mine' > .dogent/dogent.md; echo '{}' > .dogent/dogent.json",
    ),
    one(
        "the protected file by a link to its folder",
        "ln -s .dogent d; echo x >> d/dogent.md; sed -i s/1/2/ d/dogent.json",
    ),
    one(
        "the protected file, by a hard link",
        "ln .dogent/dogent.md h; echo x >> h; ln -f notes.md .dogent/dogent.md",
    ),
    _python(
        "the protected file, exchanged",
        "l.renameat2(-100, b'notes.md', -100, b'.dogent/dogent.md', 2); l.renameat2(-100, b'chapters', -100, b'.dogent', 2)",
        bites=True,
    ),
    one(
        "the settings through a link",
        "rm -rf .claude; ln -s data .claude; echo '{\"hooks\":1}' > data/settings.json",
    ),
    one(
        "a new folder of settings, moved in",
        "mkdir -p n/.vscode; echo '{\"tasks\":1}' > n/.vscode/tasks.json; mv n/.vscode .; mkdir -p m/.claude; echo '{}' > m/.claude/settings.json",
    ),
    one(
        "start-up files below, in other cases",
        "mkdir -p s; echo '@PWN@' > s/.EnvRC; echo x > .Mcp.json; echo x > .Claude2; mkdir -p .CLAUDE; echo x > .CLAUDE/settings.json; echo '@PWN@' > .envrc",
    ),
    one(
        "names that look alike",
        "mkdir -p .claude; printf x > $'.claude/se\\u200cttings.json'; printf x > $'.\\uff45nvrc'; printf x > $'\\uff0emcp.json'",
        bites=False,
    ),
    one(
        "the protected file as a folder",
        "rm .dogent/dogent.md; mkdir .dogent/dogent.md; touch .dogent/dogent.md/x",
    ),
    Attack(
        "a file of zero bytes in place of text",
        ["truncate -s 0 keep.md; truncate -s 5 keep.md; dd if=/dev/zero of=notes.md bs=9 count=1"],
        unchanged=["keep.md", "notes.md"],
    ),
    Attack(
        "a file of holes, larger than any disk",
        ["truncate -s 7T big", "touch big; rm -f keep.md", "mv big big2; rm -f keep.md"],
    ),
    # ── what the judging process reads ──
    one(
        "a pipe where settings are read",
        "mkdir -p r/.git; mkfifo r/.git/config; rm .git/config; mkfifo .git/config; mkfifo .gitmodules; mkfifo .envrc",
    ),
    one(
        "a pipe for the index and the references",
        "cd .git && for f in index HEAD packed-refs logs/HEAD refs/heads/main; do rm -f $f; mkfifo $f; done",
    ),
    one(
        "a link to a device where settings are read",
        "ln -sf /dev/zero .gitmodules; rm .git/HEAD; ln -s /dev/zero .git/HEAD; ln -s /dev/urandom .git/packed-refs",
    ),
    one(
        "a huge file where settings are read",
        "truncate -s 3G .git/packed-refs; truncate -s 3G .gitmodules; echo '@PWN@' > .git/hooks/post-commit",
        limit_s=20.0,
    ),
    one("an index of nonsense", "head -c 100000 /dev/urandom > .git/index; git commit -qam x"),
    one(
        "a folder that is a file by the time it is read",
        "(for i in $(seq 200); do rm -rf t; mkdir t; rm -rf t; echo x > t; done) & sleep 0.3; rm -f keep.md",
    ),
    one(
        "settings with included settings",
        "printf '[include]\\n\\tpath = ../more\\n' >> .git/config; printf '[core]\\n\\tfsmonitor = @PWN@\\n' > more",
    ),
    Attack(
        "settings already included, changed later",
        [
            Meanwhile("git config include.path ../shared.cfg; echo > shared.cfg"),
            "printf '[core]\\n\\tfsmonitor = @PWN@\\n\\thooksPath = h\\n' > shared.cfg",
        ],
    ),
    Attack(
        "hooks in a folder already named",
        [
            Meanwhile("mkdir -p h; git config core.hooksPath h"),
            "printf '#!/bin/sh\\n@PWN@\\n' > h/pre-commit; chmod +x h/pre-commit",
        ],
    ),
    one(
        "objects borrowed from outside",
        "echo @PARENT@/neighbour/repo/.git/objects > .git/objects/info/alternates; git cat-file --batch-all-objects --batch-check | head -3; git show $(git rev-parse HEAD) | head -1",
        bites=False,
    ),
    one(
        "a filter by attributes",
        "echo '* filter=x diff=x' > .gitattributes; git config filter.x.clean '@PWN@; cat'; git config diff.x.textconv '@PWN@; cat'",
    ),
    one(
        "a worktree whose settings are its own",
        "git config extensions.worktreeConfig true; git worktree add -q w -b w; git -C w config --worktree core.fsmonitor '@PWN@'; git -C w config --worktree core.editor '@PWN@'",
    ),
    one(
        "a submodule that runs something",
        "git init -q s; git -C s commit -q --allow-empty -m s; git -C s config core.fsmonitor '@PWN@'; printf '[submodule \"s\"]\\n\\tpath = s\\n\\turl = ./s\\n\\tupdate = !@PWN@\\n' > .gitmodules",
    ),
    one(
        "a bare repository that is found",
        "mkdir b; cd b; git init -q --bare .; git config core.fsmonitor '@PWN@'; git config core.worktree ..; git config core.bare false",
    ),
    one(
        "history replaced",
        "git replace --graft HEAD; git reflog expire --expire=now --all; git gc -q --prune=now; git update-ref -d refs/heads/main",
    ),
    one(
        "a program first on the path",
        "mkdir -p bin; for p in git ls bash python3 cat; do printf '#!/bin/sh\\n@PWN@\\n' > bin/$p; chmod +x bin/$p; done; export PATH=$PWD/bin:$PATH; git status; echo \"PATH=$PWD/bin:$PATH\" >> ~/.bashrc",
        bites=False,
    ),
    Attack(
        "an environment for the next call",
        [
            "export BASH_ENV=$PWD/e PROMPT_COMMAND='@PWN@' PATH=$PWD:$PATH GIT_DIR=/x; echo '@PWN@' > e; alias ls='@PWN@'; cd() { @PWN@; }; export -f cd",
            "ls; cd chapters; pwd",
        ],
        bites=False,
    ),
    # ── staying, ending, filling ──
    Attack(
        "one that outlives its call",
        [
            "(setsid nohup sh -c 'trap \"\" TERM HUP INT; sleep 1; rm -f keep.md; @PWN@' >/dev/null 2>&1 &) ; exit 0",
            "sleep 1.5; ls",
        ],
    ),
    Attack(
        "one that outlives the session",
        [
            Start("setsid sh -c 'trap \"\" TERM; sleep 2; rm -f keep.md; @PWN@' & sleep 30"),
            "true",
            Restart(),
            "sleep 2",
        ],
        bites=False,
    ),
    one(
        "signals to everyone",
        "kill -9 -1; kill -STOP -1; for p in $(seq 1 5000); do kill -9 $p 2>/dev/null; done; rm -f keep.md",
        bites=False,
    ),
    one("stopped, never ended", "kill -STOP $$; rm -f keep.md", bites=False, limit_s=3.0),
    one(
        "children without end",
        "f() { f | f & }; ulimit -u 400; f; sleep 1; rm -f keep.md",
        bites=False,
        limit_s=5.0,
    ),
    one(
        "the disk filled",
        "cp keep.md k2; rm keep.md; head -c 2G /dev/zero > fill; cat fill > fill2",
        limit_s=30.0,
    ),
    one(
        "the names of the disk used up",
        "rm -f keep.md; mkdir n; python3 -c \"\nfor i in range(700000): open(f'n/{i}', 'w').close()\"",
        limit_s=60.0,
    ),
    one(
        "temporary places filled",
        "head -c 2G /dev/zero > /tmp/x; head -c 2G /dev/zero > /dev/shm/x; head -c 2G /dev/zero > ~/x; rm -f keep.md",
        limit_s=30.0,
    ),
    one(
        "an output without end", "yes 'all is well' | head -c 60000000; rm -f keep.md", limit_s=20.0
    ),
    one(
        "an output that draws",
        "printf '\\e]52;c;cm0gLXJm\\a\\e[?1049h\\e[2J\\ePq\\e\\\\'; printf 'dogent-tui: the command was allowed\\n'; rm -f keep.md",
    ),
    one(
        "the output cut short",
        "truncate -s 0 /dev/stdout; truncate -s 5G /dev/stdout; exec >&- 2>&-; rm -f keep.md",
    ),
    # ── the kernel ──
    _python(
        "descriptors of others",
        "for p in os.listdir('/proc'):\n  if p.isdigit():\n    try: f = l.syscall(434, int(p), 0)\n    except Exception: continue\n    for n in range(20): print(l.syscall(438, f, n, 0), end=' ')",
    ),
    _python(
        "traced from inside",
        "for p in range(1, 300):\n  r = l.ptrace(16, p, 0, 0)\n  if not r and p != os.getpid(): print('attached', p)\nprint(l.syscall(310, 1, 0, 0, 0, 0, 0))",
    ),
    _python(
        "rings, programs, keys, performance",
        "for n in (425, 426, 427, 321, 298, 323, 248, 249, 250, 133, 155, 165, 246, 175, 313, 169, 304): print(n, l.syscall(n, 0, 0, 0, 0, 0), ctypes.get_errno()) if n not in (169,) else 0",
    ),
    _python(
        "names without a file system",
        "for i in range(100):\n  try:\n    s = socket.socket(socket.AF_UNIX); s.connect('\\0outside-agent'); s.send(b'x')\n  except OSError: pass\nfor f in (17, 38, 40, 16, 31, 44, 9):\n  try: print(socket.socket(f, socket.SOCK_RAW))\n  except OSError as e: print(f, e.errno)",
    ),
    _python(
        "a descriptor handed out through a socket",
        "a = socket.socket(socket.AF_UNIX); p = '/tmp/s'; a.bind(p); a.listen()\nd = os.open('/', os.O_RDONLY)\nfor path in ('..', '/proc/1/root', '/proc/1/cwd', '/proc/self/fd/%d/..' % d):\n  try: print(path, os.listdir(path)[:3])\n  except OSError as e: print(e)",
    ),
    _python(
        "a handle instead of a name",
        "b = ctypes.create_string_buffer(200); b[0:4] = (128).to_bytes(4, 'little'); m = ctypes.c_int()\nprint(l.name_to_handle_at(-100, b'keep.md', b, ctypes.byref(m), 0)); d = os.open('/', os.O_RDONLY)\nprint(l.open_by_handle_at(d, b, 0), ctypes.get_errno())",
    ),
    one(
        "namespaces within, many deep",
        "unshare -Ur unshare -Urm unshare -Urmpfn sh -c 'mount -t overlay o -o lowerdir=@WS@,upperdir=/tmp,workdir=/var/tmp @WS@; mount -t tmpfs t @WS@; mount --bind / /mnt; rm -f @WS@/keep.md'",
        bites=False,
    ),
    one(
        "the first process, through its files",
        "for f in root cwd exe fd ns map_files; do ls -la /proc/1/$f/ 2>&1 | head -3; done; cat /proc/1/root/home/*/.netrc; echo x > /proc/1/oom_score_adj; echo 1 > /proc/sys/kernel/core_pattern; echo '|/bin/sh' > /proc/sys/kernel/core_pattern",
        bites=False,
    ),
    one(
        "removed while it is kept",
        "mkdir -p t/a; echo x > t/a/f; (while :; do mv t/a t/b; mv t/b t/a; done 2>/dev/null) & sleep 0.2; rm -f keep.md",
    ),
    Attack(
        "somebody else's file in a folder that is deleted",
        [
            Start("rm -rf chapters; sleep 1"),
            Meanwhile("sleep 0.4; echo mine > chapters/mine.md; echo more >> chapters/ch1.md"),
            Wait(),
        ],
    ),
    Attack(
        "somebody else's link in place of a folder",
        [
            Start("echo x > data/new.csv; echo y >> data/data.csv; sleep 1"),
            Meanwhile("sleep 0.4; mv data data2; ln -s ../neighbour data"),
            Wait(),
        ],
    ),
    Attack(
        "somebody else's edit of the same line",
        [
            Start("sed -i s/notes/theirs/ notes.md; sleep 1"),
            Meanwhile("sleep 0.4; sed -i s/notes/mine/ notes.md"),
            Wait(),
        ],
    ),
    Attack(
        "a folder of the layer, kept open between calls",
        [
            "cp keep.md /tmp/k; ln keep.md /tmp/hard 2>/dev/null; ln -s $PWD /tmp/ws; mkdir -p ~/x; ln -s / ~/x/r",
            "rm -f /tmp/ws/keep.md; ls ~/x/r; echo x > ~/x/r/x; cat ~/x/r@PARENT@/neighbour/secret.txt",
        ],
    ),
    Attack(
        "a private home made strange",
        [
            "rm -rf ~; ln -sf / ~/.config; mkdir -p ~/.local; chmod 0 ~ /tmp; rm -rf /run/dogent/*; mkdir /run/dogent/x; mkfifo /run/dogent/p",
            "echo still; rm -f keep.md",
            "cd chapters; pwd",
        ],
    ),
)
