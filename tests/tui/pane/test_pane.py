"""The open document beside the conversation: opened, walked through, followed on the disk, asked
about.
"""

import os

import pytest
from openpyxl import Workbook

from dogent_tui.agent.events import Attachment, Prompt, RunFinished, RunStarted, ToolResult
from dogent_tui.tui.pane.view import PaneView

TEXT = """# Tea

Tea is *hot*. It wants water,
and time.

## Kinds 茶的种类

- green
- black

```py
brew = 1
drink = 2
```

## End

The last words.
"""


@pytest.fixture
def draft(workspace):
    path = workspace.root / "draft.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


class Pane:
    """What a user sees of the open document, and does to it."""

    def __init__(self, stage) -> None:
        self.stage = stage
        self.press = stage.pilot.press

    @property
    def screen(self):
        return self.stage.app.conversation

    @property
    def view(self) -> PaneView:
        return self.screen.query_one(PaneView)

    @property
    def is_seen(self) -> bool:
        return (
            bool(self.screen.query(PaneView))
            and bool(self.view.size.height)
            and self.screen.documents.pane.display
        )

    @property
    def chat_is_seen(self) -> bool:
        return self.screen.query_one("#conversation").display

    def rows(self) -> list[str]:
        return [
            "".join(segment.text for segment in self.view.render_line(y)).rstrip()
            for y in range(self.view.size.height)
        ]

    def row(self, text: str) -> int:
        return next(number for number, row in enumerate(self.rows()) if text in row)

    @property
    def title(self) -> str:
        return str(self.screen.query_one("#pane-title").render())

    @property
    def counted(self) -> str:
        return str(self.screen.documents.pane.query_one(".search--count").render())

    def chips(self) -> list[str]:
        return [
            f"{chip.name}{':' if chip.lines else ''}{chip.lines}"
            for chip in self.screen.prompt.pending.items
        ]

    async def open(self, what: str = "draft.md") -> None:
        await self.say(f"/open {what}")
        await self.stage.until(lambda: self.is_seen)
        await self.stage.settle()

    async def say(self, command: str) -> None:
        self.screen.prompt.editor.replace_all(command)
        await self.press("escape", "enter")

    async def sees(self, text: str) -> None:
        await self.stage.until(lambda: any(text in row for row in self.rows()))


async def test_beside_the_conversation(stage, draft) -> None:
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        assert "  Tea is hot. It wants water, and time." in pane.rows()
        assert pane.title == "draft.md · 25 words"
        assert pane.chat_is_seen
        assert pane.screen.prompt.editor.has_focus
        assert s.app.opened.libraries.open_document == "draft.md"
        await pane.press("f3", "right_square_bracket")
        assert pane.view.has_focus
        await pane.press("f3")
        assert pane.screen.prompt.editor.has_focus
        await pane.press("f3", "q")
        await s.until(lambda: not pane.screen.query(PaneView))
        assert pane.screen.prompt.editor.has_focus
        assert s.app.opened.libraries.open_document == ""
        await pane.press("f3")
        await s.until(lambda: "/open PATH" in s.hint)
        assert "/open PATH" in s.hint
        await pane.open()
        await pane.say("/open")
        await s.until(lambda: not pane.screen.query(PaneView))


async def test_in_a_narrow_window_one_covers_the_other(stage, draft) -> None:
    async with stage((80, 24)) as s:
        pane = Pane(s)
        await pane.open()
        assert not pane.chat_is_seen
        assert pane.view.has_focus
        assert pane.view.size.width == 80
        await pane.press("escape")
        assert pane.chat_is_seen
        assert (
            not pane.is_seen or not pane.view.size.height or not pane.screen.documents.pane.display
        )
        assert pane.screen.prompt.editor.has_focus
        await pane.press("f3")
        await s.until(lambda: pane.view.has_focus)
        pane.screen.handle(RunStarted(run_id="r", prompt=Prompt("x")))
        await s.until(lambda: pane.chat_is_seen and pane.screen.prompt.editor.has_focus)
        await s.pilot.resize_terminal(130, 30)
        await s.until(lambda: pane.chat_is_seen and pane.is_seen)


