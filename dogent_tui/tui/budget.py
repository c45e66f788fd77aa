"""The question when a conversation reaches its budget: whether to continue."""

from dogent_tui.agent.service import AgentService
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.tui.ports import AppPort


async def ask_for_budget(app: AppPort, service: AgentService) -> None:
    """Ask whether the conversation of `service` may spend more, and continue it if so."""
    from dogent_tui.tui.screens.choice import choose

    budget = service.budget
    step = budget.limit_usd
    chosen = await choose(
        app,
        tr("The budget of this conversation is used up"),
        tr(
            "It has cost ${spent:.2f} of ${limit:.2f}. What was done is kept.",
            spent=budget.spent_usd,
            limit=step,
        ),
        (
            tr("Stop here"),
            tr("Continue with another ${step:.2f}", step=step),
            tr("Continue without a limit, in this conversation"),
        ),
    )
    if not chosen or app.opened.service is not service:
        return
    try:
        await service.set_budget(budget.spent_usd + step if chosen == 1 else 0.0)
        await service.go_on()
    except DogentError as error:
        app.conversation.prompt.notify_hint(f"{error.message} {error.remedy}", warning=True)


def dollars(typed: str) -> float | None:
    """Return the typed amount (``2.50``, ``$2.50``; ``off`` is 0), None if it is not one."""
    if typed == "off":
        return 0.0
    try:
        amount = float(typed.removeprefix("$"))
    except ValueError:
        return None
    return amount if 0 < amount < 1_000_000 else None
