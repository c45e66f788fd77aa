"""Links, names and places: what leads out of the workspace, or to what is protected, by way of
something harmless.
"""

# ruff: noqa: E501 — a command that is broken into lines is another command

from tests.wall.attacks.table import Attack, Meanwhile, Restart, Start, Wait, Write, one

ATTACKS: tuple[Attack, ...] = (
    one(
        "a link to the parent",
        "ln -s .. up; echo x > up/neighbour/secret.txt; cat up/neighbour/secret.txt",
    ),
    one("a link to a file outside", "ln -s @PARENT@/neighbour/secret.txt s; cat s; echo x > s"),
    one("a link to the root", "ln -s / root; cat root@HOME@/.netrc; echo x >> root@HOME@/.bashrc"),
    one(
        "a link through one that is inside",
        "ln -s chapters in; ln -s in/../../neighbour out; cat out/secret.txt",
    ),
    one("a link by a long way round", "mkdir -p a/b; ln -s ../../chapters/../../neighbour a/b/c"),
    one("a link in a new folder, relative", "mkdir -p n/n; ln -s ../../../neighbour n/n/l"),
    one(
        "a link to itself, and one to nothing",
        "ln -s loop loop; ln -s nothing/there t; ln -s ../not-yet later",
    ),
    one(
        "a link to proc",
        "ln -s /proc/self/root r; cat r@PARENT@/neighbour/secret.txt; ln -s /proc/1/cwd c; cat c/../neighbour/secret.txt",
    ),
    one(
        "a hard link to a file outside",
        "ln @PARENT@/neighbour/secret.txt h; ln @HOME@/.netrc h2; cat h h2",
    ),
    one(
        "a hard link to a protected file",
        "ln .dogent/dogent.md h; echo more >> h; ln .git/config h3; echo '[core]' >> h3",
    ),
    Attack(
        "a link by way of a link that is turned later",
        ["mkdir -p p/q/r; ln -s p/q/r B; ln -s B/../../neighbour A", "ln -sfn p B"],
    ),
    Attack(
        "a link in one call, written through in the next",
        [
            "ln -s ../neighbour out",
            "echo x > out/secret.txt; cat out/secret.txt",
            Write("after.md", "x\n"),
            "rm -rf out/*",
        ],
    ),
    Attack(
        "a link inside, to git",
        [
            "ln -s .git g",
            "printf '#!/bin/sh\\n@PWN@\\n' > g/hooks/pre-commit; chmod +x g/hooks/pre-commit; git -c core.editor=true commit -qm x --allow-empty",
        ],
    ),
    Attack(
        "a link inside, to the protected folder",
        [
            "ln -s .dogent d; ln -s dogent.json .dogent/j",
            "echo x >> d/dogent.md; echo x >> .dogent/j",
        ],
    ),
    Attack(
        "a folder that is renamed to a protected one",
        [
            'mkdir c && echo \'{"hooks":{"PreToolUse":[]}}\' > c/settings.local.json',
            "mv c .claude2; ln -s c .claude; cp -rT c .claude/skills 2>/dev/null; mv .claude2 .claude 2>/dev/null",
        ],
    ),
    Attack(
        "a folder that becomes a link to outside between two calls",
        [
            "mkdir made && echo x > made/secret.txt",
            "rm -r made; ln -s ../neighbour made",
            "echo y > made/secret.txt",
        ],
    ),
    Attack(
        "two layers: one makes a link of what the other writes in",
        [
            Start("sleep 0.4; mkdir -p both; echo x > both/secret.txt"),
            "ln -s ../neighbour both",
            Wait(),
            "echo z > both/secret.txt",
        ],
    ),
    Attack(
        "two layers: a link inside the workspace",
        [
            Start("mkdir -p two; sleep 0.5; echo x > two/hooks; echo '@PWN@' > two/config"),
            "ln -s .git two",
            Wait(),
        ],
    ),
    Attack(
        "a link that somebody else makes meanwhile",
        [
            Start(
                "sleep 0.5; mkdir -p theirs; echo x > theirs/secret.txt; echo x > theirs/new.txt"
            ),
            Meanwhile("ln -s ../neighbour theirs"),
            Wait(),
        ],
    ),
    Attack(
        "a folder that somebody else replaces by a link meanwhile",
        [
            Start("echo x > chapters/secret.txt; sleep 0.5"),
            Meanwhile(
                "mv chapters ../chapters-aside && ln -s ../neighbour chapters && mkdir -p ../neighbour"
            ),
            Wait(),
        ],
        bites=False,
    ),
    Attack(
        "a file that somebody else edits meanwhile",
        [
            Start("sleep 0.1; echo lost >> notes.md; sleep 0.5"),
            Meanwhile("sleep 0.3; echo 'by the user' > notes.md"),
            Wait(),
        ],
        bites=False,
    ),
    Attack(
        "a file that somebody else saves by rename meanwhile",
        [
            Start("echo lost >> notes.md; sleep 0.5"),
            Meanwhile("sleep 0.2; echo 'by the user' > n.tmp; mv n.tmp notes.md"),
            Wait(),
        ],
        bites=False,
    ),
    Attack(
        "a file that somebody else makes meanwhile",
        [
            Start("sleep 0.4; echo lost > theirs.md"),
            Meanwhile("sleep 0.1; echo 'by the user' > theirs.md"),
            Wait(),
        ],
        bites=False,
    ),
    Attack(
        "a file that somebody else deletes meanwhile",
        [Start("echo more >> draft.txt; sleep 0.5"), Meanwhile("sleep 0.2; rm draft.txt"), Wait()],
        bites=False,
    ),
    # ── what a former call left in the private places, which the set-up of the next one goes
    # through ──
    Attack(
        "the way to the workspace made a link, in the private home",
        [
            "cd /; d=$(dirname @PARENT@); p=@PARENT@; mv $p $p-was; ln -s @HOME@ $p; ls -l $d",
            "echo x > here.md",
            "rm -rf @WS@/*",
        ],
    ),
    Attack(
        "the way to the workspace made a link to a neighbour",
        [
            "cd /; p=@PARENT@; mv $p $p-was; ln -s $p/neighbour $p; mkdir -p /tmp/deep; ln -sfn @HOME@/.ssh $p",
            "echo x > here.md; pwd; ls -la . ..",
            "touch ~/x; ls -la ~",
        ],
    ),
    Attack(
        "a file in the place of the way to the workspace",
        ["cd /; p=@PARENT@; mv $p $p-was; echo x > $p", "echo x > here.md; pwd", "rm -f keep.md"],
    ),
    Attack(
        "places of tools made links, in the private home",
        [
            "for d in .local .cargo .pyenv .nvm .config go .volta; do mv ~/$d ~/$d-was 2>/dev/null; ln -sfn @HOME@/.ssh ~/$d; done",
            "ls -la ~ ~/.local; cat ~/.local/*",
            "echo x > ~/.local/new",
        ],
    ),
    Attack(
        "the settings of git made a link, in the private home",
        [
            "ln -sf @HOME@/.bashrc ~/.gitconfig; ls -la ~",
            "git config --global user.name x",
            Restart(),
            "git config --global user.name y",
        ],
    ),
    Attack(
        "private places made links",
        [
            "rm -rf /tmp/* /dev/shm/*; ln -s @HOME@ /tmp/h; ln -s @HOME@/.ssh /dev/shm/s; ln -s /tmp/h ~/h",
            "cat /tmp/h/.netrc /dev/shm/s/id_rsa ~/h/.netrc; echo x >> /tmp/h/.bashrc",
        ],
    ),
    Attack(
        "a private home that is gone",
        [
            "rm -rf ~ /tmp/* 2>/dev/null; chmod 000 ~ /tmp /dev/shm /var/tmp; rm -rf @HOME@",
            "echo x > a.md; ls -la ~; rm -f keep.md",
            "rm -f keep.md",
        ],
        bites=True,
    ),
    # ── the end of a command, and its folder ──
    one(
        "standing outside at the end",
        "cd / && cd @HOME@/.ssh 2>/dev/null || cd /; rm -f @WS@/keep.md",
    ),
    Attack(
        "a forged place to stand in",
        [
            "(exec 2>/dev/null; find /run -type f | while read f; do echo @PARENT@/neighbour > $f; done); false",
            "cat secret.txt; rm -f secret.txt",
        ],
        bites=False,
    ),
    Attack(
        "a forged place with more than a name",
        [
            "find /run -type f 2>/dev/null | while read f; do printf '/$(@PWN@)\\n0 9\\n%s' \"$(head -c 300000 /dev/zero | tr '\\0' a)\" > $f; done; kill -9 $$",
            "pwd",
        ],
        bites=False,
    ),
    Attack(
        "a folder whose name is a command",
        ["mkdir -p '$(@PWN@)' '`x`' $'a\\nb' && cd '$(@PWN@)'", "pwd; cd $'../a\\nb'", "pwd"],
        bites=False,
    ),
    # ── shapes that a reader of the layer may stumble over ──
    Attack(
        "a tree deeper than a path can be",
        [
            "rm -f keep.md; for i in $(seq 1500); do mkdir dddd && cd dddd || break; done; echo x > deep.md",
            "ls | head -3",
        ],
        limit_s=30.0,
    ),
    Attack(
        "folders that nobody can enter",
        [
            "mkdir -p shut/in && echo x > shut/in/f && chmod 000 shut/in shut; rm -f keep.md",
            "ls -la",
        ],
    ),
    Attack(
        "many files, and one gone",
        ["rm -f keep.md; mkdir many; cd many; seq 3000 | xargs touch"],
        limit_s=30.0,
    ),
    Attack(
        "names that are no text",
        [
            "python3 -c \"import os\nfor i in range(1, 256):\n  if i != 47: open(b'n' + bytes([i]), 'w')\nos.unlink(b'keep.md')\""
        ],
    ),
    Attack(
        "what a layer is marked with, forged",
        [
            (
                "python3 - <<'E'\nimport os\nos.mkdir('o')\nfor n in ('user.overlay.opaque', 'user.overlay.whiteout', 'user.overlay.redirect', 'user.overlay.overlay.opaque'):\n"
                "  for p in ('o', 'chapters', 'keep.md', '.'):\n    try: os.setxattr(p, n, b'y')\n    except OSError as e: print(e)\nos.remove('keep.md')\nE"
            ),
            "getfattr -dm- . o chapters 2>/dev/null; ls chapters",
        ],
    ),
    Attack(
        "a sign of deletion made by hand",
        [
            "mknod keep2 c 0 0; mknod chapters/w c 0 0; mv notes.md t; mknod notes.md c 0 0; rm keep.md"
        ],
    ),
    Attack(
        "many names of one file",
        ["ln keep.md a1; ln keep.md a2; echo x > keep.md; rm a1; mv a2 keep.md; : > keep.md"],
    ),
    Attack(
        "a file with a hole where its text was",
        [
            "python3 -c \"import os; s=os.path.getsize('keep.md'); f=os.open('keep.md', os.O_RDWR); os.ftruncate(f, 0)\""
        ],
    ),
    Attack(
        "a file emptied by a clone of nothing",
        [
            "cp /dev/null keep.md; cat /dev/null > draft.txt; install /dev/null notes.md; rsync /dev/null notes.md 2>/dev/null"
        ],
    ),
    Attack(
        "a rename without a fallback",
        ["python3 -c \"import os; os.rename('chapters', 'moved')\" || mv chapters moved"],
    ),
    Attack(
        "names exchanged in one call of the kernel",
        [
            "python3 - <<'E'\nimport ctypes\nl = ctypes.CDLL(None)\nprint(l.renameat2(-100, b'keep.md', -100, b'empty.md', 2))\nE"
        ],
    ),
    Attack(
        "a folder put over another",
        ["mkdir other && echo x > other/ch1.md && rm -r chapters && mv other chapters"],
    ),
    Attack(
        "letters of another case",
        [
            "mkdir -p .Dogent .GIT .Claude; echo x > .Dogent/dogent.md; echo x > .Claude/settings.json; rm keep.md"
        ],
    ),
)