async def test_headings_are_jumped_to_and_found(stage, workspace, draft) -> None:
    draft.write_text("".join(f"## Chapter {n}\n\n{'Words of it. ' * 90}\n\n" for n in range(200)))
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        await pane.press("f3")
        await s.until(lambda: pane.view.headings)
        await pane.press("right_square_bracket", "right_square_bracket")
        assert pane.rows()[0].strip() == "Chapter 2"
        await pane.press("left_square_bracket")
        assert pane.rows()[0].strip() == "Chapter 1"
        await pane.press("h")
        await s.until(lambda: s.app.screen is not pane.screen)
        await s.pilot.pause()
        await pane.press(*"ter 150")
        await s.until(lambda: len(s.app.screen.list.items) == 1)
        await pane.press("enter")
        await s.until(
            lambda: s.app.screen is pane.screen and pane.rows()[0].strip() == "Chapter 150"
        )
        await pane.press("end")
        assert any(row.strip() for row in pane.rows())
        await pane.press("home")
        assert pane.rows()[0].strip() == "Chapter 0"
        await pane.press("pagedown")
        assert pane.rows()[0].strip() != "Chapter 0"


async def test_words_are_found_from_what_is_visible_on(stage, draft) -> None:
    part = "An *early* harvest.\n\n> It was a late\n> harvest.\n\n{}\n\n"
    draft.write_text(part.format("Words of it. " * 300) * 3, encoding="utf-8")
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        await pane.press("f3", "ctrl+f", *"LATE HARVEST")
        await s.until(lambda: pane.counted == "1 of 3")
        assert "late harvest" in pane.rows()[pane.row("late")]
        await pane.press("enter")
        await s.until(lambda: pane.counted == "2 of 3")
        await pane.press("up", "up")
        await s.until(lambda: pane.counted == "3 of 3")
        await pane.sees("late harvest")
        await pane.press("ctrl+u", *"early harvest")
        await s.until(lambda: pane.counted.endswith("of 3"))
        draft.write_text("An *early* harvest.\n", encoding="utf-8")
        pane.screen.documents.look()
        await s.until(lambda: pane.counted == "1 of 1")
        await pane.press("ctrl+u", *"winter")
        await s.until(lambda: pane.counted == "not found")
        await pane.press("escape")
        assert pane.view.has_focus
        assert not pane.screen.documents.pane.search.display
        await pane.press("f3", "ctrl+f")
        assert pane.screen.conversation_layout.search.display, "the conversation is searched"


async def test_what_is_drawn_on_one_line_is_found_over_the_line_breaks_of_the_file(
    stage, draft
) -> None:
    draft.write_text(
        "中文图书馆的段落，图书馆\n很大。\n\n> 引用图书\n> 馆很大。\n", encoding="utf-8"
    )
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        await pane.press("f3", "ctrl+f")
        pane.screen.focused.value = "图书馆很大"
        await s.until(lambda: pane.counted == "1 of 2")


async def test_what_is_drawn_is_found_and_marked(stage, draft) -> None:
    drawn = {
        "Un caf&eacute; noir.": "café",
        r"It is \*starred\* and 1\. first.": "*starred* and 1.",
        "See [the **old** map](http://example.org) of `a port`.": "old map of a port",
        "One line\\\nand the next.": "line and",
        "Not ~~the~~ *very* first\n===": "the very first",
        "> - a quoted\n>   point of it": "quoted point",
        f"| What | Why |\n| - | - |\n| {'words ' * 9}at sea | {'more ' * 40}": "words at sea",
        "```\n&amp; *code*\n```": "&amp; *code*",
    }
    draft.write_text("\n\n".join(drawn), encoding="utf-8")
    async with stage((120, 50)) as s:
        pane = Pane(s)
        await pane.open()
        await pane.press("f3", "ctrl+f")
        for typed in drawn.values():
            pane.screen.focused.value = typed
            await s.until(lambda: pane.counted == "1 of 1")
            place = pane.view.matches.place()
            line = pane.view.matches.marked(place, pane.view._rows.lines(place.row)[place.line])
            marked = "".join(span.text for span in line.spans if "match-current" in span.style)
            assert marked and typed.startswith(marked)
            pane.screen.focused.value = ""
            await s.until(lambda: not pane.counted)


async def test_f3_leaves_a_search_of_the_document_and_esc_in_it_ends_the_search(
    stage, draft
) -> None:
    async with stage((80, 24)) as s:
        pane = Pane(s)
        await pane.open()
        await pane.press("ctrl+f", *"tea", "f3")
        assert pane.screen.prompt.editor.has_focus
        assert pane.chat_is_seen
        await pane.press("f3")
        assert pane.view.has_focus
        assert pane.screen.documents.pane.search.display
        await pane.press("escape")
        assert not pane.screen.documents.pane.search.display
        assert pane.view.has_focus, "the next Esc leaves it"


