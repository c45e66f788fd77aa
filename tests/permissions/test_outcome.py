"""What a command did, judged: real files before, real files in the layer, and what is put to the
user.
"""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dogent_tui.permissions.disk import Disk
from dogent_tui.permissions.grants import covering, keys_of
from dogent_tui.permissions.model import Effect, EffectKind, ToolCall
from dogent_tui.permissions.outcome import judge_outcome
from dogent_tui.permissions.paths import PathRule
from dogent_tui.permissions.policy import decide
from dogent_tui.permissions.question import ask_about
from dogent_tui.undo.changes import Change, Difference, Entry, Loss, entry_kind

CALL = ToolCall("Bash", {"command": "make", "description": "Build"})
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
GIT_INIT = (
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates ="
    " true\n"
)


def lies(path: Path) -> Entry | None:
    if not os.path.lexists(path):
        return None
    found = path.lstat()
    kind = entry_kind(found.st_mode)
    target = str(path.readlink()) if kind == "link" else ""
    return Entry(
        kind,
        found.st_size,
        stat.S_IMODE(found.st_mode),
        target,
        found.st_dev,
        found.st_ino,
        0,
        found.st_nlink,
    )


class Layer:
    """A workspace and what a command left in its layer."""

    def __init__(self, folder: Path) -> None:
        self.root, self.upper, self.home = folder / "w", folder / "upper", folder / "home"
        for each in (self.root / "sub", self.upper, self.home):
            each.mkdir(parents=True)
        for name in ("a.md", "b.md", "sub/1.md", "sub/2.md"):
            self.before(name, "old\n")
        self.changes: list[Change] = []

    def before(self, name: str, text: str = "") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def after(
        self, name: str, text: str = "new\n", mode: int | None = None, moved_from: str = ""
    ) -> None:
        path = self.upper / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(
            mode
            if mode is not None
            else (
                stat.S_IMODE((self.root / name).stat().st_mode) if lies(self.root / name) else 0o644
            )
        )
        self.note(name, moved_from=moved_from)

    def link(self, name: str, target: str) -> None:
        (self.upper / name).parent.mkdir(parents=True, exist_ok=True)
        (self.upper / name).symlink_to(target)
        self.note(name)

    def folder(self, name: str) -> None:
        (self.upper / name).mkdir(parents=True)
        self.note(name)

    def note(self, name: str, **more: str) -> None:
        self.changes.append(Change(name, lies(self.root / name), lies(self.upper / name), **more))

    def gone(self, name: str, moved_to: str = "") -> None:
        for path in (self.root / name, *sorted((self.root / name).rglob("*"))):
            below = str(path.relative_to(self.root / name)) if path != self.root / name else ""
            to = moved_to and f"{moved_to}/{below}".rstrip("/")
            self.changes.append(
                Change(str(path.relative_to(self.root)), lies(path), None, moved_to=to)
            )

    def ran(self, *command: str) -> None:
        """Really run something that only makes and changes files; its result is moved from the
        workspace to the layer.
        """
        before, after = self.root.parent / "before", self.root.parent / "after"
        shutil.copytree(self.root, before, symlinks=True)
        subprocess.run(command, cwd=self.root, check=True, env={**os.environ, **GIT})
        self.root.rename(after)
        before.rename(self.root)
        for path in sorted(after.rglob("*")):
            name = str(path.relative_to(after))
            old, new = lies(self.root / name), lies(path)
            if new.kind == "file" and old and (self.root / name).read_bytes() == path.read_bytes():
                continue
            if new.kind == "folder":
                (self.upper / name).mkdir(exist_ok=True)
            else:
                shutil.copy2(path, self.upper / name, follow_symlinks=False)
            if new.kind != "folder" or old is None:
                self.note(name)

    @property
    def rule(self) -> PathRule:
        return PathRule(self.root, self.home)

    @property
    def difference(self) -> Difference:
        return Difference(
            str(self.root),
            str(self.upper),
            0,
            tuple(sorted(self.changes, key=lambda one: one.path)),
        )

    def judged(self, *losses: Loss, allowed: tuple[Effect, ...] = ()):
        return judge_outcome(self.difference, losses, self.rule, allowed)

    def question(self, *losses: Loss):
        return ask_about(CALL, self.judged(*losses), self.root, difference=self.difference)


