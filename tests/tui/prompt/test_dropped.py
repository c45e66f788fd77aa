"""Pasted and dropped paths."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.tui.prompt.dropped import dropped_paths, existing


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("/tmp/a.md", ["/tmp/a.md"]),
        ("/tmp/a.md\n", ["/tmp/a.md"]),
        ("'/tmp/a b.md'", ["/tmp/a b.md"]),
        ('"/tmp/a b.md" ', ["/tmp/a b.md"]),
        ("/tmp/a\\ b.md", ["/tmp/a b.md"]),
        ("/tmp/a b.md", ["/tmp/a b.md"]),
        ("file:///tmp/a%20b.md", ["/tmp/a b.md"]),
        ("file://localhost/tmp/a.md", ["/tmp/a.md"]),
        ("'/tmp/a.md' '/tmp/b c.md'", ["/tmp/a.md", "/tmp/b c.md"]),
        ("/tmp/a.md /tmp/b.md", ["/tmp/a.md", "/tmp/b.md"]),
        ("file:///tmp/a.md\r\nfile:///tmp/b.md\r\n", ["/tmp/a.md", "/tmp/b.md"]),
        ("~/a.md", ["~/a.md"]),
        ("./a.md", ["./a.md"]),
        ("docs/a.md", ["docs/a.md"]),
    ],
)
def test_paths(text: str, paths: list[str]) -> None:
    assert dropped_paths(text) == paths


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "notes",
        "and/or so",
        "it's here",
        "https://example.org/a.md",
        "file://server/a.md",
        "x\0y",
        "/a" * 9_000,
    ],
)
def test_anything_else(text: str) -> None:
    assert dropped_paths(text) == []


@given(st.text())
def test_any_text_may_be_pasted(text: str) -> None:
    existing(dropped_paths(text), Path("/dev/null/none"))


def test_every_path_has_to_exist(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    assert existing(["a.md"], tmp_path) == [tmp_path / "a.md"]
    assert existing([str(tmp_path / "a.md"), "b.md"], tmp_path) is None
    assert existing(["~nobody-of-that-name/a.md"], tmp_path) is None
    assert existing(["x" * 5_000], tmp_path) is None
    assert existing([], tmp_path) is None
