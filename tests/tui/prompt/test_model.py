"""Recall, and long pastes behind placeholders."""

from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.tui.prompt.model import (
    FOLD_CHARACTERS,
    FOLD_LINES,
    RECALL_LIMIT,
    PastedTexts,
    Recall,
    can_show,
)


class TestRecall:
    def test_walks_back_and_forth(self) -> None:
        recall = Recall(["one", "two"])
        assert recall.step(-1, "typing") == "two"
        assert recall.step(-1, "two") == "one"
        assert recall.step(-1, "one") is None
        assert recall.step(1, "one") == "two"
        assert recall.step(1, "two") == "typing"
        assert recall.step(1, "typing") is None

    def test_keeps_an_edit_to_a_recalled_prompt(self) -> None:
        recall = Recall(["one", "two"])
        recall.step(-1, "")
        recall.step(-1, "two, edited")
        assert recall.step(1, "one") == "two, edited"

    def test_forgets_edits_once_something_is_sent(self) -> None:
        recall = Recall(["one"])
        recall.step(-1, "")
        recall.remember("one, edited")
        assert recall.step(-1, "") == "one, edited"
        assert recall.step(-1, "one, edited") == "one"

    def test_remembers_a_repeated_prompt_once(self) -> None:
        recall = Recall(["one"])
        recall.remember("two")
        recall.remember("two")
        assert recall.step(-1, "") == "two"
        assert recall.step(-1, "two") == "one"

    def test_does_not_remember_blanks(self) -> None:
        recall = Recall()
        recall.remember("  \n")
        assert recall.step(-1, "") is None

    @given(st.lists(st.text(), max_size=60), st.text(), st.lists(st.booleans(), max_size=80))
    def test_what_was_typed_always_comes_back(
        self, entries: list[str], typed: str, steps: list[bool]
    ) -> None:
        recall = Recall(entries)
        shown = typed
        for back in steps:
            found = recall.step(-1, shown) if back else recall.step(1, shown)
            shown = shown if found is None else found
        while (found := recall.step(1, shown)) is not None:
            shown = found
        assert shown == typed
        assert not recall.walking

    def test_walks_the_latest_thirty(self) -> None:
        recall = Recall(str(number) for number in range(100))
        shown, steps = "", 0
        while (found := recall.step(-1, shown)) is not None:
            shown, steps = found, steps + 1
        assert (shown, steps) == ("70", RECALL_LIMIT)


def test_what_would_make_keys_slow_is_not_shown() -> None:
    assert can_show("A line as long as lines are.\n" * 1_000)
    assert not can_show("x" * 4_001)
    assert not can_show("x\n" * 2_001)
    assert not can_show(f"{'x' * 100}\n" * 600)


class TestPastedTexts:
    def test_a_long_paste_folds(self) -> None:
        assert PastedTexts.folds("x" * (FOLD_CHARACTERS + 1))
        assert PastedTexts.folds("x\n" * FOLD_LINES)
        assert not PastedTexts.folds("x" * FOLD_CHARACTERS)
        assert not PastedTexts.folds("\n".join("x" * FOLD_LINES))

    def test_the_placeholder_says_how_much_it_stands_for(self) -> None:
        pasted = PastedTexts()
        assert pasted.fold("x\n" * 1_234) == "[Pasted text #1 +1,234 lines]"
        assert pasted.fold("x" * 1_000) == "[Pasted text #2 +1,000 characters]"

    @given(st.lists(st.text(), min_size=1, max_size=4), st.text())
    def test_expands_to_what_was_pasted(self, texts: list[str], between: str) -> None:
        pasted = PastedTexts()
        labels = [pasted.fold(text) for text in texts]
        whole = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]
        # A placeholder in the text around is no placeholder of ours unless it is spelled the same.
        between = between.replace("[", "(")
        assert pasted.expand(between.join(labels)) == between.join(whole)

    def test_a_placeholder_in_a_pasted_text_is_text(self) -> None:
        pasted = PastedTexts()
        first = pasted.fold("one " * 300)
        second = pasted.fold(f"see {first} " * 100)
        assert pasted.expand(second) == f"see {first} " * 100

    def test_a_typed_label_is_text(self) -> None:
        pasted = PastedTexts()
        pasted.fold("x\n" * 10)
        assert pasted.find("[Pasted text #7 +10 lines]") == []
        assert pasted.expand("[Pasted text #7 +10 lines]") == "[Pasted text #7 +10 lines]"

    def test_finds_the_placeholder_at_a_column(self) -> None:
        pasted = PastedTexts()
        label = pasted.fold("x\n" * 10)
        line = f"a {label} b"
        assert pasted.around(line, 2) is None
        assert pasted.around(line, 3) is not None
        assert pasted.around(line, 2 + len(label)) is None
        assert pasted.at(line, 2 + len(label)) is not None
        assert pasted.at(line, 1) is None