@pytest.fixture
def layer(tmp_path):
    return Layer(tmp_path)


def test_new_files_and_edits_are_unasked(layer):
    layer.after("a.md", "other text\n")
    layer.after("new/deep/x.md")
    layer.folder("empty")
    layer.after("run.sh", mode=0o755)
    layer.link("current.md", "sub/1.md")
    layer.link("bin/python", "/usr/bin/python3")
    layer.after(".gitignore", "*.o\n")
    layer.after(".dogent/dogent.md")
    layer.after(".dogent/dogent.json", "{}")
    assert layer.judged().verdict == "allow"


def test_the_agents_own_notes_are_its_own(layer):
    layer.before(".dogent/memory.md", "x")
    layer.gone(".dogent/memory.md")
    assert layer.judged().verdict == "allow"
    layer.changes.clear()
    layer.after(".dogent/memory.md", "")
    assert layer.judged().verdict == "allow"


def test_a_deleted_folder_is_one_place_with_its_count(layer):
    for number in range(500):
        layer.before(f"sub/deep/{number}.md", "x")
    layer.gone("sub")
    asked = layer.question()
    assert asked.sentence == "The command deleted the folder sub/ with 502 files"
    assert [(spot.path, spot.kind, spot.note) for spot in asked.targets] == [
        (str(layer.root / "sub"), "delete", "502 files")
    ]
    assert asked.rules == ("delete:sub",)


def test_what_happened_is_said_with_places_and_sizes(layer):
    layer.gone("a.md")
    layer.gone("b.md", moved_to="sub/b.md")
    layer.after("sub/b.md", "old\n", moved_from="b.md")
    layer.after("sub/1.md", "")
    asked = layer.question()
    assert asked.sentence == "The command deleted a.md, moved away b.md and changed sub/1.md"
    assert {(Path(spot.path).name, spot.kind, spot.size, spot.note) for spot in asked.targets} == {
        ("a.md", "delete", 4, ""),
        ("b.md", "move", 4, "to sub/b.md"),
        ("1.md", "write", 4, ""),
    }
    assert "It leaves sub/1.md empty." in asked.reasons
    assert asked.scopes == ("once", "session", "always")


def test_a_moved_folder_is_one_place(layer):
    layer.gone("sub", moved_to="old")
    for name in ("old/1.md", "old/2.md"):
        layer.after(name, "old\n", moved_from=name.replace("old", "sub"))
    assert [(spot.kind, spot.note) for spot in layer.question().targets] == [
        ("move", "to old; 2 files")
    ]


def test_what_is_taken_out_of_a_folder_that_goes_is_told_apart(layer):
    layer.gone("sub")
    layer.changes = [one for one in layer.changes if one.path != "sub/1.md"]
    layer.changes.append(Change("sub/1.md", lies(layer.root / "sub/1.md"), None, moved_to="1.md"))
    layer.after("1.md", "old\n", moved_from="sub/1.md")
    assert {(effect.kind.value, effect.path.name) for effect in layer.judged().asked} == {
        ("delete", "sub"),
        ("move", "1.md"),
    }


@pytest.mark.parametrize(
    ("mode", "words"),
    [(0o755, "permissions of a.md from 644 to 755"), (0o4644, "setuid"), (0o000, "from 644 to 0")],
)
def test_changed_permissions(layer, mode, words):
    (layer.root / "a.md").chmod(0o644)
    layer.after("a.md", "old\n", mode=mode)
    (reason,) = layer.judged().reasons
    assert words in reason


