"""Web pages that were read are kept as readable files, under a key that drafts cite them by."""

import json
import random
import string
from datetime import datetime

import pytest
from msgspec.structs import replace

from dogent_tui.documents.bibliography import key_of
from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.exporter import Exporter
from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.sources.quotes.quote_checker import QuoteChecker
from dogent_tui.sources.records import SourceRecord, SourceRecords, public_address
from dogent_tui.storage.paths import Workspace

HEX = "9f86d081884c7d659a2feaa0c55ad015"
BASE64 = "kJ8sQ2xT0vLrZ5yWqE7hN3uBf1aGmXcD9oPtRiS4wYz"
PAGE = SourceRecord(
    "", "https://example.org/a?id=7", "Opening hours", "Ada Okafor", "2025-03-04",
    "2026-01-02T10:00:00+00:00",
    "Visitors came back in large numbers after the roof was repaired.",
)  # fmt: skip


@pytest.fixture
def records(tmp_path):
    root = tmp_path / "folder"
    root.mkdir()
    return SourceRecords(Workspace(root))


def test_a_record_is_a_readable_file_and_reads_back(records):
    key = records.note(PAGE)
    assert key == "okafor-2025"
    (kept,) = records.all()
    assert all(
        getattr(kept, name) == getattr(PAGE, name)
        for name in ("url", "title", "author", "published", "accessed", "text")
    )
    assert (
        (records.folder / "okafor-2025.md")
        .read_text()
        .startswith('---\nkey: okafor-2025\nurl: "https://example.org/a?id=7"\n')
    )


def test_a_page_has_one_key_and_others_get_others(records):
    assert records.note(PAGE) == records.note(PAGE) == "okafor-2025"
    other = SourceRecord(
        "", "https://example.org/b", author="Ada Okafor", published="2025", text="Other words."
    )
    assert records.note(other) == "okafor-2025-2"
    assert (
        records.note(SourceRecord("", "https://www.example.net/", accessed="2026-01-02", text="x"))
        == "example-net-2026"
    )
    assert [record.key for record in records.all()] == [
        "example-net-2026",
        "okafor-2025",
        "okafor-2025-2",
    ]


def test_a_record_takes_no_other_files_place_not_even_one_that_differs_in_case(records):
    records.folder.mkdir(parents=True)
    (records.folder / "okafor-2025.md").write_text("my own notes")
    (records.folder / "Okafor-2025-2.MD").write_text("more of them")
    assert records.note(PAGE) == "okafor-2025-3"
    assert records.note(PAGE) == "okafor-2025-3"
    assert (records.folder / "okafor-2025.md").read_text() == "my own notes"
    assert [record.key for record in records.all()] == ["okafor-2025-3"]


def test_parts_follow_each_other_and_a_changed_page_takes_its_place(records):
    key = records.note(PAGE)
    at = len(PAGE.text)
    for part in ("\n\nAnd then it closed.\n", "\nIt opened again.", "\n\n", "To the end.\n"):
        assert records.note(SourceRecord("", PAGE.url, text=part), offset=at) == key
        at += len(part)
    assert (
        records.all()[0].text
        == f"{PAGE.text}\n\nAnd then it closed.\n\nIt opened again.\n\nTo the end.\n"
    )
    records.note(SourceRecord("", PAGE.url, "New", text="Quite other words."))
    assert (records.all()[0].key, records.all()[0].text) == (key, "Quite other words.")


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://user:pw@example.org/a#part", "https://example.org/a"),
        (
            "https://example.org/a?page=2&access_token=abc&X-Amz-Signature=1",
            "https://example.org/a?page=2",
        ),
        (f"https://example.org/a?q={'x' * 200}", "https://example.org/a"),
        (f"https://example.org/a?q={HEX}&page=2", "https://example.org/a?page=2"),
        (f"https://example.org/reset/{HEX}/now?page=2", "https://example.org/reset/"),
        (f"https://example.org/s/{BASE64}", "https://example.org/s/"),
        ("https://example.org/550e8400-e29b-4d1d-a716-4466554f00c0", "https://example.org/"),
    ],
)
def test_no_secret_of_an_address_is_kept(address, kept):
    assert public_address(address) == kept


@pytest.mark.parametrize(
    "path",
    [
        "2024/03/05/the-harbour-was-closed-to-large-ships",
        "wiki/Rindfleischetikettierungsueberwachungsaufgabenuebertragungsgesetz",
        "TheGreatFloodOf1953AndItsAftermath",
        "articles/s41586-020-2649-2",
        "watch?v=dQw4w9WgXcQ",
        "doi/10.1093/oxfordhb/9780199644025.013.0019",
        "%E4%B8%AD%E6%96%87/%E6%B8%AF%E5%8F%A3",
    ],
)
def test_what_a_reader_could_say_of_an_address_is_kept(path):
    assert public_address(f"https://example.org/{path}") == f"https://example.org/{path}"


