"""The offer after a failed run to note what to do differently next time."""

from dogent_tui.agent.events import Event, RunFinished, RunStarted
from dogent_tui.language import tr
from dogent_tui.plain import one_line

OFFER = tr("Anything to learn from that? /learn WHAT TO DO INSTEAD · /learn off")
_MOST_OF_PROMPT = 50
_TEACHES = (("interrupted", ""), ("failed", ""), ("failed", "turn_failed"))
"""The ends from which the agent can learn; it cannot from those that the endpoint, the network or
the process brought about.
"""


class LessonOffer:
    """The outcome of the last run, and whether to offer a lesson about it. `offers` is the setting
    ``learn_auto``.
    """

    def __init__(self, *, offers: bool) -> None:
        self.offers = offers
        self.about = ""
        """What went wrong last, for the heading of a lesson; empty if nothing did."""
        self._prompt = ""

    def offer(self, event: Event) -> str:
        """Return the text of the offer if `event` is a reason for one, otherwise an empty
        string.
        """
        match event:
            case RunStarted(prompt=prompt):
                self._prompt, self.about = one_line(prompt.text)[:_MOST_OF_PROMPT], ""
            case RunFinished(status=status, code=code) if (status, code) in _TEACHES:
                self.about = f"{self._prompt} ({status})"
                return OFFER if self.offers else ""
        return ""