async def test_another_document_is_searched_from_its_top(stage, draft, workspace) -> None:
    (workspace.root / "more.md").write_text("Tea.\n\nMore tea.\n", encoding="utf-8")
    draft.write_text("Tea, and tea.\n", encoding="utf-8")
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        await pane.press("f3", "ctrl+f", *"tea", "enter")
        await s.until(lambda: pane.counted == "2 of 2")
        await pane.press("f3")
        await pane.open("more.md")
        await s.until(lambda: "more.md" in pane.title and pane.counted == "1 of 2")


async def test_addresses_that_are_not_drawn_are_no_match(stage, draft) -> None:
    address = "http://example.org/port"
    draft.write_text(f"The [map][p] of [a port]({address}).\n\n[p]: {address}\n", encoding="utf-8")
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        assert "The map of a port." in pane.rows()[0]
        await pane.press("f3", "ctrl+f", *"port")
        await s.until(lambda: pane.counted == "1 of 1")


def write_long(workspace, rows: int) -> None:
    """Write a table that is read in several parts, with a word in its last row alone."""
    text = "".join(f"{n},words of it\n" for n in range(rows))
    (workspace.root / "long.csv").write_text(f"n,what\n{text}0,winter\n", encoding="utf-8")


async def test_the_end_of_a_long_document_is_found_before_it_was_shown(stage, workspace) -> None:
    write_long(workspace, 3_000)
    async with stage((80, 24)) as s:
        pane = Pane(s)
        await pane.open("long.csv")
        assert pane.view.has_more
        await pane.press("ctrl+f", *"winter")
        await s.until(lambda: pane.counted == "1 of 1")
        assert pane.row("winter")
        assert not pane.view.has_more


async def test_end_goes_to_the_end_of_a_document_that_is_still_to_be_read(stage, workspace) -> None:
    write_long(workspace, 1_500)
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open("long.csv")
        await pane.press("f3", "end")
        await pane.sees("winter")
        await pane.press("ctrl+f", *"750")
        await pane.sees("750 │ words")
        await pane.press("escape", "home")
        assert not any("winter" in row for row in pane.rows())


async def test_lines_are_chosen_with_keys_and_go_with_the_prompt(stage, draft) -> None:
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        await pane.press("f3", "shift+down", "down")
        await s.until(lambda: pane.chips() == ["draft.md:3-4"])
        assert "lines 3-4 will be sent with the next prompt" in pane.title
        await pane.press("J", "J", "J", "shift+up")
        await s.until(lambda: pane.chips() == ["draft.md:3-8"])
        await pane.press("escape")
        await s.until(lambda: pane.chips() == [])
        assert pane.view.has_focus, "the first Esc only lets go of the lines"
        await pane.press("shift+down", "down", "enter")
        assert pane.screen.prompt.editor.has_focus
        await s.send("Shorten this")
        assert '"lines": "3-4"' in s.conversation.sent[-1]
        await s.until(lambda: pane.chips() == [] and pane.view.chosen is None)
        assert [entry.attachment for entry in pane.screen.attachments.entries] == [
            Attachment("draft.md", "draft.md", "md")
        ]


async def test_lines_are_chosen_with_the_mouse(stage, draft) -> None:
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        await s.pilot.mouse_down(PaneView, offset=(4, pane.row("brew")))
        await s.pilot.hover(PaneView, offset=(4, pane.row("drink")))
        await s.pilot.mouse_up(PaneView, offset=(4, pane.row("drink")))
        await s.until(lambda: pane.chips() == ["draft.md:12-13"])
        assert pane.screen.prompt.editor.has_focus
        await s.pilot.hover(PaneView, offset=(4, 0))
        assert pane.chips() == ["draft.md:12-13"]
        await s.pilot.click(PaneView, offset=(4, pane.row("black")), shift=True)
        await s.until(lambda: pane.chips() == ["draft.md:9-12"])
        await pane.press("shift+tab", "delete")  # the chip is taken back
        await s.until(lambda: pane.view.chosen is None)
        assert pane.chips() == []


async def test_the_whole_document_goes_along_where_nothing_is_chosen(stage, draft) -> None:
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        await pane.press("f3", "enter")
        await s.until(lambda: pane.chips() == ["draft.md"])
        assert pane.screen.prompt.editor.has_focus


async def test_lines_can_be_named_when_it_is_opened(stage, draft, workspace) -> None:
    (workspace.root / "my draft.md").write_text("one\n\ntwo\n", encoding="utf-8")
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open("@draft.md:12-99")
        await s.until(lambda: pane.chips() == ["draft.md:12-18"])
        await pane.say("/open my draft.md")
        await s.until(lambda: "my draft.md" in pane.title)
        await s.until(lambda: pane.chips() == [])
        await pane.press("f3", "c")


