"""`check_quotes` as the agent calls it."""

import json
from types import SimpleNamespace

import docx
import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.permissions.model import ToolCall
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.check_quotes import checking_tools
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.server import MOST_CHARS

NOTES = "The ferry leaves the small harbour at seven, and it does not wait.\n"


@pytest.fixture
async def work(tmp_path):
    """A workspace with a source, and what calls the tool in it."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "notes.md").write_text(NOTES, encoding="utf-8")
    libraries = Libraries(Workspace(root), WorkspaceSettings())
    (tool,) = checking_tools(libraries)

    async def call(**payload):
        answer = await tool.handler(payload)
        return answer["content"][0]["text"], answer["is_error"]

    yield SimpleNamespace(root=root, call=call)
    await libraries.close()


async def test_what_is_not_verbatim_comes_with_the_difference(work):
    (work.root / "draft.md").write_text(
        "“the ferry leaves the small harbour” and “at seven, and it does wait” (notes.md)\n"
    )
    text, is_error = await work.call(path="draft.md")
    head, _, body = text.partition("\n\n")
    found = json.loads(body)
    assert not is_error
    assert head == "3 claims checked: 2 verbatim, 1 altered."
    assert (found["sources_read"], found["next_offset"], len(found["findings"])) == (1, None, 1)
    assert ["delete", "not "] in found["findings"][0]["diff"]
    assert (
        len(
            json.loads((await work.call(path="draft.md", all=True))[0].partition("\n\n")[2])[
                "findings"
            ]
        )
        == 3
    )


async def test_a_long_answer_comes_in_parts(work):
    (work.root / "draft.md").write_text(
        "".join(f"“a sentence number {n} that nobody wrote”\n\n" for n in range(400))
    )
    seen, offset = [], 0
    while offset is not None:
        text, _ = await work.call(path="draft.md", offset=offset)
        assert len(text) < MOST_CHARS + 5_000
        found = json.loads(text.partition("\n\n")[2])
        seen += [each["line"] for each in found["findings"]]
        offset = found["next_offset"]
    assert seen == list(range(1, 800, 2))


async def test_nothing_outside_the_sources_is_read(work):
    (work.root.parent / "secret.md").write_text(
        "The key of the harbour is under the third stone.\n"
    )
    (work.root / "link.md").symlink_to(work.root.parent / "secret.md")
    (work.root / "draft.md").write_text("“the key of the harbour is” (link.md)\n")
    text, _ = await work.call(path="draft.md")
    assert "third stone" not in text
    assert json.loads(text.partition("\n\n")[2])["summary"]["not_found"] == 2


@pytest.mark.parametrize(
    "payload", [{}, {"path": "gone.md"}, {"path": "notes.md", "sources": "gone"}]
)
async def test_what_cannot_be_checked_is_said(work, payload):
    text, is_error = await work.call(**payload)
    assert is_error
    assert text


@pytest.mark.parametrize(
    ("payload", "verdict"),
    [
        ({"path": "draft.md"}, "allow"),
        ({"path": "/etc/passwd"}, "ask"),
        ({"path": "draft.md", "sources": "/etc"}, "ask"),
    ],
)
def test_the_policy_judges_it_as_reading(tmp_path, payload, verdict):
    decision = Authority(Workspace(tmp_path)).decide(
        ToolCall("mcp__dogent__check_quotes", payload, tmp_path)
    )
    assert decision.verdict == verdict


async def test_the_export_of_a_draft_is_no_source_of_it_unless_it_names_it(work):
    invented = "“a whale was seen in the small harbour”"
    (work.root / "draft.md").write_text(f"{invented}\n")
    docx.Document().save(work.root / "other.docx")
    exported = docx.Document()
    exported.add_paragraph("A whale was seen in the small harbour.")
    exported.save(work.root / "draft.docx")
    assert "1 not found" in (await work.call(path="draft.md"))[0]
    (work.root / "draft.md").write_text(f"{invented} (draft.docx)\n")
    assert "2 verbatim" in (await work.call(path="draft.md"))[0]


async def test_a_bibliography_in_csl_json_counts_and_is_no_source(work):
    entries = [
        {"id": "ferry", "type": "article-journal", "page": "1-20", "file": "notes.md"},
        {"id": "spare", "type": "book"},
    ]
    (work.root / "refs.json").write_text(json.dumps(entries))
    (work.root / "draft.md").write_text(
        "---\nbibliography: refs.json\n---\n“the ferry leaves the small harbour” [@ferry, p. 3],"
        " but [@ferry, p. 412] and [@dead].\n"
    )
    text, _ = await work.call(path="draft.md")
    head, _, body = text.partition("\n\n")
    found = json.loads(body)
    assert found["sources_read"] == 1
    assert [(one["text"], one["verdict"], one["flags"]) for one in found["findings"]] == [
        ("[@ferry, p. 412]", "not_found", ["page"]),
        ("[@dead]", "not_found", []),
    ]
    assert head.endswith("1 entry of the bibliography is not cited: spare.")
