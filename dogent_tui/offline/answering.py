"""How the person's answers to a request read: in English and in the language of the interface, which may have changed meanwhile.

`answer_text` in `agent/ui_requests.py` words them.
"""

import re

from dogent_tui.language import tr


def _pattern(*messages: str) -> str:
    """Return a pattern for `messages` with anything in their slots."""
    said = dict.fromkeys(words for message in messages for words in (message, tr(message)))
    return "|".join(".*?".join(map(re.escape, words.split("{title}"))) for words in said)


ANSWERS = re.compile(
    _pattern(
        "My answers to “{title}”:",
        "I accept this outline as it is (“{title}”):",
        "This is the outline as I want it (“{title}”):",
    )
)
"""How a prompt begins that answers a request."""

CHANGES = re.compile(rf"^(?:{_pattern('What I changed:')})$", re.MULTILINE)
"""What follows an outline in the message that brings it back."""

SKIPPED = re.compile(_pattern("→ skipped, decide yourself"))
"""What stands in the place of an answer to a question that was skipped."""