def test_random_paths_are_cut_whatever_they_are_made_of():
    chance = random.Random(21)
    kinds = (("0123456789abcdef", 32), (string.ascii_letters + string.digits + "-_", 43))
    kept = sum(
        public_address(f"https://example.org/s/{''.join(chance.choices(letters, k=length))}")
        != "https://example.org/s/"
        for letters, length in kinds
        for _ in range(1_000)
    )
    assert kept <= 20


def test_a_source_that_was_typed_in_is_cited_and_its_document_known(records):
    key = records.add(SourceRecord("", title="The Harbour", author="Ada Okafor", published="1999"))
    other = records.add(SourceRecord("", title="Letters home", document="letters.pdf"))
    assert (key, other) == ("okafor-1999", f"letters-home-{datetime.now().year}")
    assert [record.document for record in records.all()] == ["letters.pdf", ""]
    root = records.folder.parents[1]
    (root / "letters.pdf").touch()
    assert key_of(root / "letters.pdf", root) == other
    assert json.loads((records.folder / "sources.json").read_text())[1] == {
        "id": "okafor-1999",
        "type": "document",
        "title": "The Harbour",
        "author": [{"literal": "Ada Okafor"}],
        "issued": {"date-parts": [[1999]]},
    }


def test_pages_that_differ_in_a_parameter_are_different_sources(records):
    names = ("passage", "author", "keyword", "access_token")
    keys = {
        records.note(replace(PAGE, url=f"https://example.org/?{name}={value}"))
        for name in names
        for value in "ab"
    }
    assert len(keys) == 8
    assert (
        public_address("https://example.org/?passage=John&author=Hale")
        == "https://example.org/?passage=John&author=Hale"
    )


def test_a_link_is_not_followed_out_of_the_folder(records, tmp_path):
    records.folder.parent.mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    records.folder.symlink_to(outside)
    assert records.note(PAGE) == ""
    assert list(outside.iterdir()) == []


def test_nothing_is_written_where_it_may_not_be(records):
    records.allowed = lambda: False
    assert records.note(PAGE) == ""
    assert not records.folder.parent.exists()


def test_a_removed_record_is_gone_from_the_entries_too(records):
    key = records.note(PAGE)
    assert records.remove(key)
    assert not records.remove(key)
    assert json.loads((records.folder / "sources.json").read_text()) == []


async def test_a_draft_is_checked_against_what_was_read(records):
    key, root = records.note(PAGE), records.folder.parents[1]
    draft = root / "draft.md"
    draft.write_text(
        f'She wrote "came back in large numbers after the roof was repaired" [@{key}].\n'
    )
    documents = DocumentLibrary(full_page_s=60)
    try:
        report = await QuoteChecker(documents).check(draft, root)
    finally:
        await documents.close()
    (found,) = [each for each in report.findings if each.kind == "quote"]
    assert (found.verdict, found.source) == ("verbatim", f".dogent/sources/{key}.md")


async def test_an_export_cites_what_was_read(records):
    key, root = records.note(PAGE), records.folder.parents[1]
    (root / "draft.md").write_text(f"It is so [@{key}].\n")
    exporter = Exporter()
    try:
        done = await exporter.export(
            ExportRequest(
                kind="docx",
                markdown=root / "draft.md",
                target=root / "draft.docx",
                root=root,
                home=root,
            ),
        )
    finally:
        await exporter.close()
    assert not [warning for warning in done.warnings if key in warning]
    documents = DocumentLibrary(full_page_s=60)
    try:
        text = (await documents.read(root / "draft.docx")).text
    finally:
        await documents.close()
    assert "Okafor" in text
    assert "Opening" in text
    assert f"@{key}" not in text


async def test_a_work_whose_document_is_gone_is_told_and_one_that_is_elsewhere_is_not(tmp_path):
    root = tmp_path / "folder"
    root.mkdir()
    (tmp_path / "library.pdf").touch()
    (root / "refs.bib").write_text(
        "@book{here, title={A}, file={../library.pdf}}\n@book{gone, title={B}, file={gone.pdf}}\n"
    )
    (root / "draft.md").write_text("It is so [@here], or not [@gone].\n")
    documents = DocumentLibrary(full_page_s=60)
    try:
        report = await QuoteChecker(documents).check(root / "draft.md", root)
    finally:
        await documents.close()
    assert [(found.text, found.verdict) for found in report.findings] == [
        ("[@here]", "verbatim"),
        ("[@gone]", "not_found"),
    ]
