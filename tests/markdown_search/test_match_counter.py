"""Counting matches in files of every kind, here and in a separate process."""

from functools import partial

import pytest

from dogent_tui.markdown_search.match_counter import count_matches, forked
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
        "wide.md": "needle".encode("utf-16"),
        "large.md": b"hay " * 50_000 + b"needle" + b" hay" * 50_000,
        "old.md": b"\xff needle",
    }
    for name, data in files.items():
        (tmp_path / "in" / name).write_bytes(data)
    (tmp_path / "in" / "link.md").symlink_to("two.md")
    count = partial(
        count_matches,
        str(tmp_path),
        matcher(query, regex=regex),
        [("in/", [*files, "link.md", "gone.md"]), ("away/", ["a.md", "b.md"])],
    )
    for counts in (count(), forked(count)()):
        assert dict(counts.matched) == {
            b"in/two.md": 2,
            b"in/wide.md": 1,
            b"in/large.md": 1,
            b"in/old.md": 1,
        }
        skipped = [b"away/a.md", b"away/b.md", b"in/gone.md", b"in/link.md"]
        assert sorted(counts.skipped) == skipped


def test_a_process_that_fails_is_told_of():
    def fail():
        raise ValueError

    with pytest.raises(OSError, match="ended on its own"):
        forked(fail)()