def test_kinds_that_are_no_files(layer):
    os.mkfifo(layer.upper / "pipe")
    layer.note("pipe")
    layer.folder("a.md")
    layer.link("b.md", "a.md")
    assert layer.judged().reasons == (
        "a.md was a file and is now a folder.",
        "b.md was a file and is now a link.",
        "pipe is now a pipe.",
    )


@pytest.mark.parametrize(
    "target",
    [
        "/etc/passwd", "../../x", "../../home", "/", "../..", "hop/x", "/dev/null", "/dev/tty",
        "/proc/self/cwd/x", "/dev/fd/../cwd/x", "/proc/self/fd/3",
    ],
)  # fmt: skip
def test_links_that_lead_outside(layer, target):
    layer.link("hop", "..")
    layer.changes.clear()
    layer.changes.append(Change("hop", None, lies(layer.upper / "hop")))
    layer.link("sub/link", target if target != "hop/x" else "../hop/x")
    asked = layer.judged()
    assert (
        f"The link sub/link points outside the workspace: {layer.changes[-1].after.target}"
        in asked.reasons
    )
    assert not asked.rememberable


@pytest.mark.parametrize(
    ("target", "verdict"),
    [("../notes/x", "allow"), ("hop/../x", "ask"), ("../hop/./../x", "ask"), ("none/..", "ask")],
)
def test_a_link_through_what_may_become_a_link_is_asked_about(layer, target, verdict):
    layer.folder("hop")
    layer.link("sub/link", target)
    assert layer.judged().verdict == verdict


@pytest.mark.parametrize(
    "name",
    [
        ".mcp.json",
        ".envrc",
        ".vscode/tasks.json",
        ".vscode/settings.json",
        "sub/.vscode/tasks.json",
        ".idea/runConfigurations/x.xml",
        ".claude/settings.json",
        ".CLAUDE/agents/x.md",
        ".husky/pre-commit",
        ".githooks/x",
        ".bashrc",
        ".npmrc",
        "sub/.nvim.lua",
        ".helix/languages.toml",
        "book.code-workspace",
        ".vscode/mcp.json",
        ".devcontainer.json",
        ".local/bin/ls",
        ".Rprofile",
        "sub/.latexmkrc",
        ".lefthook-local.json",
        "mise.local.toml",
        ".yarnrc",
        ".dir-locals-2.el",
        ".jj/repo/config.toml",
        ".cargo/config.toml",
        "notes/.obsidian/plugins/x/main.js",
        ".git/hooks/pre-commit",
        "sub/.git/hooks/post-checkout",
        ".git/modules/lib/hooks/pre-push",
        ".GIT/hooks/pre-commit",
    ],
)
def test_what_would_run_later_outside_the_wall_is_asked_about_when_it_is_new(layer, name):
    layer.after(name, "x\n")
    asked = layer.question()
    assert asked.sentence.startswith("The command created ")
    assert "+x" in asked.diff
    assert asked.scopes == ("once",)


def test_a_protected_file_is_shown_with_its_change(layer):
    layer.before(".dogent/dogent.md", "one\ntwo\n")
    layer.after(".dogent/dogent.md", "one\n2\n")
    asked = layer.question()
    assert asked.sentence == "The command changed .dogent/dogent.md"
    assert asked.diff.split("\n")[3:] == [" one", "-two", "+2", " "]


def test_a_folder_with_a_protected_file_continuesly_once(layer):
    layer.before(".dogent/dogent.md", "x")
    layer.gone(".dogent")
    asked = layer.judged()
    assert (asked.verdict, asked.rememberable) == ("ask", False)


def repository(layer, config=GIT_INIT, at=".git"):
    for name, text in (
        ("HEAD", "ref: refs/heads/main\n"),
        ("config", config),
        ("objects/info/x", ""),
        ("refs/heads/main", f"{'a' * 40}\n"),
    ):
        layer.before(f"{at}/{name}", text)


