"""One quiet offer, after a run that did not end as it should: to note what to do differently
next time.
"""

from dogent_tui.agent.events import Event, RunFinished, RunStarted
from dogent_tui.language import tr
from dogent_tui.plain import one_line

OFFER = tr("Anything to learn from that? /learn WHAT TO DO INSTEAD · /learn off")
_MOST_OF_PROMPT = 50


class LessonOffer:
    """What the last run was, and whether to offer a lesson about it. `offers` is the setting
    ``learn_auto``.
    """

    def __init__(self, *, offers: bool) -> None:
        self.offers = offers
        self.about = ""
        """What went wrong last, for the heading of a lesson; empty where nothing did."""
        self._prompt = ""

    def offer(self, event: Event) -> str:
        """Return the words of the offer, where `event` is a reason for one, and empty else."""
        match event:
            case RunStarted(prompt=prompt):
                self._prompt, self.about = one_line(prompt.text)[:_MOST_OF_PROMPT], ""
            case RunFinished(status=status, code=code) if _teaches(status, code):
                self.about = f"{self._prompt} ({status})"
                return OFFER if self.offers else ""
        return ""


def _teaches(status: str, code: str) -> bool:
    """Whether the agent could do better next time: what the endpoint, the network or the process
    did teaches it nothing.
    """
    return (status, code) in (("interrupted", ""), ("failed", ""), ("failed", "turn_failed"))
