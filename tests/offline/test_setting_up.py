"""What `/init` with a description asks the offline engine for."""

from tests.offline.simulated_cli import Conversation

ASKED = (
    "Set this folder up for what I write here: minutes of our club\n\nWrite .dogent/dogent.md for it, along @@built-in:general."
)
TEMPLATE = '<template name="built-in:general">\n# Wishes\n\nA text.\n\n## Readers\n- Who?\n</template>'


def ask(talk: Conversation, *more: str) -> str:
    return talk.ask("\n\n".join((ASKED, *more)), after=TEMPLATE)


def test_the_wishes_are_written_along_the_template():
    talk = Conversation({"a.md": "Water is wet."})
    said = ask(talk)
    assert talk.files[".dogent/dogent.md"] == (
        "# Wishes\n\nA text.\n\n## What is written here\n- minutes of our club\n\n## Readers\n- Who?\n"
    )
    assert "no AI model" in said
    assert [name for name, _ in talk.calls] == ["Write"]  # what is not there is not looked for: that would fail, in red


def test_what_is_there_is_read_before_it_is_replaced():
    talk = Conversation({".dogent/dogent.md": "# Mine\n"})
    ask(talk, "There is one already: read it first.")
    assert [name for name, _ in talk.calls] == ["Read", "Write"]
    assert "club" in talk.files[".dogent/dogent.md"]


def test_a_denial_is_told():
    talk = Conversation({}, errors={("Write", "*"): "no space left"})
    assert "no space left" in ask(talk)