def test_what_git_does_in_its_own_folder_is_unasked(layer):
    repository(layer)
    layer.before(".git/MERGE_HEAD", "b" * 40)
    layer.gone(".git/MERGE_HEAD")
    layer.gone(".git/refs/heads/main")
    layer.after(".git/packed-refs", "x")
    layer.after(".git/index", "x")
    layer.after(".git/objects/ab/cd", "x", mode=0o444)
    layer.after(".git/hooks/pre-commit.sample", "#!/bin/sh\n", mode=0o755)
    assert layer.judged().verdict == "allow"
    layer.gone(".git/config")
    assert layer.judged().targets == (str(layer.root / ".git/config"),)


@pytest.mark.parametrize(
    "name",
    [
        ".git/lfs/objects/ab/cd/abcd", ".git/annex/objects/f", ".git/notes.txt", ".git/HEAD",
        ".git/info/exclude",
    ],
)  # fmt: skip
def test_what_git_itself_never_deletes_in_its_folder_is_asked_about(layer, name):
    repository(layer)
    layer.before(name, "data of the user's\n")
    layer.gone(name)
    assert layer.judged().targets == (str(layer.root / name),)


def test_what_other_tools_keep_in_the_folder_of_git_is_edited_but_not_emptied_unasked(layer):
    repository(layer)
    layer.before(".git/svn/.metadata", "one\n")
    layer.after(".git/svn/.metadata", "two\n")
    layer.after(".git/lfs/objects/ab/new", "x")
    assert layer.judged().verdict == "allow"
    layer.before(".git/lfs/objects/ab/abcd", "picture\n")
    layer.after(".git/lfs/objects/ab/abcd", "")
    assert layer.judged().targets == (str(layer.root / ".git/lfs/objects/ab/abcd"),)


def test_the_head_of_a_bare_repository_is_not_deleted_unasked(layer):
    repository(layer, at="book.git")
    layer.gone("book.git/HEAD")
    assert layer.judged().targets == (str(layer.root / "book.git/HEAD"),)


def test_a_new_repository_is_unasked_and_a_whole_one_that_goes_is_not(layer):
    layer.after(".git/HEAD", "ref: refs/heads/main\n")
    layer.after(".git/config", GIT_INIT)
    for name in ("refs", "objects"):
        layer.folder(f".git/{name}")
    layer.after("bare.git/HEAD", "ref: refs/heads/main\n")
    layer.after("bare.git/config", GIT_INIT.replace("false", "true"))
    for name in ("refs", "objects"):
        layer.folder(f"bare.git/{name}")
    assert layer.judged().verdict == "allow"
    layer.changes.clear()
    repository(layer, at="lib/.git")
    layer.gone("lib/.git")
    assert layer.question().sentence == "The command deleted the folder lib/.git/ with 4 files"


@pytest.mark.parametrize(
    "setting",
    [
        '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n',
        (
            '[remote "origin"]\n\turl = https://example.org/x.git\n\tfetch ='
            " +refs/heads/*:refs/remotes/origin/*\n"
        ),
        '[remote "origin"]\n\turl = git@example.org:x/y.git\n',
        '[remote "near"]\n\turl = ../bare.git\n',
        "[user]\n\tname = A B\n\temail = a@example.org\n",
        "[core]\n\tautocrlf = input\n\tfsmonitor = false\n",
        "[pull]\n\trebase = true\n# a comment\n",
        "[format]\n\tpretty = oneline\n[merge]\n\ttool = vimdiff\n[gc]\n\tauto = 0\n",
    ],
)
def test_settings_that_run_nothing_are_unasked(layer, setting):
    repository(layer)
    layer.after(".git/config", GIT_INIT + setting)
    assert layer.judged().verdict == "allow"


