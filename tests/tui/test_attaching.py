"""Attachments and the plan in the whole application, by their keys."""

import zipfile

import pymupdf

from dogent_tui.agent.conversation import TurnEnded
from dogent_tui.agent.events import Todo, TodosChanged

_WORKBOOK = (
    '<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '<sheets><sheet name="My costs" sheetId="1"/></sheets></workbook>'
)


def said(stage) -> str:
    toasts = [str(notification.message) for notification in stage.app._notifications]
    return "\n".join([*toasts, stage.app.conversation.query_one("#prompt-hint").render().plain])


async def test_attach_takes_a_sheet_shows_a_chip_and_lets_it_be_taken_back(stage, workspace):
    with zipfile.ZipFile(workspace.root / "book.xlsx", "w") as workbook:
        workbook.writestr("[Content_Types].xml", "<Types/>")
        workbook.writestr("xl/workbook.xml", _WORKBOOK)
    async with stage(size=(80, 24)) as s:
        strip = s.app.conversation.prompt.pending
        for written in (
            '/attach @book.xlsx#"My costs" ',
            "/attach notes.md ",
            "/attach @nothing.md ",
        ):
            s.app.conversation.prompt.editor.show(written)
            await s.pilot.press("enter")
            await s.until(lambda: not s.app.conversation.prompt.editor.value)
        await s.until(lambda: "There is no file @nothing.md here." in said(s))
        await s.until(lambda: len(strip.items) == 2)
        assert not s.app.conversation.conversation_layout.sidebar.display
        assert [(chip.mark, chip.name, chip.sheet) for chip in strip.items] == [
            ("+", "book.xlsx", "My costs"),
            ("+", "notes.md", ""),
        ]
        await s.pilot.press("shift+tab", "enter")
        await s.until(lambda: "damaged" in said(s))
        await s.pilot.press("right", "delete")
        await s.until(lambda: len(strip.items) == 1)
        assert "notes.md won't be sent with the next prompt." in said(s)
        await s.pilot.press("escape")
        await s.send("go")
        assert '"sheet": "My costs"' in s.conversation.sent[0]
        assert "notes.md" not in s.conversation.sent[0]
        assert not strip.display


async def test_enter_opens_an_attachment_beside_the_conversation(stage, workspace):
    with pymupdf.open() as pdf:
        for number in range(2):
            pdf.new_page().insert_text((72, 72), f"This is page {number + 1} of the minutes.")
        pdf.set_metadata({"title": "Minutes \x1b[31m", "author": "Ann"})
        pdf.save(workspace.root / "minutes.pdf")
    (workspace.root / "roof.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 64)
    async with stage(size=(150, 30)) as s:
        await s.send("Compare @minutes.pdf and @roof.png ")
        await s.until(lambda: len(s.app.conversation.attachments.entries) == 2)
        await s.pilot.press("ctrl+b", "home", "enter")
        await s.until(lambda: s.app.conversation.has_document)
        view = s.app.conversation.documents.view
        await s.until(lambda: view.has_focus)
        rows = "\n".join(view.render_line(y).text for y in range(view.size.height))
        assert "This is page 1 of the minutes." in rows
        assert "— page 2 —" in rows
        title = str(s.app.conversation.query_one("#pane-title").render())
        assert title.startswith("minutes.pdf · pdf · 2 pages · ")
        assert "by Ann" in title
        assert "\x1b" not in title
        await s.pilot.press("escape")
        assert s.app.conversation.prompt.editor.has_focus
        await s.pilot.press("ctrl+b", "end", "enter")
        await s.until(lambda: "roof.png is an image" in said(s))
        assert s.app.conversation.documents.shows("minutes.pdf"), "what was open stays so"


async def test_what_was_sent_can_be_taken_off_the_list(stage):
    async with stage(size=(140, 30)) as s:
        await s.send("Write on @notes.md ")
        s.conversation.arrive(TurnEnded("completed"))
        await s.until(lambda: s.app.conversation.attachments.entries)
        await s.pilot.press("ctrl+b", "delete")
        await s.until(lambda: not s.app.conversation.attachments.entries)
        assert "notes.md is no longer listed. The agent keeps what it has read of it." in said(s)

        def hints() -> str:
            return s.app.conversation.query_one("#keys").render().plain

        await s.until(lambda: all(words in hints() for words in ("Remove", "Add", "Open")))


async def test_ctrl_t_shows_and_hides_the_plan(stage):
    async with stage(size=(80, 24)) as s:
        panel = s.app.conversation.todos
        await s.send("go")
        await s.pilot.press("ctrl+t")
        assert "no plan yet" in said(s)
        todos = tuple(
            Todo(f"Step {number} [/b]", "completed" if number < 20 else "pending")
            for number in range(30)
        )
        s.conversation.arrive(TodosChanged(todos=todos))
        await s.until(lambda: panel.display and panel.size.height > 2)
        drawn = str(panel.render())
        assert "20 of 30 done" in drawn
        assert "✓ Step 19 [/b]" in drawn
        assert "○ Step 20 [/b]" in drawn
        assert s.app.conversation.transcript.size.height > 8
        assert "Ctrl+T hides" in drawn
        await s.pilot.press("ctrl+t")
        assert not panel.display
        await s.pilot.press("ctrl+t")
        assert panel.display


async def test_what_names_a_key_names_the_one_that_does_it(stage):
    async with stage(size=(130, 30)) as s:
        panel = s.app.conversation.todos
        s.app.use_keys({"plan": "f8", "document": "ctrl+f9"})
        await s.send("go")
        s.conversation.arrive(TodosChanged(todos=(Todo("Step", "pending"),)))
        await s.pilot.press("f8")
        await s.until(lambda: panel.display)
        assert "F8 hides" in str(panel.render())
        await s.pilot.press("f8")
        assert not panel.display
        await s.type("/open notes.md")
        await s.pilot.press("enter")
        await s.until(lambda: "Ctrl+F9 switches between it" in s.hint)
