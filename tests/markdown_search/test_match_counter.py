"""Counting through many files at once gives what each on its own gives."""

import pytest

from dogent_tui.markdown_search.match_counter import Counter
from dogent_tui.markdown_search.matcher import matcher


@pytest.mark.parametrize(
    ("query", "regex"), [("needle", False), ("need.e", True), (r"nee\w+", True)]
)
def test_every_kind_of_file(tmp_path, query, regex):
    (tmp_path / "in").mkdir()
    files = {
        "empty.md": b"",
        "none.md": b"hay\n" * 3000,
        "two.md": b"hay Needle hay NEEDLE",
        "split.md": b"nee",
        "rest.md": b"dle",
        "wide.md": "needle".encode("utf-16"),
        "large.md": b"hay " * 50_000 + b"needle" + b" hay" * 50_000,
        "old.md": b"\xff needle",
        **{f"many-{number}.md": b"hay needle " + b"x" * 30_000 for number in range(60)},
    }
    for name, data in files.items():
        (tmp_path / "in" / name).write_bytes(data)
    (tmp_path / "in" / "link.md").symlink_to("two.md")
    counter = Counter(str(tmp_path), matcher(query, regex=regex))
    counter.add(("in", [*files, "link.md", "gone.md"]))
    counter.add(("away", ["a.md"]))
    counts = counter.finish()
    matched = {path.decode(): number for path, number in counts.matched}
    expected = {
        "in/two.md": 2,
        "in/wide.md": 1,
        "in/large.md": 1,
        "in/old.md": 1,
        **{f"in/many-{n}.md": 1 for n in range(60)},
    }
    assert matched == expected
    assert sorted(counts.skipped) == [b"away/a.md", b"in/gone.md", b"in/link.md"]