@pytest.mark.parametrize(
    ("setting", "key"),
    [
        ("[core]\n\thooksPath = hooks\n", "core.hookspath"),
        ("[core]\n\tfsmonitor = ./x.sh\n", "core.fsmonitor"),
        ("[core]\n\tworktree = /home\n", "core.worktree"),
        ('[remote "o"]\n\tfetch = +refs/heads/*:refs/heads/*\n', "remote.o.fetch"),
        ('[remote "o"]\n\tpush = :main\n\tmirror = true\n', "remote.o.mirror, remote.o.push"),
        ("[alias]\n\tst = !rm a\n", "alias.st"),
        ('[filter "x"]\n\tclean = rm a\n', "filter.x.clean"),
        ('[diff "x"]\n\ttextconv = rm a\n', "diff.x.textconv"),
        ("[include]\n\tpath = ../evil\n", "include.path"),
        ('[url "ext::sh -c x"]\n\tinsteadOf = https://example.org\n', "url.ext::sh -c x.insteadof"),
        ('[remote "origin"]\n\turl = ext::sh -c rm\n', "remote.origin.url"),
        ('[remote "origin"]\n\tuploadpack = ./x\n', "remote.origin.uploadpack"),
        ("[credential]\n\thelper = !x\n", "credential.helper"),
        ("[gc]\n\trecentObjectsHook = x\n", "gc.recentobjectshook"),
        ("[core]\n\tpager = x\n\tsshCommand = y\n", "core.pager"),
        ("[merge]\n\ttool = ../../../x\n", "merge.tool"),
        ("not a setting = x\n[\n", "settings that cannot be read"),
    ],
)
@pytest.mark.parametrize("at", [".git", "lib/.git", "bare", ".git/modules/lib", ".git/worktrees/w"])
def test_settings_by_which_git_runs_something_are_asked_about(layer, at, setting, key):
    repository(layer, at=at)
    name = "config.worktree" if "worktrees" in at else "config"
    layer.before(f"{at}/{name}", GIT_INIT)
    layer.after(f"{at}/{name}", GIT_INIT + setting)
    asked = layer.judged()
    assert asked.verdict == "ask"
    assert not asked.rememberable
    assert key in asked.reasons[0]


def test_the_folder_of_a_bare_repository_hides_no_deletion(layer):
    repository(layer, at="sub")
    layer.gone("sub/1.md")
    assert layer.judged().verdict == "ask"
    layer.changes.clear()
    layer.before("sub/refs/book.bib", "@book{a}\n")
    layer.gone("sub/refs/book.bib")
    assert layer.judged().verdict == "ask"
    layer.changes.clear()
    layer.gone("sub/refs/heads/main")
    assert layer.judged().verdict == "allow"


def test_a_folder_that_becomes_a_repository_is_looked_at_as_a_whole(layer):
    layer.before("kit/config", "[core]\n\tfsmonitor = ./x.sh\n")
    layer.before("kit/refs/x", "")
    layer.before("kit/objects/x", "")
    layer.after("kit/HEAD", "ref: refs/heads/main\n")
    assert "treats kit as a repository" in layer.judged().reasons[0]


def test_nor_is_one_that_lies_in_a_bare_repository_overlooked(layer):
    repository(layer, at="bare")
    layer.before("bare/kit/config", "[core]\n\tfsmonitor = ./x.sh\n")
    layer.before("bare/kit/refs/x", "")
    layer.before("bare/kit/objects/x", "")
    layer.after("bare/kit/HEAD", "ref: refs/heads/main\n")
    assert "treats kit as a repository" in layer.judged().reasons[0]


def test_a_folder_whose_repository_is_elsewhere_is_one(layer):
    layer.before("kit/commondir", "../other\n")
    layer.after("kit/HEAD", "ref: refs/heads/main\n")
    assert "treats kit as a repository" in layer.judged().reasons[0]
    layer.changes.clear()
    layer.before("kit/HEAD", "ref: refs/heads/main\n")
    layer.after("kit/commondir", "../settings\n")
    assert layer.judged().reasons == ("kit/commondir controls which programs Git runs.",)


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        ("pick 1234567 one\nlabel x\n", "allow"),
        ("exec make\npick 1234567 one\n", "allow"),
        ("pick 1234567 one\n  x rm a\n", "ask"),
        ("pick 1234567 one\nexec rm a\n# \0\n", "ask"),
    ],
)
def test_what_a_rebase_under_way_would_run_is_asked_about(layer, steps, verdict):
    repository(layer)
    layer.before(".git/rebase-merge/git-rebase-todo", "exec make\n")
    layer.after(".git/rebase-merge/git-rebase-todo", steps)
    assert layer.judged().verdict == verdict


