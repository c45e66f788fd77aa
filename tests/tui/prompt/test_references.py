"""What the workspace answers about references. The rest of it is seen in the prompt:
test_box.py.
"""

from dogent_tui.agent.events import Attachment
from dogent_tui.references.file_index import FileIndex
from dogent_tui.references.lookup import find_references
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.prompt.references import WorkspaceReferences


def test_attachments_of_a_prompt(folder) -> None:
    references = WorkspaceReferences(Workspace(folder), FileIndex(folder))
    text = 'Compare @numbers.xlsx#"My costs" with @docs, @none.md and @报告.md的内容'
    assert references.attachments(find_references(text)) == (
        Attachment("numbers.xlsx", "numbers.xlsx", "xlsx", "My costs"),
        Attachment("docs", "docs", "folder"),
        Attachment("报告.md", "报告.md", "md"),
    )


def test_attachments_at_paths(folder) -> None:
    references = WorkspaceReferences(Workspace(folder), FileIndex(folder))
    assert references.attachments_at([str(folder / "my papers" / "draft one.md"), "docs"]) == (
        Attachment("my papers/draft one.md", "draft one.md", "md"),
        Attachment("docs", "docs", "folder"),
    )
    assert references.attachments_at(["notes.md", "none.md"]) == ()


def test_a_path_becomes_a_reference_only_where_it_exists(folder) -> None:
    references = WorkspaceReferences(Workspace(folder), FileIndex(folder))
    assert (
        references.written([str(folder / "notes.md"), "my papers/draft one.md"])
        == '@notes.md @"my papers/draft one.md" '
    )
    assert references.written([str(folder / "none.md")]) is None