async def test_it_follows_the_file_and_marks_what_the_run_changed(stage, draft) -> None:
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        await pane.press("f3", "shift+down", "down", "down", "down")
        await s.until(lambda: pane.chips() == ["draft.md:8"])
        pane.screen.handle(RunStarted(run_id="r", prompt=Prompt("x")))
        draft.write_text(
            TEXT.replace("# Tea\n", "# Tea\n\nA new line.\n").replace("drink = 2\n", ""),
            encoding="utf-8",
        )
        pane.screen.handle(ToolResult(tool_use_id="t", content=""))
        await pane.sees("A new line.")
        assert pane.rows()[pane.row("A new line.")].startswith("▎ ")
        assert pane.rows()[pane.row("Tea is hot")].startswith("  ")
        assert pane.rows()[pane.row("End")].startswith("▔ ")
        assert "2 lines changed" in pane.title
        await s.until(lambda: pane.chips() == ["draft.md:10"])
        assert pane.rows()[pane.row("• green")].startswith("  ")
        pane.screen.handle(RunFinished(run_id="r", status="completed", duration_ms=1))
        await pane.press("escape", "n")
        pane.screen.handle(RunStarted(run_id="r2", prompt=Prompt("x")))
        assert "changed" not in pane.title
        assert not pane.rows()[pane.row("A new line.")].startswith("▎")
        draft.unlink()
        await s.until(lambda: "the file is gone" in pane.title)  # by looking now and then
        await pane.sees("A new line.")
        draft.write_text("Back.\n", encoding="utf-8")
        await pane.sees("Back.")
        assert "gone" not in pane.title


async def test_the_place_is_kept_when_something_changes_above(stage, draft) -> None:
    chapters = "".join(f"## Chapter {n}\n\n{'Words of it. ' * 60}\n\n" for n in range(60))
    draft.write_text(chapters)
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        pane.view.show_line(40 * 4)
        assert pane.rows()[0].strip() == "Chapter 40"
        draft.write_text("# Title\n\n" + "One more line.\n\n" * 30 + chapters)
        os.utime(draft, ns=(1, 1))
        pane.screen.documents.look()
        await s.until(lambda: "changed" in pane.title)
        assert pane.rows()[0].strip() == "Chapter 40"