@pytest.mark.parametrize(
    ("name", "text", "verdict"),
    [
        ("rebase-merge/strategy", "ours\n", "allow"),
        ("rebase-merge/strategy", "kit/run\n", "ask"),
        ("sequencer/opts", "[options]\n\tstrategy-option = theirs\n", "allow"),
        ("sequencer/opts", "[options]\n\tstrategy = kit/run\n", "ask"),
    ],
)
def test_a_strategy_that_git_would_run_when_it_continues_is_asked_about(layer, name, text, verdict):
    repository(layer)
    layer.after(f".git/{name}", text)
    assert layer.judged().verdict == verdict


def test_a_workspace_that_looks_like_a_repository_itself_is_guarded_like_any_other(layer):
    repository(layer, at=".")
    repository(layer)
    layer.before(".dogent/dogent.md", "x")
    layer.after("a.md", "")
    layer.after(".mcp.json", "{}")
    layer.after(".dogent/dogent.md", "y")
    layer.after(".git/config", "[core]\n\tpager = x\n")
    layer.after(".git/hooks/pre-push", "x")
    layer.gone("b.md")
    layer.before("index", "x")
    layer.gone("index")
    asked = {Path(effect.path).name for effect in layer.judged().asked}
    assert asked == {"a.md", ".mcp.json", "dogent.md", "config", "pre-push", "b.md", "index"}


def test_a_link_that_stands_for_a_folder_of_settings_is_asked_about(layer):
    repository(layer)
    layer.after("kit/tasks.json", "{}")
    layer.link(".vscode", "kit")
    layer.link("sub/.git", "../kit")
    layer.link(".git/modules/x", "../../kit")
    layer.link(".claude", "kit")
    assert len(layer.judged().asked) == 4


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("gitdir: ../.git/modules/sub\n", "allow"),
        ("gitdir: ../.git/kit\n", "ask"),
        ("gitdir: ../.git/modules\n", "ask"),
        ("gitdir: ../kit\n", "ask"),
        ("gitdir: /etc\n", "ask"),
        ("gitdir: ../../elsewhere/.git\n", "ask"),
    ],
)
def test_a_file_that_stands_for_a_repository(layer, text, verdict):
    repository(layer)
    layer.after("sub/.git", text)
    assert layer.judged().verdict == verdict


def test_submodules_are_named_by_harmless_addresses_only(layer):
    layer.after(".gitmodules", '[submodule "x"]\n\tpath = x\n\turl = https://example.org/x.git\n')
    assert layer.judged().verdict == "allow"
    layer.after(
        ".gitmodules",
        '[submodule "x"]\n\tpath = x\n\turl = https://example.org/x.git\n\tupdate = !rm a\n',
    )
    assert layer.judged().verdict == "ask"


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (Loss("", "reference", "refs/heads/draft"), "refs/heads/draft is gone"),
        (
            Loss("lib", "history", "refs/heads/main", "3 commits"),
            "In the Git repository lib, refs/heads/main no longer reaches",
        ),
        (Loss("", "stash"), "Stashed changes"),
        (Loss("", "reflog", "HEAD"), "The reflog of HEAD"),
        (Loss("", "objects"), "are gone from the Git repository"),
        (Loss("", "uncommitted", paths=("a.md", "sub/1.md")), "Uncommitted changes"),
    ],
)
def test_lost_history_is_put_in_words(layer, loss, words):
    asked = layer.question(loss)
    assert asked.sentence == "The command lost history or uncommitted changes in a Git repository"
    assert words in asked.reasons[0]
    assert asked.scopes == ("once",)


