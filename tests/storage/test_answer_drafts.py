"""The drafts of answers: kept by request, and gone when dropped."""

import pytest

from dogent_tui.storage.answer_drafts import AnswerDrafts
from dogent_tui.storage.paths import Workspace


@pytest.fixture
def drafts(tmp_path) -> AnswerDrafts:
    return AnswerDrafts(Workspace(tmp_path))


def test_a_draft_comes_back_until_it_is_dropped(drafts, tmp_path):
    drafts.save("a1", {"text": "桥 [b]", "chosen": ["x"]})
    drafts.save("b2", {"outline": "# T"})
    again = AnswerDrafts(Workspace(tmp_path))
    assert again.load("a1") == {"text": "桥 [b]", "chosen": ["x"]}
    again.drop("a1")
    again.drop("a1")
    assert (drafts.load("a1"), drafts.load("b2")) == (None, {"outline": "# T"})


def test_what_is_no_draft_counts_as_none_and_no_name_leads_elsewhere(drafts):
    drafts.save("../../x", {"a": 1})
    (file,) = drafts._folder.iterdir()
    assert file.parent == drafts._folder
    file.write_text("{", encoding="utf-8")
    assert drafts.load("../../x") is None