async def test_other_documents_are_converted_and_what_cannot_be_is_said(stage, workspace) -> None:
    (workspace.root / "sales.csv").write_text("month,sum\nMay,1204\n", encoding="utf-8")
    (workspace.root / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (workspace.root / "docs").mkdir()

    async with stage((120, 30)) as s:
        pane = Pane(s)

        async def said(command: str, words: str) -> None:
            await pane.say(command)
            await s.until(lambda: words in s.hint)

        await said("/open gone.md", "There is no file gone.md here.")
        await said("/open docs", "docs is a folder.")
        await said("/open broken.pdf", "broken.pdf")
        assert not pane.screen.query(PaneView)
        await pane.open("sales.csv")
        await pane.sees("May")
        assert s.app.opened.libraries.open_document == "", "a proposal is for a text"
        await pane.press("f3", "shift+down", "enter")
        await s.until(lambda: pane.chips() == ["sales.csv"])
        await said("/open broken.pdf", "broken.pdf")
        assert "sales.csv" in pane.title, "what was open stays so"


async def test_what_the_agent_has_to_obey_is_no_default_of_a_proposal(stage, workspace) -> None:
    (workspace.root / ".dogent").mkdir()
    (workspace.root / ".dogent" / "dogent.md").write_text("Obey.\n", encoding="utf-8")
    (workspace.root.parent / "outside.md").write_text("Outside.\n", encoding="utf-8")
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open(".dogent/dogent.md")
        await pane.sees("Obey.")
        assert s.app.opened.libraries.open_document == ""
        await pane.say("/open ../outside.md")
        await pane.sees("Outside.")
        assert s.app.opened.libraries.open_document == ""


async def test_a_new_conversation_has_the_document_beside_it_too(stage, draft, monkeypatch) -> None:
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open()
        await pane.press("f3", "shift+down")
        await s.until(lambda: pane.chips() == ["draft.md:1"])
        await pane.screen.show_session(s.app.opened)
        await s.until(lambda: pane.chips() == [])
        assert pane.is_seen
        assert s.app.opened.libraries.open_document == "draft.md"


async def test_a_plain_text_keeps_its_lines_and_lends_them(stage, workspace) -> None:
    text = "\n".join(["Interview", "# 8 January", "*not* a list", "", *map(str, range(1, 1400))])
    (workspace.root / "talk.txt").write_text(text, encoding="utf-8")
    async with stage((80, 24)) as s:
        pane = Pane(s)
        await pane.open("talk.txt")
        rows = ["  Interview", "  # 8 January", "  *not* a list", "", "  1", "  2"]
        assert pane.rows()[:6] == rows
        await pane.press("J", "J")
        await s.until(lambda: pane.chips() == ["talk.txt:1-2"])
        await pane.press("escape", "G")
        await pane.sees("1399")
        rows = [row.strip() for row in pane.rows()]
        assert "1398" in rows[rows.index("1397") :][:2]  # no gap where another part was read
        await pane.open("talk.txt:1397-1398")
        await s.until(lambda: pane.chips() == ["talk.txt:1397-1398"])
        await pane.sees("1394")


async def test_what_is_higher_than_expected_opens_at_its_top(stage, workspace) -> None:
    head = ",".join(f"a long name of column {number}" for number in range(7))
    rows = "\n".join("1,2,3,4,5,6,7" for _ in range(13))
    (workspace.root / "wide.csv").write_text(f"{head}\n{rows}\n", encoding="utf-8")
    async with stage((80, 24)) as s:
        pane = Pane(s)
        await pane.open("wide.csv")
        await pane.sees("a long")
        assert "a long" in pane.rows()[0]


async def test_sheets_of_a_workbook_are_named_and_changed(stage, workspace) -> None:
    book = Workbook()
    book.active.title = "Costs 2024"
    book.active.append(["Rent", 900])
    book.create_sheet("Income").append(["Tea", 1204])
    book.create_sheet("Plans").sheet_state = "hidden"
    book.save(workspace.root / "book.xlsx")
    async with stage((120, 30)) as s:
        pane = Pane(s)
        await pane.open("book.xlsx")
        assert "book.xlsx#Costs 2024 · " in pane.title
        await pane.press("f3", "h")
        await s.until(lambda: s.app.screen is not pane.screen)
        await s.until(lambda: len(s.app.screen.list.items) == 3)
        offered = [offer.name for offer in s.app.screen.list.items]
        assert offered == ["Costs 2024", "Income", "Plans (hidden)"]
        await pane.press(*"inc")
        await s.until(lambda: len(s.app.screen.list.items) == 1)
        await pane.press("enter")
        await pane.sees("1204")
        assert "book.xlsx#Income · " in pane.title
        await pane.press("f3", "f3", "enter")
        await s.until(lambda: [chip.sheet for chip in pane.screen.prompt.pending.items])
        assert [chip.sheet for chip in pane.screen.prompt.pending.items] == ["Income"]
        await pane.open("book.xlsx#Plans")
        assert pane.title.startswith("book.xlsx#Plans · The sheet “Plans” is hidden"), (
            "what is wrong is told before what is cut off"
        )


async def test_headings_of_a_converted_document(stage, workspace) -> None:
    words = "<p>words</p>" * 30
    page = f"<h1>Tea</h1>{words}<h2>Green</h2>{words}<h2>Black</h2>{words}"
    (workspace.root / "tea.html").write_text(page, encoding="utf-8")
    (workspace.root / "no.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    async with stage((80, 24)) as s:
        pane = Pane(s)

        def keys() -> list[str]:
            found = s.app.screen.active_bindings.values()
            return [each.binding.description for each in found if each.enabled]

        await pane.open("tea.html")
        await s.until(lambda: "Next heading" in keys())
        assert "Select lines" not in keys()
        await pane.press("right_square_bracket")
        await s.until(lambda: "Green" in pane.rows()[0])
        await pane.press("h")
        await s.until(lambda: s.app.screen is not pane.screen)
        await pane.press("escape")
        await pane.open("no.csv")
        await s.until(lambda: not {"Next heading", "Select lines"} & {*keys()})


async def test_code_is_code_to_its_end(stage, workspace) -> None:
    text = "\n".join(f"# line {number}" for number in range(1, 600))
    (workspace.root / "long.py").write_text(text, encoding="utf-8")
    async with stage((80, 24)) as s:
        pane = Pane(s)
        await pane.open("long.py")
        await pane.press("G")
        await s.until(lambda: "the first" not in pane.title)
        await pane.press("G")
        await pane.sees("# line 599")
