"""What history a command would lose: told for real repositories, on real layers; nothing that
they configure is run.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from dogent_tui.undo.changes import Loss
from dogent_tui.wall.difference import read_difference
from dogent_tui.wall.repository import lost_history
from tests.wall.overlay import _WHO, run_on_layer

pytestmark = pytest.mark.slow


GIT = "git -c init.defaultBranch=main -c protocol.file.allow=always"


def in_bash(folder: Path, script: str) -> str:
    done = subprocess.run(
        ["bash", "-euc", script.replace("git ", f"{GIT} ")],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder.parent), **_WHO},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


AN_OBJECT = "$(find .git/objects -type f -path '*/??/*' | sort | head -n 1)"
MADE = """
git init -q .; echo 1 > a.md; echo b > b.md; mkdir ch; echo c > ch/c.md; git add .; git commit -qm one
echo 2 > a.md; git commit -qam two; echo 3 > a.md; git commit -qam three
git tag old HEAD~1; git tag -am annotated note HEAD~1
git branch merged HEAD~1; git checkout -qb side HEAD~1; echo s > side.md; git add .; git commit -qm side
git checkout -q main; echo stashed > b.md; git stash push -qm stashed; echo other > b.md; git stash push -qm other
git update-ref refs/remotes/origin/main HEAD~1
"""  # noqa: E501


@pytest.fixture
def root(tmp_path) -> Path:
    root = tmp_path / "中 文:w"
    root.mkdir()
    in_bash(root, MADE)
    return root


def lost(root: Path, command: str, *, succeeds: bool = True) -> list[str]:
    layer = run_on_layer(
        root,
        root.parent / f"layer-{len(list(root.parent.iterdir()))}",
        command.replace("git ", f"{GIT} "),
    )
    assert (layer.status == 0) is succeeds
    return [
        told(loss)
        for loss in lost_history(read_difference(layer.root, layer.upper, layer.began_ns))
    ]


def told(loss: Loss) -> str:
    name = "" if loss.kind == "stash" and len(loss.name) == 40 else loss.name
    words = (
        loss.repository if loss.repository != ".git" else "",
        loss.kind,
        name,
        loss.detail,
        *loss.paths,
    )
    return " ".join(word for word in words if word)


def test_an_object_that_only_the_reflog_names_is_a_loss(root):
    in_bash(root, f"echo y >> a.md; {GIT} commit -qam y; {GIT} commit -q --amend -m z")
    assert lost(root, "git gc -q --prune=now; git fsck --no-reflogs") == []
    assert lost(root, "rm -f .git/objects/$(git rev-parse HEAD@{1} | sed 's|^..|&/|')") == [
        "objects"
    ]


def test_a_young_object_that_nothing_names_is_a_loss(root):
    in_bash(root, "echo lost > x; git add x; git rm -qf --cached x; rm x")
    assert lost(root, "git gc -q") == []
    assert lost(root, "git prune") == ["objects"]
    in_bash(root, "find .git/objects -type f -exec touch -d '3 weeks ago' {} +")
    assert lost(root, "git prune") == []


NO_LOSS = {
    "status": "git status",
    "commit": "echo x >> a.md; git commit -qam more",
    "several commits": "for i in 1 2 3; do echo $i >> a.md; git commit -qam more; done",
    "add": "echo x >> a.md; git add .",
    "branch": "git branch new; git checkout -qb newer",
    "another branch": "git checkout -q side",
    "another branch and back": "git checkout -q side; git checkout -q main",
    "tag": "git tag new; git tag -am words newer",
    "merge": "git merge -q side -m merged",
    "fast-forward": "git checkout -q merged; git merge -q --ff-only main",
    "rebase that only goes forward": "git checkout -q merged; git rebase -q main",
    "revert": "git revert --no-edit HEAD",
    "cherry-pick": "git cherry-pick side",
    "stash": "echo x >> a.md; git stash",
    "pack-refs": "git pack-refs --all --prune",
    "gc": "git gc -q",
    "repack": "git repack -adq",
    "gc and prune what nothing names": "git gc -q --prune=now",
    "commit after packing": (
        "git gc -q; git checkout -q side; echo y >> side.md; git commit -qam side"
    ),
    "detached and back": "git checkout -q --detach; git checkout -q main",
    "bisect": "git bisect start HEAD HEAD~2; git bisect reset",
    "soft reset to what comes later": "git checkout -q merged; git reset -q --soft main",
    "edit by hand": "echo mine >> a.md",
    "edit, and status": "echo mine >> a.md; git status",
    "committed, then another branch": (
        "echo mine > a.md; git commit -qam mine; git checkout -q side"
    ),
    "fetch": (
        "git update-ref refs/remotes/origin/main HEAD; git update-ref refs/remotes/origin/new side"
    ),
    "new repository": (
        "git init -q n; cd n; echo x > x; git add .; git commit -qm x; git commit -q --amend -m y;"
        " git tag t; git tag -d t"
    ),
    "clone": "git clone -q --no-hardlinks . copy",
    "worktree": "git worktree add -q tree; cd tree; echo w > w; git add .; git commit -qm w",
    "old entries of logs": "git reflog expire --expire=1.year.ago --all",
    "chmod of objects": "chmod -R u+w .git/objects",
    "config": "git config user.name Me; git remote add origin https://example.org/x.git",
}

LOSSES = {
    "branch -D": ("git branch -q -D side", ["reference refs/heads/side 1"]),
    "branch -d": ("git branch -q -d merged", ["reference refs/heads/merged 0"]),
    "branch -M": ("git branch -M side other", ["reference refs/heads/side 0"]),
    "branch -f": ("git branch -f side main", ["history refs/heads/side 1"]),
    "packed branch -D": (
        "git pack-refs --all; git branch -q -D side",
        ["reference refs/heads/side 1"],
    ),
    "update-ref -d": ("git update-ref -d refs/heads/side", ["reference refs/heads/side 1"]),
    "rm": ("rm .git/refs/heads/side", ["reference refs/heads/side 1"]),
    "overwritten by hand": (
        "cp .git/refs/heads/merged .git/refs/heads/main",
        ["history refs/heads/main 1"],
    ),
    "tag -d": ("git tag -d old", ["reference refs/tags/old 0"]),
    "tag -f": ("git tag -f old side~0; git tag -f note HEAD~2", ["history refs/tags/note 0"]),
    "remote branch": (
        "git update-ref -d refs/remotes/origin/main",
        ["reference refs/remotes/origin/main 0"],
    ),
    "amend": ("git commit -q --amend -m better", ["history refs/heads/main 1"]),
    "reset": ("git reset -q HEAD~1", ["history refs/heads/main 1"]),
    "reset --hard": ("git reset -q --hard HEAD~2", ["history refs/heads/main 1"]),
    "rebase": ("git checkout -q side; git rebase -q main", ["history refs/heads/side 1"]),
    "stash drop": ("git stash drop -q", ["stash On main: other"]),
    "older stash drop": ("git stash drop -q stash@{1}", ["stash On main: stashed"]),
    "stash pop": ("git stash pop -q", ["stash On main: other"]),
    "stash clear": ("git stash clear", ["stash On main: stashed", "stash On main: other"]),
    "stash by hand": ("rm .git/refs/stash", ["stash"]),
    "reflog expire": (
        "git reflog expire --expire=now HEAD refs/heads/main",
        ["reflog HEAD", "reflog refs/heads/main 3"],
    ),
    "log by hand": (
        "tail -n 1 .git/logs/refs/heads/main > x; cat x > .git/logs/refs/heads/main",
        ["reflog refs/heads/main 2"],
    ),
    "log deleted": ("rm .git/logs/refs/heads/main", ["reflog refs/heads/main 3"]),
    "all logs": (
        "rm -rf .git/logs",
        ["reflog HEAD", "reflog refs/heads/main 3", "reflog refs/", "stash"],
    ),
    "all logs, by git and by hand": (
        "git reflog expire --expire=now --all; rm -rf .git/logs",
        ["reflog HEAD", "reflog refs/heads/main 3", "reflog refs/", "stash"],
    ),
    "logs that are a link now": (
        "cp -r .git/logs/refs x; rm -r .git/logs/refs; ln -s ../../x .git/logs/refs",
        ["reflog refs/", "stash"],
    ),
    "all but settings and hooks": (
        "rm -rf .git/HEAD .git/refs .git/logs .git/objects",
        ["reference refs/heads/side", "reference refs/", "reflog HEAD", "stash", "objects"],
    ),
    "objects": ("rm -r .git/objects/*/", ["objects"]),
    "object emptied": (f"f={AN_OBJECT}; chmod u+w $f; : > $f", ["objects"]),
    "object with other bytes": (f"f={AN_OBJECT}; chmod u+w $f; echo garbage > $f", ["objects"]),
    "object that lies in a pack too": (
        f"git repack -q; f={AN_OBJECT}; chmod u+w $f; echo garbage > $f",
        ["objects"],
    ),
    "one object": (
        "rm -f .git/objects/$(git rev-parse HEAD~2:a.md | sed 's|^..|&/|')",
        ["objects"],
    ),
    "what is staged": (
        "rm -f .git/objects/$(git rev-parse :ch/c.md | sed 's|^..|&/|')",
        ["objects"],
    ),
    "stash, and drop": ("git stash -q; git stash drop -q", ["uncommitted a.md ch/c.md"]),
    "stash, drop, and a commit that speaks of it": (
        (
            "git stash -q; id=$(git rev-parse stash); git stash drop -q; git commit -q"
            " --allow-empty -m $id"
        ),
        ["uncommitted a.md ch/c.md"],
    ),
    "stash, drop, logs of it by another name": (
        "git stash -q; git tag kept stash; git stash drop -q; git tag -d kept",
        ["uncommitted a.md ch/c.md"],
    ),
    "written into the objects alone": (
        "git hash-object -w a.md; git checkout -q a.md",
        ["uncommitted a.md"],
    ),
    "added, and reset": ("git add .; git reset -q --hard", ["uncommitted a.md ch/c.md"]),
    "checkout of a file": ("git checkout -- a.md", ["uncommitted a.md"]),
    "restore": ("git restore ch a.md", ["uncommitted a.md ch/c.md"]),
    "reset --hard over work": ("git reset -q --hard", ["uncommitted a.md ch/c.md"]),
    "checkout -f": ("git checkout -qf side", ["uncommitted a.md ch/c.md"]),
    "checkout without the index": ("git checkout-index -fa", ["uncommitted a.md ch/c.md"]),
    "archive over work": ("git archive HEAD | tar x", ["uncommitted a.md ch/c.md"]),
    "history cut off": ("git rev-parse HEAD > .git/shallow", ["history HEAD"]),
    "history grafted": ("git rev-parse HEAD > .git/info/grafts", ["history HEAD"]),
    "commit on no branch, left": (
        (
            "git checkout -q --detach; echo x > x; git add .; git commit -qm x; git rev-parse HEAD"
            " > ../../id; git checkout -q main"
        ),
        [],
    ),
    "all together": (
        "git reflog expire --expire=now --all; git branch -q -D side; git gc -q --prune=now",
        ["reference refs/heads/side 1", "reflog HEAD", "reflog refs/", "stash", "objects"],
    ),
}


@pytest.mark.thorough_after(6)
@pytest.mark.slow
@pytest.mark.parametrize("name", NO_LOSS)
def test_the_work_of_every_day_loses_nothing(root, name):
    assert lost(root, NO_LOSS[name]) == []


@pytest.mark.thorough_after(8)
@pytest.mark.slow
@pytest.mark.parametrize("name", LOSSES)
def test_lost_history_is_told(root, name):
    command, expected = LOSSES[name]
    if any(line.startswith("uncommitted") for line in expected):
        (root / "a.md").write_text("never committed\n")
        (root / "ch" / "c.md").write_text("nor this\n")
    found = lost(root, command)
    assert len({line for line in found for start in expected if line.startswith(start)}) >= len(
        set(expected)
    ), found
    assert all(any(line.startswith(start) for start in expected) for line in found), found


def test_commits_on_no_branch_are_history(root):
    in_bash(root, "git checkout -q --detach; echo x > x; git add .; git commit -qm x")
    assert lost(root, "git checkout -q main") == ["history HEAD 1"]
    assert lost(root, "git branch kept; git checkout -q main") == []


def test_work_that_was_stashed_or_added_before_is_not_lost(root):
    (root / "a.md").write_text("never committed\n")
    assert lost(root, "git stash -q; git checkout -q side") == []
    assert lost(root, "git add .; git commit -qm x; git checkout -q side") == []


def test_work_that_the_outcome_still_leads_to_is_not_lost(root):
    (root / "a.md").write_text("never committed\n")
    assert lost(root, "git stash -q; git tag kept stash; git stash drop -q") == []
    assert lost(root, "git stash -q; git branch kept stash; git reset -q --hard") == []
    assert lost(root, "git add .; git restore --source=HEAD --worktree a.md") == []
    assert (
        lost(
            root, "git worktree add -q tree; cp a.md tree; git -C tree add .; git checkout -q a.md"
        )
        == []
    )


def test_work_that_was_added_before_is_lost_with_the_index(root):
    (root / "a.md").write_text("never committed\n")
    in_bash(root, "git add .")
    assert lost(root, "git reset -q --hard") == ["uncommitted a.md"]
    assert lost(root, "git commit -qm x; git checkout -q side") == []


def test_a_file_as_it_was_long_ago_is_in_history_still(root):
    in_bash(root, "git reflog expire --expire=now --all; git checkout -q HEAD~2 a.md")
    assert lost(root, "git checkout -q HEAD a.md") == []


def test_stashed_work_that_git_merges_into_what_came_is_not_lost(root):
    """The text is new, but it holds the work: nobody misses the old one."""
    lines = [f"{number}\n" for number in range(20)]
    (root / "a.md").write_text("".join(lines))
    in_bash(
        root,
        "git commit -qam long; git checkout -qb came; echo 20 >> a.md; git commit -qam came; git"
        " checkout -q main",
    )
    (root / "a.md").write_text("mine\n" + "".join(lines))
    assert lost(root, "git stash -q; git merge -q came; git stash pop -q") == []
    assert lost(root, "git stash -q; git merge -q came; git stash drop -q") == ["uncommitted a.md"]


def test_work_that_git_put_by_for_a_rebase_is_not_lost(root):
    in_bash(
        root,
        "git checkout -qb rival HEAD~1; echo rival > a.md; git commit -qam rival; git checkout -q"
        " main",
    )
    (root / "b.md").write_text("never committed\n")
    assert lost(root, "git rebase -q --autostash rival", succeeds=False) == []


def test_work_that_git_put_by_is_lost_with_the_rebase_under_way_alone(root):
    editor = "GIT_SEQUENCE_EDITOR='sed -i 1ibreak'"
    in_bash(root, f"echo mine > b.md; {editor} git rebase -q --autostash -i HEAD~1")
    assert lost(root, "rm -fr .git/rebase-merge") == ["stash"]
    for way in ("abort", "continue", "quit"):
        assert lost(root, f"git rebase --{way}") == []


def test_old_entries_count_where_the_whole_log_goes(root):
    log = root / ".git" / "logs" / "HEAD"
    log.write_text(re.sub(r"> \d+", "> 1400000000", log.read_text()))
    assert lost(root, "git reflog expire --expire=1.year.ago HEAD") == []
    assert lost(root, "rm .git/logs/HEAD") == [f"reflog HEAD {len(log.read_text().splitlines())}"]


def test_packs_are_written_once_and_their_indexes_again(root):
    in_bash(root, "git gc -q; git commit-graph write; git multi-pack-index write")
    pack = "p=$(echo .git/objects/pack/*.pack); chmod u+w .git/objects/pack/* .git/objects/info/*"
    assert lost(root, f"{pack}; echo garbage >> $p") == ["objects"]
    assert lost(root, f"{pack}; : > $p") == ["objects"]
    assert lost(
        root,
        f"{pack}; echo garbage > ${{p%.pack}}.idx; echo garbage >"
        " .git/objects/pack/multi-pack-index",
    ) == ["objects"]
    again = (
        "rm .git/objects/pack/*.idx .git/objects/pack/multi*; git index-pack -o ${p%.pack}.idx $p;"
        " git multi-pack-index write"
    )
    assert (
        lost(root, f"{pack}; {again}; git commit -q --allow-empty -m x; git commit-graph write")
        == []
    )


def test_old_entries_of_a_reflog_go_by_themselves(root):
    log = root / ".git" / "logs" / "HEAD"
    lines = log.read_text().splitlines(keepends=True)
    head, zone, rest = lines[0].partition(" +0000")
    log.write_text(head[: head.rindex(">") + 1] + " 1400000000" + zone + rest + "".join(lines[1:]))
    assert lost(root, "git reflog expire --expire=1.year.ago HEAD") == []
    assert len(log.read_text().splitlines()) == len(lines)


def test_repositories_in_repositories(root):
    in_bash(
        root,
        "git init -q in/ner; cd in/ner; echo 1 > f; git add .; git commit -qm 1; echo 2 > f; git"
        " commit -qam 2; git branch x",
    )
    assert lost(root, "cd in/ner; git reset -q --hard HEAD~1; git branch -q -D x") == [
        "in/ner/.git history refs/heads/main 1",
        "in/ner/.git reference refs/heads/x 1",
    ]
    (root / "in" / "ner" / "f").write_text("never committed\n")
    assert lost(root, "cd in/ner; git checkout -q f") == ["in/ner/.git uncommitted in/ner/f"]


def test_bare_repositories(root):
    in_bash(root, "git clone -q --bare . store")
    assert lost(root, "git -C store branch -q -D side") == ["store reference refs/heads/side 1"]
    assert lost(root, "git push -q store +HEAD~1:side") == ["store history refs/heads/side 1"]
    assert lost(root, "git push -q store main:newer") == []


def test_the_workspace_itself_is_bare(tmp_path):
    root = tmp_path / "bare"
    root.mkdir()
    in_bash(
        root,
        "git init -q --bare .; git update-ref refs/heads/x $(git commit-tree -m x $(git mktree <"
        " /dev/null))",
    )
    assert lost(root, "git update-ref -d refs/heads/x") == ["reference refs/heads/x 1"]


def test_submodules(root):
    in_bash(
        root, "git clone -q . ../origin; git submodule add -q ../origin sub; git commit -qm sub"
    )
    assert lost(root, "cd sub; echo x > x; git add .; git commit -qm x") == []
    assert lost(root, "cd sub; git reset -q --hard HEAD~1") == [
        ".git/modules/sub history refs/heads/main 0"
    ]
    (root / "sub" / "a.md").write_text("never committed\n")
    assert lost(root, "cd sub; git checkout -q .") == [".git/modules/sub uncommitted sub/a.md"]


def test_worktrees(root):
    in_bash(
        root,
        "git worktree add -q tree side; git worktree add -q --detach loose; cd loose; echo x > x;"
        " git add .; git commit -qm x",
    )
    assert lost(root, "cd tree; git commit -q --amend -m other") == ["history refs/heads/side 1"]
    assert lost(root, "cd loose; git checkout -q merged") == ["history worktrees/loose/HEAD 1"]
    assert lost(root, "git worktree remove --force loose") == ["history worktrees/loose/HEAD 1"]
    assert lost(root, "git worktree remove tree") == []
    assert lost(root, "rm .git/worktrees/tree/logs/HEAD") == ["reflog worktrees/tree/HEAD 2"]
    (root / "tree" / "a.md").write_text("never committed\n")
    assert lost(root, "cd tree; git checkout -q .") == ["uncommitted tree/a.md"]
    assert lost(root, "cd tree; git stash -q; git stash drop -q") == ["uncommitted tree/a.md"]
    assert lost(root, "cd tree; git add .; git restore --source=HEAD --worktree a.md") == []


def test_a_repository_that_is_replaced_has_lost_its_references(root):
    found = lost(root, "rm -rf .git; git init -q .; git add .; git commit -qm new")
    assert "reference refs/heads/side 3" in found
    assert any(line.startswith("history refs/heads/main") for line in found)


def test_a_folder_that_is_replaced_with_its_repository(root):
    in_bash(
        root, "mkdir p; cd p; git init -q .; echo 1 > f; git add .; git commit -qm 1; git branch x"
    )
    found = lost(
        root, "rm -rf p; mkdir p; cd p; git init -q .; echo 2 > f; git add .; git commit -qm 2"
    )
    assert "p/.git reference refs/heads/x 1" in found


def test_a_repository_that_goes_as_a_whole_is_told_by_its_files(root):
    assert lost(root, "rm -rf .git") == []
    in_bash(root, "git init -q in/ner; cd in/ner; echo 1 > f; git add .; git commit -qm 1")
    assert lost(root, "mv in out") == []


def test_names_that_are_no_utf_8(root):
    in_bash(root, "git update-ref refs/heads/$'\\xff' side; git update-ref -d refs/heads/side")
    assert lost(root, "git update-ref -d refs/heads/$'\\xff'") == ["reference refs/heads/\udcff 1"]


def test_nothing_that_a_repository_configures_is_run(root, tmp_path, monkeypatch):
    """Every setting that names a program, hooks, filters, and a Git of its own in a folder that
    is on the path.
    """
    ran = tmp_path / "ran"
    script = root / "tools" / "git"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\ntouch '{ran}'\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:.:{os.environ['PATH']}")
    for name in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "gpg.program",
        "diff.external",
        "filter.x.smudge",
    ):
        in_bash(root, f"git config {name} '{script}'")
    in_bash(
        root,
        f"git config filter.x.clean '{script}'; git config core.hooksPath '{script.parent}'; echo"
        " '* filter=x' > .gitattributes",
    )
    ran.unlink(missing_ok=True)
    (root / ".git" / "config").write_text(
        (root / ".git" / "config").read_text() + f"[include]\n\tpath = {script}\n[broken"
    )
    assert lost(root, "rm .git/refs/heads/side; echo x >> .git/index; rm -r .git/objects/*/") == [
        "reference refs/heads/side 1",
        "objects",
    ]
    assert not ran.exists()


def test_without_git_all_that_moved_counts_as_lost(root, monkeypatch, tmp_path):
    layer = run_on_layer(root, tmp_path / "layer", "echo x >> a.md; git commit -qam more")
    monkeypatch.setenv("PATH", str(tmp_path))
    difference = read_difference(layer.root, layer.upper, layer.began_ns)
    assert [told(loss) for loss in lost_history(difference)] == [
        "history refs/heads/main",
        "uncommitted a.md",
    ]


def test_links_and_pipes_in_a_repository_stop_nothing(root):
    (root / ".git" / "refs" / "heads" / "around").symlink_to("..")
    os.mkfifo(root / ".git" / "refs" / "heads" / "pipe")
    assert lost(root, "rm .git/refs/heads/side") == ["reference refs/heads/side 1"]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("rm -rf .git/logs", "reflog"),
        ("git reflog expire --expire=now --all; rm -rf .git/logs", "reflog"),
        ("echo never committed >> a.md; git stash -q; git stash drop -q", ""),
        ("f=$(find .git/objects -type f | sort | head -1); chmod u+w $f; : > $f", "objects"),
        (
            "f=$(find .git/objects -type f | sort | head -1); chmod u+w $f; echo garbage > $f",
            "objects",
        ),
    ],
)
def test_files_of_a_repository_that_a_command_takes_or_damages(root, command, kind):
    found = lost(root, command)
    assert any(line.startswith(kind) for line in found) if kind else found == []


def test_uncommitted_work_is_lost_with_the_stash_that_held_it(root):
    (root / "a.md").write_text("never committed\n")
    assert lost(root, "git stash -q; git stash drop -q") == ["uncommitted a.md"]
    (root / "a.md").write_text("never committed\n")
    assert lost(root, "git stash -q") == []
