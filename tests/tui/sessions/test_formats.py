"""A conversation written to a file: Markdown, a page, JSON."""

import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dogent_tui.agent.events import (
    Attachment,
    Notice,
    PermissionDecided,
    Prompt,
    RunFinished,
    RunStarted,
    TextFinished,
    ThinkingDelta,
    Todo,
    TodosChanged,
    ToolResult,
    ToolUse,
    UiRequested,
)
from dogent_tui.tui.sessions.formats import (
    FORMATS,
    as_html,
    as_json,
    as_markdown,
    parts_of,
    written,
)
from dogent_tui.tui.transcript.model import TranscriptModel

KEY = "sk-very-secret-1234"
NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
HOSTILE = (
    'a <script>alert("1")</script> [b] \x1b[31m & ![p](http://x.example/p.png)'
    " [l](javascript:alert)\n```\nfence\n```\n" + KEY
)


def conversation(text: str = HOSTILE):
    model = TranscriptModel()
    sheet = Attachment("sales <1>.xlsx", "sales <1>.xlsx", "xlsx", "Q1")
    for event in (
        RunStarted(prompt=Prompt(text, (sheet,)), run_id="r"),
        ThinkingDelta(message_id="m", block=0, text=text, run_id="r"),
        TodosChanged(todos=(Todo("Read", "completed"), Todo("Write", "pending")), run_id="r"),
        ToolUse(tool_use_id="t", name="Bash", input={"command": f"echo {text}"}, run_id="r"),
        ToolResult(tool_use_id="t", content=text, is_error=True, run_id="r"),
        ToolUse(
            tool_use_id="u",
            name="Write",
            input={"file_path": "/w/a.md", "content": text},
            run_id="r",
        ),
        PermissionDecided(request_id="q", tool_use_id="u", decision="deny", run_id="r"),
        UiRequested(request_id="f", kind="clarification", payload={"title": text}, run_id="r"),
        Notice(level="warning", message=text, run_id="r"),
        TextFinished(
            message_id="m",
            block=1,
            text=f"# Tea\n\n{text}\n\n| a | b |\n|---|---|\n| 1 | 2 |",
            run_id="r",
        ),
        RunFinished(status="failed", duration_ms=1, reason=text, run_id="r"),
    ):
        model.apply(event)
    return written(parts_of(model.entries, "/w"), text, "id-1", "/w", NOW, [KEY])


@pytest.mark.parametrize("suffix", FORMATS)
def test_no_key_and_no_control_character_is_written(suffix):
    text = FORMATS[suffix](conversation())
    assert KEY not in text
    assert "••••" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("suffix", [".md", ".html"])
def test_when_it_was_written_reads_as_a_user_writes_it(suffix):
    assert "exported 2026-03-02 09:30." in FORMATS[suffix](conversation())


def test_json_has_all_parts_in_order():
    data = json.loads(as_json(conversation("plain")))
    assert [part["kind"] for part in data["parts"]] == [
        "prompt", "thinking", "plan", "tool", "tool", "question", "notice", "reply", "outcome",
    ]  # fmt: skip
    assert (data["session_id"], data["workspace"], data["exported"]) == (
        "id-1",
        "/w",
        "2026-03-02T09:30:00+00:00",
    )
    assert data["parts"][0] == {"kind": "prompt", "text": "plain", "files": ["sales <1>.xlsx#Q1"]}
    assert data["parts"][3]["input"] == {"command": "echo plain"}
    assert [part.get("state") for part in data["parts"][3:5]] == ["failed", "denied"]


def test_markdown_keeps_the_words_and_no_fence_is_closed_from_within():
    text = as_markdown(conversation())
    assert text.startswith("# a \\<script\\>")
    assert "## You\n\na <script>" in text
    assert "## Agent\n\n# Tea" in text
    assert "- [x] Read\n- [ ] Write" in text
    assert "- `sales <1>.xlsx#Q1`" in text
    fenced = re.findall(r"^(`{4,})\n(.*?)\n\1$", text, re.DOTALL | re.MULTILINE)
    assert len(fenced) == 2
    assert all("fence" in inner for _, inner in fenced)


VOID = ("meta", "br", "hr")
"""Elements without an end: what is written `<br />` is told as a start and an end."""


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.leads: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.leads += [
            f"{name}={value}"
            for name, value in attrs
            if name in ("src", "href") or name.startswith("on")
        ]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag in VOID or self.open.pop() == tag


def test_the_page_needs_nothing_and_runs_nothing():
    text = as_html(conversation())
    page = Page(text)
    assert not page.tags & {"script", "img", "link", "iframe", "object"}
    assert page.leads == ["href=http://x.example/p.png"]  # where the picture is, as a link
    assert "default-src 'none'" in text
    assert "prefers-color-scheme: dark" in text
    assert "<h1>Tea</h1>" in text
    assert "<table>" in text
    assert page.open == []


@given(st.text())
@example("\\\n0")
def test_any_text_leaves_the_page_whole(text):
    page = Page(as_html(conversation(text)))
    assert page.open == []
    assert not page.tags & {"script", "img", "iframe"}
    json.loads(as_json(conversation(text)))
