"""What the picker completes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.prompt.citations import Citations
from dogent_tui.tui.prompt.completion import Completion, Completions, completion_at


async def done(argument: str) -> str:
    return argument


COMMANDS = [
    Command("theme", "Choose the colors", done, "[name]"),
    Command("attach", "Attach a file", done, "PATH", "file"),
    Command("help", "Keys", done),
]


@dataclass
class Hit:
    path: str
    is_folder: bool = False
    positions: Sequence[int] = ()


@dataclass
class Files:
    hits: list[Hit] = field(default_factory=list)
    ready: bool = True
    asked: list[str] = field(default_factory=list)

    def search(self, query: str, limit: int = 50) -> Sequence[Hit]:
        self.asked.append(query)
        return self.hits[:limit]

    def browse(self, folder: str) -> Sequence[Hit]:
        self.asked.append(f"in {folder}")
        return self.hits


def completions(
    files: Files,
    sheets: Sequence[str] = (),
    commands: Sequence[Command] = COMMANDS,
    cited: Citations | None = None,
) -> Completions:
    return Completions(
        files,
        sheet_names=lambda path: list(sheets),
        templates=tuple,
        citations=lambda: cited or Citations(Path("/dev/null/none")),
        commands=commands,
    )


def at_end(line: str, *, first_line: bool = True) -> Completion | None:
    return completion_at(line, len(line), commands={} if first_line else None)


@pytest.mark.parametrize(
    ("line", "query", "start"),
    [
        ("@", "", 0),
        ("Read @rep", "rep", 5),
        ("Read @docs/re", "docs/re", 5),
        ("(@notes", "notes", 1),
        ("参考@报告", "报告", 2),
        ('Read @"my papers/dr', "my papers/dr", 5),
        ("@one and @two", "two", 9),
        ('@"a b" and @two', "two", 11),
    ],
)
def test_a_file_is_completed(line: str, query: str, start: int) -> None:
    assert at_end(line) == Completion("file", query, start, len(line))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Read",
        "me@home.org",
        "@@@letter",
        "@a b",
        '@"a b" ',
        '@"a b"',
        "@报告，然后",
        "x" * 2_000,
        "/theme x",
    ],
)
def test_nothing_is_completed(line: str) -> None:
    assert at_end(line) is None


def test_the_rest_of_the_token_is_replaced_too() -> None:
    assert completion_at("see @not.md now", 8) == Completion("file", "not", 4, 11)
    assert completion_at('see @"a b" now', 9) == Completion("file", "a b", 4, 10)


@pytest.mark.parametrize(
    ("line", "path", "query"),
    [
        ("@a.xlsx#", "a.xlsx", ""),
        ("@a.xlsx#Sa", "a.xlsx", "Sa"),
        ('@"a b.xlsx"#Sa', "a b.xlsx", "Sa"),
        ('@"a b.xlsx"#"My s', "a b.xlsx", "My s"),
    ],
)
def test_a_sheet_is_completed(line: str, path: str, query: str) -> None:
    assert at_end(line) == Completion("sheet", query, 0, len(line), path)


def test_a_command_is_completed_at_the_very_start_only() -> None:
    assert at_end("/th") == Completion("command", "th", 0, 3)
    assert at_end("/th", first_line=False) is None
    assert at_end("a /th") is None


WORDS = {"export": "markdown"}


@pytest.mark.parametrize(
    ("line", "query", "start", "before"),
    [
        ("/export ", "", 8, ""),
        ("/export no", "no", 8, ""),
        ("/export notes.md p", "p", 17, "notes.md "),
        ('/export "my no', "my no", 8, ""),
        ('/export "a b.md" do', "do", 17, '"a b.md" '),
    ],
)
def test_the_last_word_of_a_command_is_completed(
    line: str, query: str, start: int, before: str
) -> None:
    found = completion_at(line, len(line), commands=WORDS)
    assert found == Completion(
        "word", query, start, len(line), bare=True, command="export", before=before
    )


@pytest.mark.parametrize(
    "line", ["/export /et", "/export ~/a", "/export ../a", "/theme n", " /export a"]
)
def test_paths_elsewhere_and_other_commands_are_not_completed(line: str) -> None:
    assert completion_at(line, len(line), commands=WORDS) is None


def test_a_reference_after_a_command_is_one() -> None:
    found = completion_at("/export @no", 11, commands=WORDS)
    assert found == Completion("file", "no", 8, 11)


@given(st.text(max_size=80), st.integers(0, 90))
def test_any_text_can_be_asked_about(line: str, column: int) -> None:
    column = min(column, len(line))
    found = completion_at(line, column, commands={})
    if found is not None:
        assert 0 <= found.start <= column <= found.end <= len(line)
        assert line[found.start] in "@/"


class TestCandidates:
    def search(self, files: Files, line: str, sheets: Sequence[str] = ()) -> list[str]:
        completion = completion_at(line, len(line), commands={"attach": "file"})
        assert completion is not None
        return [row.insert for row in completions(files, sheets).search(completion).rows]

    def test_files_are_written_as_references(self) -> None:
        assert self.search(Files([Hit("notes.md"), Hit("a b.md")]), "@n") == [
            "@notes.md",
            '@"a b.md"',
        ]

    def test_a_folder_continues(self) -> None:
        files = Files([Hit("docs/", is_folder=True), Hit("my papers/", is_folder=True)])
        assert self.search(files, "@") == ["@docs/", '@"my papers/']
        rows = completions(files).search(Completion("file", "", 0, 1)).rows
        assert all(row.more for row in rows)

    def test_a_folder_is_browsed(self) -> None:
        files = Files([Hit("docs/report.md")])
        assert self.search(files, "@docs/") == ["@docs/", "@docs/report.md"]
        assert files.asked == ["in docs"]

    def test_sheets_of_a_workbook(self) -> None:
        assert self.search(Files(), "@a.xlsx#", ["Sales", "My costs"]) == [
            "@a.xlsx#Sales",
            '@a.xlsx#"My costs"',
        ]
        assert self.search(Files(), "@a.xlsx#cos", ["Sales", "My costs"]) == ['@a.xlsx#"My costs"']

    def test_words_and_markdown_files_each_as_long_as_none_was_typed(self) -> None:
        files = Files(
            [Hit("notes.md"), Hit("a b.qmd"), Hit("chart.png"), Hit("md/", is_folder=True)]
        )
        export = Command("export", "Export", done, "[FILE.md]", "markdown", words=("pdf", "docx"))
        found = completions(files, commands=[export])

        def offered(line: str) -> list[str]:
            completion = found.at(line, len(line), first_line=True)
            assert completion is not None
            return [row.insert for row in found.search(completion).rows]

        assert offered("/export ") == ["pdf", "docx", "notes.md", '"a b.qmd"']
        assert offered("/export notes.md ") == ["pdf", "docx"]
        assert offered("/export notes.md d") == ["docx"]
        assert offered("/export pdf ") == ["notes.md", '"a b.qmd"']
        assert offered('/export "a b.qmd" pdf ') == []

    def test_a_command_that_takes_one_of_some_words_offers_them_and_no_file(self) -> None:
        show = Command("show", "Show", done, "history|lessons", "word", ("history", "lessons"))
        found = completions(Files([Hit("h.md")]), commands=[show])

        def offered(line: str) -> list[tuple[str, bool]]:
            completion = found.at(line, len(line), first_line=True)
            assert completion is not None
            return [(row.insert, row.runs) for row in found.search(completion).rows]

        assert offered("/show ") == [("history", True), ("lessons", True)]
        assert offered("/show h") == [("history", True)]
        assert offered("/show x") == []
        assert offered("/show history ") == []

    def test_commands_are_matched_fuzzily(self) -> None:
        assert self.search(Files(), "/") == ["/theme", "/attach", "/help"]
        assert self.search(Files(), "/atc") == ["/attach"]
        assert self.search(Files(), "/zzz") == []

    def test_only_a_command_without_needed_arguments_runs_by_its_name(self) -> None:
        rows = completions(Files()).search(Completion("command", "", 0, 1)).rows
        assert {row.insert: row.runs for row in rows} == {
            "/theme": True,
            "/attach": False,
            "/help": True,
        }

    def test_matched_characters_are_those_of_the_label(self) -> None:
        row = completions(Files()).search(Completion("command", "hlp", 0, 4)).rows[0]
        assert [row.label[position] for position in row.positions] == ["h", "l", "p"]

    def test_matched_characters_of_a_chinese_name(self) -> None:
        row = (
            completions(Files(), ["销售 Q1"])
            .search(Completion("sheet", "q1", 0, 3, "a.xlsx"))
            .rows[0]
        )
        assert [row.label[position] for position in row.positions] == ["Q", "1"]

    def test_says_that_the_index_is_not_ready(self) -> None:
        assert completions(Files(ready=False)).search(Completion("file", "", 0, 1)).indexing
        assert not completions(Files()).search(Completion("file", "", 0, 1)).indexing


def test_a_path_that_is_typed_out_is_not_offered_to_a_command_again() -> None:
    def offered(line: str, *hits: Hit) -> list[str]:
        completion = completion_at(line, len(line), commands={"attach": "file"})
        assert completion is not None
        return [row.insert for row in completions(Files([*hits])).search(completion).rows]

    assert offered("/attach tea", Hit("tea.md")) == ["tea.md"]
    assert offered("/attach tea.md", Hit("tea.md")) == [], "Enter runs the command now"
    assert offered("/attach tea.md", Hit("tea.md"), Hit("old/tea.md")) == ["tea.md", "old/tea.md"]
    assert offered("Read @tea.md", Hit("tea.md")) == ["@tea.md"]


@pytest.mark.parametrize(
    ("line", "query"),
    [
        ("It says so [@", ""),
        ("It says so [@oka", "oka"),
        ("It says so [see @okafor 20", "okafor 20"),
        ("[@a, p. 3; @b", "b"),
        ("[-@b", "b"),
        ("这样说[@奥", "奥"),
    ],
)
def test_an_at_sign_in_brackets_is_a_citation(line: str, query: str) -> None:
    completion = at_end(line)
    assert completion is not None
    assert (completion.kind, completion.query) == ("citation", query)
    assert line[completion.start] == "@"


def test_the_rest_of_a_key_is_replaced_too() -> None:
    completion = completion_at("As [@oka-2025] says", 8, commands={})
    assert completion is not None
    assert (completion.query, completion.start, completion.end) == ("oka", 4, 13)


@pytest.mark.parametrize("line", ["[@a, p. 3", "[@a] and", "[a@b.org"])
def test_what_follows_a_key_is_none(line: str) -> None:
    assert at_end(line) is None


def test_entries_are_found_by_key_author_year_and_title(tmp_path: Path) -> None:
    entries = [
        {
            "id": key,
            "author": [{"family": author}],
            "issued": {"raw": year},
            "title": title,
        }
        for key, author, year, title in (
            ("ferry", "Hale", "2019", "The Ferry"),
            ("cafe:2", "Müller", "2020", "Harbours"),
            ("odd key", "Hale", "2021", "A Ferry Again"),
        )
    ]
    (tmp_path / ".dogent/sources").mkdir(parents=True)
    (tmp_path / ".dogent/sources/sources.json").write_text(json.dumps(entries), "utf-8")
    cited = Citations(tmp_path)
    found = completions(Files([Hit("notes.md")]), cited=cited)

    def offered(line: str) -> list[str]:
        completion = at_end(line)
        assert completion is not None
        while (rows := found.search(completion)).indexing:
            pass
        return [row.insert for row in rows.rows]

    assert offered("[@") == ["@ferry", "@cafe:2", "@{odd key}", "@notes.md"]
    assert offered("[@hale") == ["@ferry", "@{odd key}", "@notes.md"]
    assert offered("[@ferry 2021") == ["@{odd key}"]
    assert offered("[@muller har") == ["@cafe:2"]
    assert found.search(Completion("citation", "ferry", 0, 6)).rows[0].detail == (
        "Hale · 2019 · The Ferry"
    )
    assert cited.has("cafe:2")
    assert not cited.has("notes.md")