def test_what_was_allowed_before_it_ran_is_not_asked_about_again(layer):
    early = decide(
        ToolCall("Bash", {"command": "rm -r sub; git branch -D x"}), layer.root, layer.home
    )
    layer.gone("sub")
    assert (
        layer.judged(Loss("", "reference", "refs/heads/x"), allowed=early.asked).verdict == "allow"
    )
    assert layer.judged(Loss("", "stash"), allowed=early.asked).verdict == "ask"
    layer.gone("a.md")
    left = layer.judged(allowed=early.asked)
    assert left.targets == (str(layer.root / "a.md"),)


def test_a_grant_of_commands_covers_what_happened(layer):
    layer.gone("a.md")
    decision = layer.judged()
    early = decide(ToolCall("Bash", {"command": "rm a.md"}), layer.root, layer.home)
    assert keys_of(early) == keys_of(decision)
    assert covering(keys_of(early), decision)
    layer.gone("b.md")
    assert not covering(keys_of(early), layer.judged())
    tool = decide(ToolCall("mcp__files__delete_file", {"path": "a.md"}), layer.root, layer.home)
    assert tool.asked[0].kind is EffectKind.TOOL
    assert not covering(keys_of(tool), decision)
    layer.changes.clear()
    layer.after("b.md", "old\n", mode=0o755)
    rights = layer.judged()
    (layer.upper / "b.md").unlink()
    layer.changes.clear()
    layer.folder("b.md")
    assert covering(keys_of(rights), rights)
    assert not covering(keys_of(rights), layer.judged())


def test_a_new_program_that_is_found_before_another_is_asked_about(layer, monkeypatch):
    monkeypatch.setenv("PATH", f"{layer.root}/bin:modules/.bin:{os.environ['PATH']}")
    layer.after("bin/tool-of-this-project")
    layer.after("lib/git")
    assert layer.judged().verdict == "allow"
    layer.after("modules/.bin/git")
    assert layer.judged().targets == (str(layer.root / "modules/.bin/git"),)


def test_a_new_program_that_the_application_would_find_is_asked_about(layer, monkeypatch):
    monkeypatch.setenv("PATH", str(layer.root / "bin"))
    layer.after("lib/wl-copy")
    layer.after("bin/tool-of-this-project")
    assert layer.judged().verdict == "allow"
    layer.after("bin/wl-copy")
    assert layer.judged().targets == (str(layer.root / "bin/wl-copy"),)


@pytest.mark.thorough
@pytest.mark.slow
def test_ten_thousand_new_files_are_judged_quickly_enough_to_be_judged_at_all(layer):
    entry = Entry("file", 3, 0o644)
    layer.changes = [
        Change(f"out/{number // 100}/{number}.md", None, entry) for number in range(10_000)
    ]
    assert layer.judged().verdict == "allow"


def test_the_store_of_permissions_is_never_offered(layer):
    rule = PathRule(layer.root, layer.root)
    layer.after(".dogent/permissions.json", "{}")
    assert judge_outcome(layer.difference, (), rule).verdict == "deny"


def test_our_own_folders_in_a_workspace_around_them_are_asked_about(layer):
    rule = PathRule(layer.root, layer.home, (layer.root / "own",))
    layer.after("own/claude.json", "{}")
    assert judge_outcome(layer.difference, (), rule).reasons == (
        f"It writes outside the workspace: {layer.root}/own/claude.json",
    )


@pytest.fixture
def committed(layer):
    """A workspace whose repository holds settings of the agent and a hook's folder."""
    for name in (".claude/settings.json", ".husky/pre-commit"):
        layer.before(name, "{}\n")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"], ["branch", "feature"]):
        subprocess.run(["git", *command], cwd=layer.root, check=True, env={**os.environ, **GIT})
    return layer


@pytest.mark.parametrize(
    "command",
    [
        ("git", "worktree", "add", "-q", "tree", "feature"),
        ("git", "worktree", "add", "-q", "sub/tree", "feature"),
        ("git", "clone", "-q", ".", "copy"),
        ("git", "clone", "-q", "--bare", ".", "copy.git"),
    ],
)
def test_another_checkout_of_the_same_files_is_unasked(committed, command):
    committed.ran(*command)
    assert any(change.path.endswith("HEAD") for change in committed.changes)
    assert committed.judged().reasons == ()


