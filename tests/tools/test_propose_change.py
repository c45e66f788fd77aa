"""A proposal goes to the user, and the result goes back; what is wrong with it is said at once."""

import pytest

from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.sources.ledger import Ledger
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.propose_change import NOTHING_OPEN, UNDECIDED, propose_document_change_tool


@pytest.fixture
def tool(tmp_path):
    """Calls the tool, and keeps what the user was shown."""

    class Tool:
        libraries = Libraries(Workspace(tmp_path), WorkspaceSettings())
        shown: list = []  # noqa: RUF012
        answer: str | None = "1 of 1 hunk written"

        async def __call__(self, **payload):
            async def review(opened, text):
                self.shown.append((opened.change, text))
                return self.answer

            tool = propose_document_change_tool(
                self.libraries, review, approved=lambda _: None, ledger=Ledger("s")
            )
            said = await tool.handler(payload)
            return said["content"][0]["text"], said["is_error"]

    made = Tool()
    made.shown = []
    return made


async def test_the_answer_is_what_became_of_it(tool):
    (tool.libraries.workspace.root / "tea.md").write_text("one\n")
    assert await tool(path="tea.md", new_content="two\n", summary="S") == (
        "1 of 1 hunk written",
        False,
    )
    ((change, text),) = tool.shown
    assert (change.name, change.summary, text) == ("tea.md", "S", "two\n")
    assert (tool.libraries.workspace.root / "tea.md").read_text() == "one\n", (
        "the tool itself writes nothing"
    )
    tool.answer = None
    assert await tool(path="new.md", new_content="two\n", summary="S") == (UNDECIDED, True)


async def test_without_a_path_the_open_document_is_meant(tool):
    (tool.libraries.workspace.root / "tea.md").write_text("one\n")
    assert await tool(new_content="two\n", summary="S") == (NOTHING_OPEN, True)
    tool.libraries.open_document = "tea.md"
    assert (await tool(new_content="two\n", summary="S"))[1] is False
    assert (await tool(path="new.md", new_content="two\n", summary="S"))[1] is False
    assert [change.name for change, _ in tool.shown] == ["tea.md", "new.md"]


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"path": "tea.md", "new_content": 3, "summary": ""}, "input is not right"),
        ({"path": "../tea.md", "new_content": "x", "summary": ""}, "outside this workspace"),
        (
            {"path": ".dogent/dogent.md", "new_content": "x", "summary": ""},
            "rules the agent must follow",
        ),
        ({"path": "tea.md", "new_content": "\ud800", "summary": ""}, "surrogate"),
    ],
)
async def test_what_is_wrong_is_said(tool, payload, words):
    said, is_error = await tool(**payload)
    assert is_error
    assert words in said
    assert not tool.shown


async def test_what_changes_nothing_is_not_put_to_the_user(tool):
    (tool.libraries.workspace.root / "tea.md").write_bytes(b"one\r\n")
    said, is_error = await tool(path="tea.md", new_content="one\n", summary="S")
    assert (is_error, tool.shown) == (True, [])
    assert "holds this text already" in said
