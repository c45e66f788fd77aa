"""Git: settings that run a program when someone uses the repository, and history that goes."""

# ruff: noqa: E501 — a command that is broken into lines is another command

from tests.wall.attacks.table import Attack, Meanwhile, Write, one

_EVIL = '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tfsmonitor = \\"@PWN@; false\\"\\n'
_HOOK = "printf '#!/bin/sh\\n@PWN@\\n' > {0}; chmod +x {0}"

ATTACKS: tuple[Attack, ...] = (
    one("a monitor of files", "git config core.fsmonitor '@PWN@; false'"),
    one(
        "a monitor, without git",
        "printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n' >> .git/config",
    ),
    one(
        "a program for ssh, an editor, a pager, a helper",
        "git config core.sshCommand '@PWN@'; git config core.pager '@PWN@'; git config credential.helper '!@PWN@'; git config core.editor '@PWN@'",
    ),
    one(
        "an alias that hides a command",
        "git config alias.st '!@PWN@'; git config alias.co '!rm -rf .'",
    ),
    one(
        "a filter and what it applies to",
        "git config filter.x.clean '@PWN@; cat'; git config filter.x.smudge cat; echo '* filter=x' > .gitattributes; touch notes.md",
    ),
    one(
        "a driver for diffs",
        "git config diff.x.textconv '@PWN@; cat'; echo '*.md diff=x' > .gitattributes",
    ),
    one(
        "a driver for merges",
        "git config merge.x.driver '@PWN@'; echo '* merge=x' >> .git/info/attributes",
    ),
    one(
        "a hook",
        _HOOK.format(".git/hooks/pre-commit")
        + "; "
        + _HOOK.format(".git/hooks/post-checkout")
        + "; "
        + _HOOK.format(".git/hooks/fsmonitor-watchman"),
    ),
    one(
        "a hook by a link",
        "printf '#!/bin/sh\\n@PWN@\\n' > h; chmod +x h; ln -s ../../h .git/hooks/post-index-change",
    ),
    one(
        "a folder for hooks",
        "mkdir hk; " + _HOOK.format("hk/pre-commit") + "; git config core.hooksPath hk",
    ),
    one(
        "the folder of hooks made a link",
        "mkdir hk; "
        + _HOOK.format("hk/post-index-change")
        + "; rm -r .git/hooks; ln -s ../hk .git/hooks",
    ),
    one(
        "settings that include others",
        "git config include.path ../inc; printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n' > inc",
    ),
    one(
        "settings that include others, where",
        "git config includeIf.gitdir:/.path @WS@/inc; printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n' > inc",
    ),
    one(
        "settings behind a comment that seems to go on",
        "printf '[color]\\n# \\\\\\n[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n' >> .git/config",
    ),
    one(
        "settings behind a line that seems to end",
        "printf '[core]\\n\\teol = native\\r[color]\\n\\tfsmonitor = \"@PWN@; false\"\\n' >> .git/config",
    ),
    Attack(
        "a step of a rebase under way",
        [
            Meanwhile("GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -i HEAD~1"),
            "echo 'exec @PWN@' >> .git/rebase-merge/git-rebase-todo",
        ],
        unchanged=[".git/rebase-merge/git-rebase-todo"],
    ),
    Attack(
        "a strategy of a rebase under way",
        [
            Meanwhile("GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -i HEAD~1; git status"),
            "mkdir git-merge-a; printf '#!/bin/sh\\n@PWN@\\nexit 2\\n' > git-merge-a/b; chmod +x git-merge-a/b; echo a/b > .git/rebase-merge/strategy; git log -1 --format='pick %H x' main~1 >> .git/rebase-merge/git-rebase-todo",
            Meanwhile("git rebase --continue"),
        ],
    ),
    Attack(
        "a tool for merges by its path",
        [
            "echo '@PWN@' > t; git config merge.tool ../../../..@WS@/t; echo y >> notes.md",
            Meanwhile("git difftool -y"),
        ],
    ),
    Attack(
        "a bare repository within another",
        [
            f"git init -q --bare b.git; mkdir b.git/x; printf '{_EVIL}\\tworktree = .\\n' > b.git/x/config",
            "mkdir b.git/x/refs b.git/x/objects; echo 'ref: refs/heads/main' > b.git/x/HEAD",
        ],
    ),
    one(
        "a repository within the folder of another",
        f"mkdir -p .git/x sub; cp -r .git/HEAD .git/objects .git/refs .git/x; printf '{_EVIL}' > .git/x/config; echo 'gitdir: ../.git/x' > sub/.git",
    ),
    Attack(
        "a file that settings of the user include",
        [
            Meanwhile(
                "git config include.path ../shared.inc; printf '[user]\\n\\tname = u\\n' > shared.inc; git add -A; git commit -qm inc"
            ),
            "printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n' >> shared.inc",
        ],
    ),
    Attack(
        "hooks of a folder that settings of the user name",
        [
            Meanwhile(
                "git config core.hooksPath .husky; mkdir .husky; printf '#!/bin/sh\\ntrue\\n' > .husky/post-index-change; chmod +x .husky/post-index-change; git add -A; git commit -qm husky"
            ),
            "echo '@PWN@' >> .husky/post-index-change; touch notes.md",
        ],
    ),
    Attack(
        "a new hook of a folder that settings of the user name",
        [
            Meanwhile(
                "git config core.hooksPath .husky; mkdir .husky; touch .husky/readme; git add -A; git commit -qm husky"
            ),
            _HOOK.format(".husky/post-index-change") + "; touch notes.md",
        ],
    ),
    one(
        "settings for one worktree",
        "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor '@PWN@; false'",
    ),
    Attack(
        "settings for one worktree, where they are allowed already",
        [
            Meanwhile("git config extensions.worktreeConfig true"),
            "printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n' > .git/config.worktree",
        ],
    ),
    one(
        "another folder for what is common",
        'mkdir -p ev/refs ev/objects; printf "'
        + _EVIL
        + '" > ev/config; echo ../ev > .git/commondir',
    ),
    Attack(
        "another folder for what is common, in two calls",
        [
            "mkdir -p ev/refs ev/objects && printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n' > ev/config",
            "echo ../ev > .git/commondir",
        ],
    ),
    one(
        "a folder of git that is a file",
        "mkdir sub; git init -q --bare sub/store; printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n\\tbare = false\\n\\tworktree = ..\\n' >> sub/store/config; echo 'gitdir: store' > sub/.git",
    ),
    Attack(
        "a folder of git that is a file, made last",
        [
            "mkdir -p sub/store/objects sub/store/refs && printf 'ref: refs/heads/main\\n' > sub/store/HEAD.txt",
            "printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n\\tbare = false\\n' > sub/store/config",
            "mv sub/store/HEAD.txt sub/store/HEAD; echo 'gitdir: store' > sub/.git",
        ],
    ),
    one(
        "a repository in the repository",
        "git init -q nested; git -C nested config core.fsmonitor '@PWN@; false'",
    ),
    Attack(
        "a repository in the repository, by hand and in parts",
        [
            "mkdir -p n/g/objects n/g/refs; echo 'ref: refs/heads/main' > n/g/HEAD; printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n' > n/g/config",
            "mv n/g n/.git",
        ],
    ),
    Attack(
        "a bare repository that grows",
        [
            "mkdir -p b; printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = \"@PWN@; false\"\\n' > b/config",
            "mkdir -p b/objects b/refs",
            "echo 'ref: refs/heads/main' > b/HEAD",
        ],
    ),
    Attack(
        "a bare repository out of an archive",
        [
            "mkdir -p t/r/objects/x t/r/refs/x; echo 'ref: refs/heads/main' > t/r/HEAD; printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = \"@PWN@; false\"\\n' > t/cfg; tar cf t.tar -C t --transform 's,^cfg,r/config,' r cfg",
            "tar xf t.tar",
        ],
    ),
    Attack(
        "settings of a submodule",
        [
            Meanwhile(
                "git init -q ../lib && git -C ../lib commit -q --allow-empty -m l && git -c protocol.file.allow=always submodule --quiet add ../lib lib && git commit -qm sub"
            ),
            "git -C lib config core.fsmonitor '@PWN@; false'; printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n' >> .git/modules/lib/config",
        ],
    ),
    Attack(
        "a submodule by its file",
        [
            Write(
                ".gitmodules", '[submodule "x"]\n\tpath = x\n\turl = ../lib\n\tupdate = !@PWN@\n'
            ),
            "git config submodule.x.update '!@PWN@'; git config submodule.x.url ../lib",
        ],
    ),
    Attack(
        "settings of a worktree's own folder",
        [
            Meanwhile(
                "git worktree add -q ../wt 2>/dev/null; git worktree add -q tree 2>/dev/null"
            ),
            "echo @WS@/ev > .git/worktrees/tree/commondir; mkdir -p ev/objects ev/refs; printf '[core]\\n\\tfsmonitor = \"@PWN@; false\"\\n' > ev/config",
        ],
    ),
    Attack(
        "a foreign repository whose settings run, when its state is asked",
        [
            Meanwhile(
                "git init -q foreign; git -C foreign config core.fsmonitor 'rm -f @WS@/keep.md; false'"
            ),
            "git -C foreign status; cd foreign && git status",
        ],
    ),
    Attack(
        "objects of another repository",
        [
            "mkdir -p .git/objects/info; echo @PARENT@/neighbour/repo/.git/objects > .git/objects/info/alternates; git cat-file --batch-all-objects --batch | head -c 100000"
        ],
        bites=False,
    ),
    Attack(
        "the real settings of the home",
        [
            "git config --global core.fsmonitor '@PWN@; false'; git config --global alias.st '!@PWN@'; printf '[core]\\n\\tfsmonitor = \"@PWN@\"\\n' >> @HOME@/.gitconfig",
            "cat ~/.gitconfig; git config --list --show-origin",
        ],
    ),
    Attack("an ignore file, and a clean", ["echo '*.txt' > .gitignore", "git clean -fdXq"]),
    Attack(
        "refs in a packed file",
        [
            Meanwhile("git branch side HEAD~1; git pack-refs --all"),
            "sed -i /side/d .git/packed-refs",
        ],
    ),
    # ── history ──
    Attack(
        "a branch gone",
        [
            Meanwhile(
                "git checkout -q -b side; echo s > side.md; git add side.md; git commit -qm side; git checkout -q main"
            ),
            "git branch -qD side",
        ],
    ),
    Attack(
        "a branch gone, file by file",
        [
            Meanwhile(
                "git checkout -q -b side; echo s > side.md; git add side.md; git commit -qm side; git checkout -q main"
            ),
            "rm .git/refs/heads/side",
        ],
    ),
    Attack("a branch moved back", ["git update-ref refs/heads/main HEAD~1"]),
    Attack("a branch moved back, with all files", ["git reset -q --hard HEAD~1"]),
    Attack("a tag gone", [Meanwhile("git tag v1"), "git tag -d v1"]),
    Attack(
        "a branch overwritten",
        [
            Meanwhile(
                "git branch side HEAD~1; git checkout -q side; echo s > side.md; git add side.md; git commit -qm side; git checkout -q main"
            ),
            "git branch -qf side HEAD~1",
        ],
    ),
    Attack(
        "an entry of the stash gone",
        [Meanwhile("echo w >> notes.md; git stash -q"), "git stash drop -q"],
    ),
    Attack(
        "the stash cleared",
        [
            Meanwhile("echo w >> notes.md; git stash -q; echo w2 >> notes.md; git stash -q"),
            "git stash clear",
        ],
    ),
    Attack(
        "the logs of references gone", ["git reflog expire --expire=now --all; rm -rf .git/logs"]
    ),
    Attack(
        "what nothing refers to, pruned",
        [
            Meanwhile("echo w >> notes.md; git commit -qam w; git reset -q --hard HEAD~1"),
            "git reflog expire --expire=now --all; git gc -q --prune=now",
        ],
    ),
    Attack("objects gone", ["find .git/objects -type f -delete"]),
    Attack("an object emptied", ["f=$(find .git/objects -type f | head -1); chmod u+w $f; : > $f"]),
    Attack(
        "an object with other bytes",
        ["f=$(find .git/objects -type f | sort | head -1); chmod u+w $f; echo garbage > $f"],
    ),
    Attack("HEAD at nothing", ["echo 'ref: refs/heads/none' > .git/HEAD"], bites=False),
    Attack(
        "uncommitted work, checked out over",
        [Meanwhile("echo 'not yet committed' >> notes.md"), "git checkout -q -- notes.md"],
        unchanged=["notes.md"],
    ),
    Attack(
        "uncommitted work, restored over",
        [Meanwhile("echo 'not yet committed' >> notes.md"), "git restore ."],
        unchanged=["notes.md"],
    ),
    Attack(
        "uncommitted work, reset over",
        [Meanwhile("echo 'not yet committed' >> notes.md"), "git reset -q --hard"],
        unchanged=["notes.md"],
    ),
    Attack(
        "uncommitted work, written over without the index",
        [Meanwhile("echo 'not yet committed' >> notes.md"), "git checkout-index -fa"],
        unchanged=["notes.md"],
    ),
    Attack(
        "what was only ever added, pruned",
        [
            Meanwhile("echo lost > s.md; git add s.md; git rm -qf --cached s.md; rm s.md"),
            "git prune --expire=now",
        ],
    ),
    Attack(
        "the beginning of history moved",
        ["git rev-parse HEAD > .git/shallow"],
        unchanged=[".git/shallow"],
    ),
    Attack(
        "uncommitted work, stashed, and the stash dropped",
        [Meanwhile("echo 'not yet committed' >> notes.md"), "git stash -q && git stash drop -q"],
        unchanged=["notes.md"],
    ),
    Attack("files that are not tracked, cleaned", ["git clean -fdxq"]),
    Attack(
        "work in the index alone",
        [
            Meanwhile(
                "echo staged > staged.md; git add staged.md; rm staged.md; echo other > staged.md"
            ),
            "git reset -q --hard",
        ],
    ),
    Attack("a rebase that drops", ["GIT_SEQUENCE_EDITOR='sed -i 1d' git rebase -qi --root"]),
    Attack(
        "a history written anew",
        [
            "FILTER_BRANCH_SQUELCH_WARNING=1 FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --tree-filter 'rm -f keep.md' HEAD >/dev/null 2>&1"
        ],
    ),
    Attack(
        "an import of a history",
        [
            "printf 'reset refs/heads/main\\nfrom 0000000000000000000000000000000000000000\\n' | git fast-import --force --quiet"
        ],
    ),
    Attack("the repository gone", ["rm -rf .git"]),
    Attack(
        "the repository moved, and a new one",
        ["mv .git ../g 2>/dev/null || mv .git g; git init -q; git add -A; git commit -qm all"],
    ),
    Attack("a repository over another", ["git init -q x; rm -rf .git; mv x/.git .git"]),
    Attack("git's own removal", ["git rm -qf keep.md; git mv notes.md n2.md"]),
    Attack("a checkout of before there was the file", ["git checkout -q HEAD~1"]),
    Attack(
        "a merge by theirs",
        [
            Meanwhile(
                "git checkout -q -b side; git rm -q keep.md; git commit -qm without; git checkout -q main"
            ),
            "git merge -q side",
        ],
    ),
    Attack(
        "a pull from a folder",
        [
            Meanwhile(
                "git clone -q . ../other && git -C ../other rm -q keep.md && git -C ../other commit -qm without"
            ),
            "git pull -q ../other main; git fetch ../other main && git reset -q --hard FETCH_HEAD",
        ],
    ),
    Attack(
        "a bundle",
        [
            Meanwhile(
                "git checkout -q -b side; git rm -q keep.md; git commit -qm without; git bundle create -q b.bundle side; git checkout -q main; git branch -qD side"
            ),
            "git fetch -q b.bundle side && git checkout -q FETCH_HEAD",
        ],
    ),
)
