"""What the controllers of questions need of the conversation that they stand before: ways to
answer, and what is behind them.
"""

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from dogent_tui.agent.events import Reply, UiAnswer
from dogent_tui.tui.questions.controller import QuestionContext, QuestionController
from dogent_tui.tui.requests import RequestContext, RequestController
from dogent_tui.tui.screens.permission import UnderlyingPrompt
from dogent_tui.tui.trusting import settle_trust

if TYPE_CHECKING:
    from dogent_tui.tui.ports import AppPort, ConversationPort


def question_controller(screen: "ConversationPort") -> QuestionController:
    """Return what puts the permission questions of the session on `screen`."""
    editor = screen.prompt.editor
    behind = UnderlyingPrompt(
        typed=editor.insert,
        pasted=editor.paste_text,
        page=screen.action_transcript_page,
        scroll=lambda rows: screen.transcript.scroll_relative(y=rows, animate=False),
        make_room=partial(_make_room, screen),
    )
    context = QuestionContext(
        partial(_reply, screen),
        lambda: editor.last_typed,
        behind,
        str(screen.opened.workspace.root),
    )
    return QuestionController(screen, context)


def request_controller(screen: "ConversationPort") -> RequestController:
    """Return what opens the requests of the session on `screen`."""
    editor, workspace = screen.prompt.editor, screen.opened.workspace
    context = RequestContext(
        partial(_answer, screen),
        lambda: editor.last_typed,
        editor.insert,
        cast("AppPort", screen.app).edits,
        workspace,
        screen.opened.copies,
        lambda name: screen.opened.libraries.checked.get(
            Path(os.path.realpath(workspace.absolute(name)))
        ),
        screen.prompt.completions,
    )
    return RequestController(screen, screen.asked, context)


async def _reply(screen: "ConversationPort", request_id: str, answer: Reply) -> None:
    """Answer the session that is on the screen."""
    await screen.service.reply(request_id, answer)


async def _answer(screen: "ConversationPort", request_id: str, answer: UiAnswer) -> None:
    """Send an answer. It may begin the first run here, in a conversation that is taken up: trust is
    asked about before.

    Raises AgentError where it was not sent.
    """
    if not answer.is_empty:
        await settle_trust(cast("AppPort", screen.app), screen.opened)
    await _reply(screen, request_id, answer)


def _make_room(screen: "ConversationPort", rows: int) -> None:
    """Keep `rows` above the status bar free, so that a question covers the prompt and nothing of
    the transcript.
    """
    body, prompt = screen.query_one("#body").styles, screen.prompt.styles
    if not rows:
        for styles, rule in (
            (prompt, "layer"),
            (prompt, "dock"),
            (prompt, "margin"),
            (body, "margin"),
        ):
            styles.clear_rule(rule)
            styles.refresh(layout=True)
    elif (
        body.margin.bottom != rows + 1
    ):  # here and not by a class, for which the whole screen would be styled anew
        prompt.layer, prompt.dock, prompt.margin = "over", "bottom", (0, 0, 2, 0)
        body.margin = (0, 0, rows + 1, 0)  # the keys stand between the question and the status bar
