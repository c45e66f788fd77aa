"""Questions as the gate asks them."""

import difflib

from dogent_tui.agent.events import PermissionRequested, Target

ROOT = "/home/u/report"


def spans_of(command: str, *parts: str) -> tuple[tuple[int, int], ...]:
    """Where each of `parts` is in `command`."""
    return tuple((command.index(part), command.index(part) + len(part)) for part in parts)


_COMMAND = "mkdir -p archive && mv chapters/intro.md archive/ && rm -r chapters/old drafts/*.bak"

COMMAND = PermissionRequested(
    run_id="2",
    request_id="command",
    tool_use_id="t9",
    tool="Bash",
    input={"command": _COMMAND, "description": "Archive the introduction and remove old drafts"},
    sentence="Delete 3 files and move 1 in chapters/ and drafts/",
    reasons=("It deletes files.", "It moves a file away."),
    targets=(
        Target(f"{ROOT}/chapters/intro.md", "move", True, 12_400),
        Target(f"{ROOT}/chapters/old/outline [b]1[/b].md", "delete", True, 2_130),
        Target(
            "/srv/shared/figures.bak",
            "delete",
            True,
            1_240_000,
            "drafts/figures.bak is a link that points here.",
        ),
        Target(f"{ROOT}/drafts/notes.bak", "delete", False),
    ),
    spans=spans_of(_COMMAND, "mv chapters/intro.md archive/", "rm -r chapters/old drafts/*.bak"),
    words="Archive the introduction and remove old drafts",
    scopes=("once",),
    once_because="It deletes by a pattern, which may match other files the next time.",
)

_BEFORE = """# Sunday opening

The library opens on Sundays from ten to four.
Visitors asked for it in every survey since 2021.

## Costs

Two more librarians are needed.
"""
_AFTER = """# Sunday opening

The library opens on Sundays from ten to six.
Visitors asked for it in every survey since 2021, and 84 % of them would come at least once a month.

## Costs

Three more librarians are needed, says [the budget](budget.xlsx).
The café pays for itself.
"""

DIFF = PermissionRequested(
    run_id="2",
    request_id="diff",
    tool_use_id="t9",
    tool="Edit",
    input={"file_path": "/home/u/shared/plan.md", "old_string": _BEFORE, "new_string": _AFTER},
    sentence="Change plan.md, outside the workspace",
    reasons=("The file lies outside the workspace.",),
    targets=(Target("/home/u/shared/plan.md", "write", True, 2_048),),
    diff="\n".join(
        difflib.unified_diff(
            _BEFORE.splitlines(), _AFTER.splitlines(), "plan.md", "plan.md", n=2, lineterm=""
        ),
    ),
    scopes=("once", "session", "always"),
)

_LONG = "\n".join(
    [
        "set -e",
        "mkdir -p out",
        *(
            f"pandoc chapters/{number:02}.md --metadata title='Chapter {number}' -o"
            f" out/{number:02}.html"
            for number in range(1, 41)
        ),
        "rm chapters/draft.md",
    ]
)

LONG = PermissionRequested(
    run_id="2",
    request_id="long",
    tool_use_id="t9",
    tool="Bash",
    input={"command": _LONG},
    sentence="Delete chapters/draft.md",
    reasons=("It deletes a file.",),
    targets=(Target(f"{ROOT}/chapters/draft.md", "delete", True, 800),),
    spans=spans_of(_LONG, "rm chapters/draft.md"),
    words="Convert all chapters",
    scopes=("once", "session", "always"),
)

_CJK = "rm '章节/第一章 绪论：研究背景与意义.md' '章节/第二章 文献综述.md'"

CJK = PermissionRequested(
    run_id="2",
    request_id="cjk",
    tool_use_id="t9",
    tool="Bash",
    input={"command": _CJK, "description": "删除旧的章节"},
    sentence="Delete 2 files in 章节/",
    reasons=("It deletes files.",),
    targets=(
        Target(f"{ROOT}/章节/第一章 绪论：研究背景与意义.md", "delete", True, 48_200),
        Target(f"{ROOT}/章节/第二章 文献综述.md", "delete", True, 96_000),
    ),
    spans=spans_of(_CJK, "'章节/第一章 绪论：研究背景与意义.md'", "'章节/第二章 文献综述.md'"),
    words="删除旧的章节，内容已经合并到新的章节里。",
    scopes=("once", "session", "always"),
)

BARE = PermissionRequested(
    run_id="2",
    request_id="bare",
    tool_use_id="t9",
    tool="mcp__notes__store",
    input={"path": "notes/[b]x[/b].md", "tags": ["a", "b"]},
    reasons=("This tool is unknown.",),
)
"""Nothing but what the SDK says."""

EXAMPLES = {"command": COMMAND, "diff": DIFF, "long": LONG, "cjk": CJK, "bare": BARE}

HAPPENED = PermissionRequested(
    run_id="2",
    request_id="happened",
    tool_use_id="t9",
    tool="Bash",
    input={"command": "node tidy.js", "description": "Tidy the chapters"},
    sentence="The command deleted 3 files in chapters/ and changed .dogent/dogent.md",
    reasons=(
        "It deletes chapters/one.md.",
        "It changes .dogent/dogent.md, which only you may change.",
    ),
    targets=(
        Target(f"{ROOT}/chapters", "delete", note="3 files"),
        Target(f"{ROOT}/.dogent/dogent.md", "write", size=120),
    ),
    diff=(
        "--- dogent.md\n+++ dogent.md\n@@ -1,2 +1,2 @@\n # Wishes\n-Write plainly.\n+Write as you"
        " like.\n"
    ),
    words="Tidy the chapters",
    scopes=("once",),
    once_because="This place is asked about every time.",
    happened=True,
)
