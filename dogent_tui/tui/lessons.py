"""The offer after a failed run to note what to do differently next time."""

from dogent_tui.agent.events import Event, RunFinished, RunStarted
from dogent_tui.language import tr
from dogent_tui.plain import one_line

OFFER = tr("Anything to learn from that? /learn WHAT TO DO INSTEAD · /learn off")
_MOST_OF_PROMPT = 50


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
            case RunFinished(status=status, code=code) if _teaches(status, code):
                self.about = f"{self._prompt} ({status})"
                return OFFER if self.offers else ""
        return ""


def _teaches(status: str, code: str) -> bool:
    """Whether the agent can learn from the failure; it cannot from those of the endpoint, the
    network or the process.
    """
    return (status, code) in (("interrupted", ""), ("failed", ""), ("failed", "turn_failed"))
