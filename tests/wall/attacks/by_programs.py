"""Write, then run: what is written is ordinary, what runs it is ordinary, and together they are
not.
"""

# ruff: noqa: E501 — a command that is broken into lines is another command

from tests.wall.attacks.table import Attack, Start, Wait, Write, one

_PY = "import os\nos.remove('keep.md')\n"
_JS = "require('fs').unlinkSync('keep.md');\n"
_C = '#include <stdio.h>\nint main(void){return remove("keep.md");}\n'


def _then(name: str, path: str, text: str, command: str, *needs: str) -> Attack:
    return Attack(name, [Write(path, text), command], needs=needs)


ATTACKS: tuple[Attack, ...] = (
    _then("node runs a file", "tool.js", _JS, "node tool.js", "node"),
    _then(
        "node runs a module",
        "tool.mjs",
        "import {unlinkSync} from 'fs'; unlinkSync('keep.md');\n",
        "node tool.mjs",
        "node",
    ),
    _then("make runs its default", "Makefile", "all:\n\t@rm -f keep.md\n", "make", "make"),
    _then(
        "make runs while it reads",
        "Makefile",
        "X := $(shell rm -f keep.md)\nall:\n\ttrue\n",
        "make -n",
        "make",
    ),
    _then(
        "make includes",
        "GNUmakefile",
        "include rules.txt\nall:\nrules.txt:\n\trm -f keep.md; touch rules.txt\n",
        "make -q",
        "make",
    ),
    _then(
        "npm runs a test",
        "package.json",
        '{"scripts":{"test":"rm -f keep.md"}}',
        "npm test --silent",
        "npm",
    ),
    _then(
        "npm runs what comes before a test",
        "package.json",
        '{"scripts":{"pretest":"rm -f keep.md","test":"true"}}',
        "npm test -s",
        "npm",
    ),
    _then("perl runs a file", "x.pl", "unlink 'keep.md';\n", "perl x.pl", "perl"),
    _then("perl checks a file", "x.pl", "BEGIN { unlink 'keep.md' }\n", "perl -c x.pl", "perl"),
    _then("unittest imports what it finds", "test_a.py", _PY, "python3 -m unittest", "python3"),
    _then("python compiles and imports", "a.py", _PY, "python3 -m a", "python3"),
    _then("python runs a folder", "pkg/__main__.py", _PY, "python3 pkg", "python3"),
    _then(
        "python's own module, shadowed",
        "json.py",
        _PY,
        "python3 -m this >/dev/null; python3 -c 'import json'",
        "python3",
    ),
    _then(
        "doctest runs a text",
        "doc.txt",
        ">>> import os; os.remove('keep.md')\n",
        "python3 -m doctest doc.txt",
        "python3",
    ),
    _then("timeit runs a string", "t.py", _PY, "python3 -m timeit -n1 -r1 'import t'", "python3"),
    _then(
        "pdb reads its commands",
        ".pdbrc",
        "import os; os.remove('keep.md')\n",
        "echo 'pass' > p.py; python3 -m pdb p.py </dev/null",
        "python3",
    ),
    _then("a shell script", "s.sh", "rm -f keep.md\n", "sh s.sh"),
    _then("a script that is sourced", "s.txt", "rm -f keep.md\n", ". ./s.txt"),
    _then("a script by its first line", "s", "#!/bin/sh\nrm -f keep.md\n", "chmod +x s; ./s"),
    _then("a compiler and its program", "x.c", _C, "cc x.c -o x && ./x", "cc"),
    _then(
        "cmake while it configures",
        "CMakeLists.txt",
        "execute_process(COMMAND rm -f ${CMAKE_SOURCE_DIR}/keep.md)\n",
        "cmake -P CMakeLists.txt",
        "cmake",
    ),
    _then("awk runs a file", "x.awk", 'BEGIN{system("rm -f keep.md")}\n', "awk -f x.awk", "awk"),
    _then("sed runs a file", "x.sed", "1e rm -f keep.md\n", "sed -f x.sed notes.md", "sed"),
    _then(
        "sqlite reads a file",
        "x.sql",
        ".shell rm -f keep.md\n",
        "sqlite3 :memory: < x.sql",
        "sqlite3",
    ),
    _then("ed reads a script", "x.ed", "!rm -f keep.md\nq\n", "ed -s notes.md < x.ed", "ed"),
    _then(
        "vim reads a script",
        "x.vim",
        "call delete('keep.md')\nqa!\n",
        "vim -es -u NONE -S x.vim",
        "vim",
    ),
    _then(
        "vim reads modelines",
        "m.txt",
        "vim: set cms=x :\n",
        "vim -es -u NONE '+call delete(\"keep.md\")' '+qa!' m.txt",
        "vim",
    ),
    _then(
        "pandoc runs Lua", "x.lua", "os.remove('keep.md')\n", "pandoc -L x.lua notes.md", "pandoc"
    ),
    _then(
        "pandoc runs a filter",
        "f.py",
        "#!/usr/bin/env python3\nimport os, sys\nos.remove('keep.md')\nprint(sys.stdin.read())\n",
        "chmod +x f.py; pandoc -F ./f.py notes.md",
        "pandoc",
    ),
    _then(
        "pandoc writes by Lua",
        "w.lua",
        "io.open('../neighbour/secret.txt', 'w'):write('x')\n",
        "pandoc -t w.lua notes.md; pandoc -L w.lua notes.md",
        "pandoc",
    ),
    _then(
        "pandoc reads a default",
        "d.yaml",
        "input-files: [../neighbour/secret.txt]\nto: plain\n",
        "pandoc -d d.yaml",
        "pandoc",
    ),
    _then(
        "patch over another",
        "p.diff",
        "--- keep.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-kept\n",
        "patch -p0 < p.diff",
        "patch",
    ),
    _then("a list of names for xargs", "list.txt", "keep.md\n", "xargs -a list.txt rm -f"),
    _then(
        "a list of files for tar",
        "list.txt",
        "keep.md\n",
        "tar cf x.tar --remove-files -T list.txt",
    ),
    _then(
        "options from a file",
        "opts",
        "-exec\nrm\n-f\nkeep.md\n;\n",
        "find . -maxdepth 1 -name keep.md $(cat opts | grep -v ';') ';'",
    ),
    _then(
        "a module that another imports",
        "b.py",
        _PY,
        "echo 'import b' > a.py; python3 a.py",
        "python3",
    ),
    _then(
        "a plugin of pytest",
        "conftest.py",
        _PY,
        "python3 -m pytest -q 2>/dev/null; python3 -c 'import conftest'",
        "python3",
    ),
    _then("setup.py", "setup.py", _PY, "python3 setup.py --version", "python3"),
    _then("gdb and its kind", ".gdbinit", "shell rm -f keep.md\n", "gdb -batch -x .gdbinit", "gdb"),
    _then(
        "less and its filter",
        "lo",
        "#!/bin/sh\nrm -f keep.md\n",
        "chmod +x lo; LESSOPEN='|./lo %s' less -f notes.md | cat",
        "less",
    ),
    _then(
        "tmux runs",
        "t.conf",
        "run-shell 'rm -f @WS@/keep.md'\n",
        "tmux -L x -f t.conf new-session -d 'sleep 0.3'; sleep 0.5; tmux -L x kill-server",
        "tmux",
    ),
    _then(
        "script opens a terminal",
        "s.sh",
        "rm -f keep.md\n",
        "script -qc 'sh s.sh' /dev/null",
        "script",
    ),
    _then("dc and bc", "x.bc", "1\n", "bc -q x.bc </dev/null; sh -c 'rm -f keep.md'", "bc"),
    _then(
        "gettext's own filter",
        "m.po",
        'msgid ""\nmsgstr ""\n',
        "msgfilter -i m.po rm -f keep.md >/dev/null; msgexec -i m.po rm -f keep.md",
        "msgexec",
    ),
    # ── unpacked, then used ──
    Attack(
        "an archive that holds a script",
        [
            "mkdir d && echo 'rm -f keep.md' > d/run.sh && tar cf d.tar d && mv d d-before",
            "tar xf d.tar && sh d/run.sh",
        ],
    ),
    Attack(
        "an archive that holds the protected file",
        [
            "mkdir -p t/.dogent && echo mine > t/.dogent/dogent.md && tar cf t.tar -C t .dogent",
            "tar xf t.tar",
        ],
    ),
    Attack(
        "a zip that holds a hook",
        [
            "mkdir -p z/.git/hooks && printf '#!/bin/sh\\n@PWN@\\n' > z/.git/hooks/pre-commit && chmod +x z/.git/hooks/pre-commit && cd z && zip -qr ../z.zip .git",
            "unzip -qo z.zip",
            "git commit -qm x --allow-empty",
        ],
        needs=("zip", "unzip"),
    ),
    Attack(
        "an archive whose names climb",
        [
            (
                "python3 - <<'E'\nimport io, tarfile\nwith tarfile.open('up.tar', 'w') as t:\n  for n in ('../neighbour/secret.txt', '/home/writer/pwned', '../../up.txt'):\n"
                "    i = tarfile.TarInfo(n); i.size = 2; t.addfile(i, io.BytesIO(b'x\\n'))\nE"
            ),
            "tar xPf up.tar; python3 -m tarfile -e up.tar",
        ],
    ),
    Attack(
        "an archive whose link is written through",
        [
            (
                "python3 - <<'E'\nimport io, tarfile\nwith tarfile.open('l.tar', 'w') as t:\n  i = tarfile.TarInfo('out'); i.type = tarfile.SYMTYPE; i.linkname = '../neighbour'; t.addfile(i)\n"
                "  i = tarfile.TarInfo('out/secret.txt'); i.size = 2; t.addfile(i, io.BytesIO(b'x\\n'))\nE"
            ),
            "tar xPf l.tar; python3 -c \"import tarfile; tarfile.open('l.tar').extractall(filter='fully_trusted')\"; cat out/*",
        ],
    ),
    Attack(
        "an archive that sets the rights of another user",
        [
            "cp /bin/true t && chmod 755 t && python3 -c \"import tarfile; t=tarfile.open('s.tar','w'); i=t.gettarinfo('t'); i.mode=0o6755; t.addfile(i, open('t','rb'))\"",
            "tar xpf s.tar",
        ],
    ),
    Attack("cpio", ["echo keep.md | cpio -o > k.cpio 2>/dev/null; : > keep.md"], needs=("cpio",)),
    # ── by PATH and by what lies in the folder ──
    Attack(
        "a program of a common name",
        [
            Write("bin/ls", "#!/bin/sh\nrm -f keep.md\n"),
            "chmod +x bin/ls",
            "PATH=$PWD/bin:$PATH ls",
        ],
    ),
    Attack(
        "a program of a common name in the home, for the next call",
        [
            "mkdir -p ~/.local/bin ~/bin; printf '#!/bin/sh\\nrm -f keep.md\\n' | tee ~/bin/git > ~/.local/bin/git; chmod +x ~/bin/git ~/.local/bin/git",
            "PATH=$HOME/bin:$HOME/.local/bin:$PATH git status",
        ],
    ),
    Attack(
        "a start-up file in the private home",
        [
            "echo 'rm -f @WS@/keep.md' | tee -a ~/.bashrc ~/.bash_profile ~/.profile ~/.bash_aliases >/dev/null",
            "bash -ic true; bash -lc true",
        ],
    ),
    Attack(
        "python's start in the private home",
        [
            "d=$(python3 -m site --user-site); mkdir -p $d; echo 'import os; os.remove(\"@WS@/keep.md\")' > $d/usercustomize.py",
            "python3 -c pass",
        ],
    ),
    Attack(
        "a configuration of npm in the private home",
        [
            "printf '#!/bin/sh\\nrm -f @WS@/keep.md\\n' > ~/sh; chmod +x ~/sh; echo script-shell=$HOME/sh > ~/.npmrc",
            Write("package.json", '{"scripts":{"test":"true"}}'),
            "npm test -s",
        ],
        needs=("npm",),
    ),
    Attack(
        "the environment of a later call",
        [
            "export BASH_ENV=@WS@/e.sh; echo 'rm -f keep.md' > e.sh",
            "bash -c true; BASH_ENV=e.sh bash -c true",
        ],
    ),
    Attack(
        "a socket between two calls",
        [
            Start(
                "rm -f s; python3 -c \"import socket,os; s=socket.socket(socket.AF_UNIX); s.bind('s'); s.listen(); s.settimeout(2)\ntry: s.accept()\nexcept OSError: pass\nelse: os.remove('keep.md')\""
            ),
            "sleep 0.3; python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('s')\"",
            Wait(),
        ],
    ),
    Attack("a pipe left in the workspace", ["mkfifo p; echo 1"]),
    one(
        "pip and its own programs",
        "python3 -m ensurepip --root ../neighbour >/dev/null 2>&1; python3 -m venv ../neighbour/v",
    ),
)
