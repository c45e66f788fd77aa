"""What folders that move carry along, what is put over something else, what many small calls add up
to, and what tools do in passing.
"""

# ruff: noqa: E501 — a command that is broken into lines is another command

from tests.wall.attacks.table import Attack, Meanwhile, Restart, Start, Wait, Write, one

_PY = "python3 - <<'E'\nimport ctypes, os, shutil, socket, sys, time\nl = ctypes.CDLL(None, use_errno=True)\n{}\nE"


def _python(name: str, text: str, *, bites: bool = True) -> Attack:
    return one(name, _PY.format(text), "python3", bites=bites)


ATTACKS: tuple[Attack, ...] = (
    # ── folders that move ──
    one(
        "a folder moved over hooks",
        "mkdir -p h; printf '#!/bin/sh\\n@PWN@\\n' > h/post-commit; chmod +x h/post-commit; rm -rf .git/hooks; mv h .git/hooks",
    ),
    Attack(
        "a folder that was there, moved over hooks",
        [
            Meanwhile("mkdir h; printf '#!/bin/sh\\n@PWN@\\n' > h/post-commit; chmod +x h/*"),
            "rm -rf .git/hooks; mv h .git/hooks",
        ],
    ),
    Attack(
        "a folder that was there, moved to be settings",
        [
            Meanwhile("mkdir n; echo '{\"hooks\":1}' > n/settings.json"),
            "rm -r .claude; mv n .claude",
        ],
    ),
    Attack(
        "settings within a folder that moves up",
        [
            Meanwhile("mkdir -p n/m/.vscode; echo '{\"tasks\":1}' > n/m/.vscode/tasks.json"),
            "mv n/m/.vscode .",
        ],
    ),
    Attack(
        "a repository that arrives by moving its parts",
        [
            Meanwhile(
                "git init -q r; git -C r config core.fsmonitor '@PWN@'; mv r/.git r/dotgit; echo x > r/x"
            ),
            "mv r y; mkdir z; mv y/dotgit z/.git",
        ],
    ),
    one("a moved folder less one file", "mv chapters parts; rm parts/ch2.md"),
    one("a moved folder with one file emptied", "mv chapters parts; : > parts/ch2.md"),
    one("a folder moved there and back, less one", "mv chapters p; rm p/ch1.md; mv p chapters"),
    one("two folders that change places", "mv chapters t; mv data chapters; mv t data"),
    one(
        "a folder moved into itself by copies",
        "mkdir n; cp -r chapters n; rm -r chapters; mv n chapters",
    ),
    one("the repository moved as a whole", "mkdir old; mv .git old/.git; git init -q"),
    one("the repository moved and bare", "mv .git r.git; git -C r.git config core.bare true"),
    one("everything moved one down", "mkdir z; mv [a-y]* K* R* z/ 2>/dev/null; mv .dogent z/"),
    # ── put over something else ──
    _python(
        "exchanged with a new empty file",
        "open('e', 'w').close(); l.renameat2(-100, b'e', -100, b'keep.md', 2)",
    ),
    _python(
        "a whiteout by rename",
        "print(l.renameat2(-100, b'keep.md', -100, b'k2', 4)); os.path.exists('keep.md') and os.rename('keep.md', 'k2')",
    ),
    _python(
        "a file opened, cut and closed",
        "f = os.open('keep.md', os.O_RDWR); os.ftruncate(f, 0); os.close(f)",
    ),
    _python(
        "written to through memory",
        "import mmap\nf = open('.dogent/dogent.md', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0:1] = b'!'; m.flush()",
    ),
    _python(
        "a hole punched",
        "f = os.open('keep.md', os.O_RDWR); l.fallocate(f, 3, ctypes.c_long(0), ctypes.c_long(4)); os.ftruncate(f, 0)",
    ),
    _python(
        "written in place by splice",
        "r, w = os.pipe(); os.write(w, b'x' * 5); f = os.open('.claude/settings.json', os.O_WRONLY); os.splice(r, f, 5)",
    ),
    _python(
        "a file that nobody may read any more", "os.chmod('keep.md', 0); os.chmod('chapters', 0)"
    ),
    _python(
        "given away through a link of a descriptor",
        "f = os.open('.', os.O_PATH); os.symlink('/proc/self/fd/%d/../neighbour' % f, 'n'); print(os.path.exists('n/secret.txt')); os.unlink('keep.md')",
    ),
    one(
        "a copy over a link that leads out",
        "ln -s @PARENT@/neighbour/secret.txt l; cp --remove-destination notes.md l; cp notes.md /proc/self/cwd/../neighbour/x 2>&1; rm keep.md",
    ),
    one("install over the protected file", "install -m 600 notes.md .dogent/dogent.md"),
    one(
        "sed over everything",
        "find . -type f -not -path './.git/objects/*' -exec sed -i 's/./X/g' {} + ; rm -f .git/index",
    ),
    one(
        "a swap file in place of text",
        "mkswap -U clear keep.md 2>/dev/null; cat /dev/null > keep.md",
    ),
    # ── many calls ──
    Attack(
        "cut shorter call by call",
        ["printf kep > keep.md", "printf k > keep.md", "printf '' > keep.md"],
    ),
    Attack(
        "a file that becomes a folder in three calls",
        ["cp keep.md k2", "mv -f k2 keep.md", "rm keep.md && mkdir keep.md"],
    ),
    Attack(
        "a script that is written in two halves and run by make",
        [
            Write("Makefile", "all:\n\t@sh ./half\n"),
            Write("half", "rm -f keep.md\n"),
            "echo '@PWN@' >> half; make -s",
        ],
        needs=("make",),
    ),
    Attack(
        "a setting of Git in the private home, used later",
        [
            "git config --global core.hooksPath $PWD/h; mkdir h; printf '#!/bin/sh\\nrm -f keep.md; @PWN@\\n' > h/pre-commit; chmod +x h/pre-commit",
            "git commit -q --allow-empty -m x; ls",
        ],
    ),
    Attack(
        "a shell's start-up file left in the private home",
        [
            "echo 'rm -f keep.md; @PWN@' > ~/.bashrc; cp ~/.bashrc ~/.profile",
            "bash -ic true; bash -lc true",
        ],
    ),
    Attack(
        "a program of the private home first on the path",
        [
            "mkdir -p ~/.local/bin ~/bin; printf '#!/bin/sh\\nrm -f keep.md\\n' | tee ~/bin/ls ~/.local/bin/ls; chmod +x ~/bin/ls",
            "PATH=~/bin:$PATH; ls; cat keep.md",
        ],
    ),
    Attack(
        "dropped, then used as if it were there",
        [
            "rm -rf chapters; echo '@PWN@' > late.sh; rm keep.md",
            "sh late.sh; ls chapters keep.md",
            "rm -r chapters",
        ],
    ),
    Attack(
        "in the background over a folder that is dropped",
        [Start("sleep 0.3; rm -rf data; echo x > chapters/new.md"), "rm -rf chapters", Wait()],
    ),
    Attack(
        "two at once on one file",
        [
            Start("for i in 1 2 3; do echo $i >> notes.md; sleep 0.1; done; : > keep.md"),
            Start("rm -f keep.md; sleep 0.3"),
            Wait(),
        ],
    ),
    Attack(
        "asked, and the application restarted",
        [Start("rm -rf chapters; sleep 0.2"), Wait(), Restart(), "ls chapters; rm -f keep.md"],
    ),
    Attack(
        "an unnoticed save by an editor under a deletion",
        [
            Start("sleep 0.5; rm notes.md; mv README.md notes.md"),
            Meanwhile("sleep 0.2; echo mine > n.new; mv n.new notes.md"),
            Wait(),
        ],
    ),
    # ── tools in passing ──
    one("rsync that deletes", "mkdir e; rsync -a --delete e/ chapters/", "rsync"),
    one("find that deletes", "find . -name '*.md' -not -path './.git/*' -delete"),
    one("an archive that removes what it packs", "tar --remove-files -cf a.tar chapters"),
    one("a zip that moves", "zip -qm a.zip keep.md", "zip"),
    one(
        "an archive over links",
        "mkdir d; ln -s @PARENT@/neighbour d/n; tar cf a.tar d; rm -r d; tar xf a.tar; echo x > d/n/x",
    ),
    one("split over its own source", "split -b 2 keep.md keep; mv keepaa keep.md; : > keep.md"),
    one("shred", "shred -u -n 1 keep.md"),
    one("git clean of what is ignored", "printf 'draft.txt\\n' > .gitignore; git clean -fdXq"),
    one(
        "git checkout over edits",
        "echo mine >> notes.md; git add notes.md; git checkout -q HEAD -- notes.md draft.txt; rm draft.txt",
    ),
    one(
        "git switch that discards",
        "git branch b; echo edit >> keep.md; git switch -q --discard-changes b; git branch -D main",
    ),
    one(
        "git filter-branch",
        "FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --tree-filter 'rm -f keep.md' HEAD",
    ),
)