def test_another_checkout_with_other_settings_is_not(committed):
    committed.before(".claude/settings.json", '{"mine": 1}\n')
    committed.ran("git", "worktree", "add", "-q", "tree", "feature")
    assert [effect.written for effect in committed.judged().asked] == ["tree/.claude/settings.json"]


def test_a_copy_of_settings_elsewhere_than_in_a_checkout_is_asked_about(committed):
    committed.after("sub/.claude/settings.json", "{}\n")
    assert committed.judged().verdict == "ask"


def test_an_environment_of_the_python_that_commands_see_is_unasked(layer):
    layer.ran(sys.executable, "-m", "venv", "--without-pip", "env")
    seen = (Path(sys.prefix), Path(sys.base_prefix))
    assert judge_outcome(layer.difference, (), layer.rule, visible=seen).reasons == ()


def test_a_pipe_is_never_waited_for(layer):
    for name in (".mcp.json", ".git/config", "sub/.git", ".gitmodules"):
        layer.before(name, "x")
        (layer.upper / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(layer.upper / name)
        layer.note(name)
    assert layer.question().diff == ""
    assert Disk().text(str(layer.upper / ".mcp.json"), 10) is None


def test_a_file_that_the_settings_of_git_include_is_settings_too(layer):
    repository(layer, config=f"{GIT_INIT}[include]\n\tpath = ../shared.inc\n")
    layer.before("shared.inc", "[user]\n\tname = Ada\n")
    layer.after("shared.inc", "[user]\n\tname = Grace\n")
    assert layer.judged().verdict == "allow"
    layer.changes.clear()
    layer.after("shared.inc", '[core]\n\tfsmonitor = "touch ran"\n')
    assert layer.judged().verdict == "ask"


@pytest.mark.parametrize(
    ("config", "setting"),
    [
        ("w/.git/config.worktree", "[include]\n\tpath = ../sub/shared.inc\n"),
        ("w/sub/.git/config", '[includeIf "gitdir:/"]\n\tpath = ../shared.inc\n'),
        ("home/.gitconfig", "[include]\n\tpath = ../w/sub/shared.inc\n"),
        ("home/.config/git/config", "[include]\n\tpath = ~/more\n"),
        (".git/config", "[include]\n\tpath = ../w/sub/shared.inc\n"),
        ("w/.git/config", "[core]\n\thooksPath = sub\n"),
        ("home/.gitconfig", "[core]\n\thooksPath = ./sub\n"),
    ],
)
def test_what_any_settings_of_git_include_or_run_is_asked_about(layer, config, setting):
    repository(layer)
    (layer.home / "more").write_text("[include]\n\tpath = ../w/sub/shared.inc\n")
    layer.before("sub/shared.inc", "[user]\n\tname = Ada\n")
    layer.after("sub/shared.inc", '[core]\n\tfsmonitor = "touch ran"\n')
    layer.after("sub/1.md")
    assert layer.judged().verdict == "allow"
    layer.changes.clear()
    settings = layer.root.parent / config
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(setting)
    layer.after("sub/shared.inc", '[core]\n\tfsmonitor = "touch ran"\n')
    assert layer.judged().verdict == "ask"


def test_what_the_settings_of_a_linked_worktree_include_is_asked_about(layer):
    repository(layer, at="main/.git")
    layer.before("main/.git/worktrees/tree/commondir", "../..\n")
    layer.before("main/.git/config", f"{GIT_INIT}[include]\n\tpath = ../../tree/shared.inc\n")
    layer.before("tree/.git", f"gitdir: {layer.root}/main/.git/worktrees/tree\n")
    layer.before("tree/shared.inc", "[user]\n\tname = Ada\n")
    layer.after("tree/shared.inc", '[alias]\n\tst = "!touch ran"\n')
    assert layer.judged().verdict == "ask"
