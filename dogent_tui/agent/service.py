"""The agent service: prompts in, typed events out, one run at a time. Used alike by the app, print
mode and all other faces.
"""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from dogent_tui.agent.cli_transcripts import Memory, memory_of
from dogent_tui.agent.connection import FORGOTTEN, Connection, Turn, TurnLost
from dogent_tui.agent.conversation import (
    ContextUse,
    Conversation,
    Launcher,
    ServerState,
    SessionChoice,
    TurnEnded,
    Verdict,
)
from dogent_tui.agent.events import (
    CLOSED,
    Aborted,
    DocumentExported,
    Event,
    Interrupted,
    Notice,
    PermissionRequested,
    Prompt,
    QueueChanged,
    QueuedPrompt,
    Reply,
    Request,
    Rewound,
    RunFinished,
    RunStarted,
    SessionLost,
    SessionStarted,
    Stalled,
    UiAnswer,
    UiRequested,
    UsageChanged,
)
from dogent_tui.agent.failures import (
    REWIND_AT_WORK,
    REWIND_UNKNOWN,
    RUN_LOST,
    Failure,
    api_failure,
    budget_spent,
    not_compacted,
    server_words,
    stopped_reply,
    turn_failure,
)
from dogent_tui.agent.launch import Budget
from dogent_tui.agent.open_requests import OpenRequests
from dogent_tui.agent.prompts import earlier_conversation, undo_note, user_prompt
from dogent_tui.agent.queue import PromptQueue
from dogent_tui.agent.run import SESSION, STOPPED, Run, RunState, SessionInput, SessionState
from dogent_tui.agent.shell import PersonalShell
from dogent_tui.agent.stream import EventStream
from dogent_tui.agent.turn_index import TurnIndex, turn_index_of
from dogent_tui.errors import AgentError
from dogent_tui.language import tr
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.secrets import redact

_LOG = logging.getLogger(__name__)

_MEMORY_GAP = Notice(
    code="memory_gap",
    message=tr("The agent did not remember all of this conversation: its own record has a gap."),
    remedy=tr("It has been given what is missing there, without the results of tools."),
)
_NOTHING_SAID = Notice(
    code="nothing_said",
    message=tr("The model's last reply is empty."),
    remedy=tr("Ask it to continue, or choose another model with /profile."),
)
_LONGEST_SILENCE_S = 600.0
"""How long a reachable endpoint may be silent, if its profile sets no API_TIMEOUT_MS: as long as
the CLI waits.
"""
_CHECK_LIMIT_S = 10.0
"""How long an endpoint may take to show that it is reachable."""


class AgentService:
    """One conversation in one workspace.

    `async with service:` starts it: the agent connects in the background while prompts already
    queue. `events()` gives every subscriber every event from then on. `submit`, `interrupt`,
    `reply` and the queue methods may be called at any time until `close`.
    """

    def __init__(
        self,
        launcher: Launcher,
        endpoint: Endpoint,
        *,
        cwd: str,
        session: SessionChoice | None = None,
        stall_after_s: float = 10.0,
        check_after_s: float = 30.0,
        on_prompt: Callable[[str], None] = lambda _: None,
        on_run: Callable[[str], None] = lambda _: None,
        budget: Budget | None = None,
    ) -> None:
        """Converse through `launcher`. When a run begins, `on_prompt` receives what the user
        wrote, `on_run` the id of the run.

        `budget` is what the conversation may cost, shared with the launcher. A silence is reported
        after `stall_after_s` seconds. After `check_after_s` seconds the endpoint's reachability is
        checked.
        """
        self.endpoint = endpoint
        self.state: SessionState = "connecting"
        self.begun = False
        """Whether there has been a run."""
        self._cwd = cwd
        self._stall_after_s = stall_after_s
        self._check_after_s = check_after_s
        self._on_prompt = on_prompt
        self._on_run = on_run
        self._stream = EventStream()
        self._queue = PromptQueue(self._publish)
        self._shell = PersonalShell(self._publish)
        self._requests = OpenRequests(self._publish)
        self._connection = Connection(
            launcher, session or SessionChoice(str(uuid.uuid4())), self._ask, self._ask_form, self
        )
        self._turn: Turn | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self.budget = budget or Budget()
        self._unsent: Prompt | None = None
        self._usage = UsageChanged(context_tokens=0)
        self._ending: asyncio.Task[None] | None = None
        self._turns = TurnIndex()
        self._forgotten = False
        self._remembered: asyncio.Future[Memory | None] | None = None
        self._undo_notes: list[str] = []

    # ── Life ──────────────────────────────────────────────────────────────────────────────────

    async def __aenter__(self) -> Self:
        self._tasks = [
            asyncio.create_task(self._work(), name="agent-runs"),
            # while the user types
            asyncio.create_task(self._connection.warm_up(), name="agent-warm-up"),
        ]
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the run, every question and the CLI; subscribers see the stream end. Waiting prompts
        stay in `queued`.

        Takes about 50 ms; three seconds at most, with a process that does not answer.
        Cancelling the caller does not stop it.
        """
        if self._ending is None:
            self._ending = asyncio.create_task(self._end(), name="agent-close")
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        self._queue.stop()
        if self._queue.waiting:
            # they belong to the caller again, and were not cut off by a crash
            self._publish(QueueChanged())
        self._requests.release()
        await self._stop_run("interrupted", Failure(CLOSED))
        self._note("close")
        if self._run is not None:
            self._finish(self._run)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(self._shell.close(), self._connection.close())
        self._stream.close()

    async def _stop_run(self, state: RunState, why: Failure) -> None:
        """Interrupt before disconnecting: a disconnect in mid-stream takes 5 s, after an
        interrupt 0.05 s (measured).
        """
        if self._turn is None:
            return
        self._turn.run.turn_to(state, why)
        self._turn.leave()
        self._requests.cancel_permissions()
        await self._connection.interrupt()

    # ── What a face of the service calls ──────────────────────────────────────────────────────

    @property
    def session_id(self) -> str:
        """The id of the conversation, known from the start."""
        return self._connection.session_id

    @property
    def queued(self) -> tuple[QueuedPrompt, ...]:
        """The waiting prompts."""
        return self._queue.waiting

    @property
    def said(self) -> tuple[tuple[str, str], ...]:
        """What was said and not rewound: the role, ``user`` or ``assistant``, and the text."""
        return tuple(
            ("user" if who == "The user" else "assistant", text)
            for who, text, _ in self._turns.said
        )

    @property
    def requests(self) -> tuple[UiRequested, ...]:
        """What the agent asked on a screen and the user has not answered, oldest first."""
        return self._requests.on_screens

    @property
    def prompt_ids(self) -> list[str]:
        """The runs of the user's prompts that were not rewound, oldest first."""
        return self._turns.prompt_ids

    @property
    def permissions(self) -> tuple[PermissionRequested, ...]:
        """The calls waiting for a permission, oldest first."""
        return self._requests.permissions

    def find_request(self, request_id: str, answer: Reply | None = None) -> Request:
        """Return what waits for `answer`. Raises AgentError if it does not wait (any more), or
        waits for another kind of answer.
        """
        return self._requests.find(request_id, answer)

    def restore(self, events: Iterable[Event], *, send: bool = True) -> None:
        """Keep open what is open in the log of the conversation that is being continued. Call this
        before submitting anything.

        Answers not yet sent are sent now or, if `send` is False, by `send_answers` or before the
        next prompt.
        """
        earlier = list(events)
        self.budget.spent_usd = sum(
            event.cost_usd or 0.0 for event in earlier if isinstance(event, RunFinished)
        )
        self._turns = turn_index_of(earlier)
        self._requests.restore(earlier)
        if send:
            self.send_answers()
        else:
            self._queue.hold(bool(self.requests))

    @property
    def has_unsent_answers(self) -> bool:
        """Whether nothing is open any more and there are answers to send."""
        return self._requests.all_answered

    def events(self) -> AsyncIterator[Event]:
        """Yield every event from this call on, in order, until the service is closed."""
        return self._stream.subscribe()

    async def submit(self, prompt: Prompt) -> str:
        """Queue `prompt`, which runs in its turn. Return its id. Raises AgentError once closed."""
        if self.state == "closed":
            raise AgentError(tr("The session is closed."), tr("Restart the application."))
        if self.has_unsent_answers:
            self.send_answers()
        return self._queue.put(prompt, waits=self._run is not None or bool(self.requests))

    def publish_queue(self) -> None:
        """Publish the waiting prompts: the log of an earlier session may end with others, which
        belong to the user again.
        """
        self._queue.tell()

    def take_back(self, queued_id: str) -> Prompt | None:
        """Remove a waiting prompt from the queue and return it; None if it is not waiting any
        more.
        """
        return self._queue.take_back(queued_id)

    async def interrupt(self) -> None:
        """Stop the current shell command or run, if any. Waiting prompts stay queued and run
        next.
        """
        if self.stop_shell():
            return
        if self._turn is not None and not self._turn.is_left:
            self._requests.abandon()
            await self._stop_run("interrupted", Failure())

    def stop_shell(self) -> bool:
        """Stop the user's current shell command; return whether there is one."""
        return self._shell.stop()

    async def reply(self, request_id: str, reply: Reply) -> None:
        """Answer a question. Raises AgentError if it does not wait (any more), or waits for another
        kind of answer.

        Answers to what the agent asked on screens are sent as the next prompt, before waiting ones.
        An empty answer abandons all that is asked, and the run ends as interrupted.
        """
        if isinstance(reply, UiAnswer) and reply.is_empty:
            await self._abandon(request_id)
            return
        self._requests.answer(request_id, reply)
        if isinstance(reply, UiAnswer):
            self.send_answers()

    async def abandon(self) -> None:
        """Abandon all that is asked on screens, if anything is."""
        for request in self.requests[:1]:
            await self._abandon(request.request_id)

    def tell_undone(self, restored: Sequence[str], removed: Sequence[str]) -> None:
        """Tell the agent, with the next prompt, which files are no longer as it left them."""
        if restored or removed:
            self._undo_notes.append(undo_note(restored, removed))

    def tell_exported(self, path: str) -> None:
        """Record that the user exported a document to `path`."""
        self._publish(DocumentExported(path=path))

    async def run_shell(self, command: str) -> None:
        """Run a shell command of the user in the workspace. Its output is sent to the agent with
        the next prompt.

        One at a time; `interrupt` stops it. Raises AgentError while another one is running.
        """
        await self._shell.run(command, Path(self._cwd))

    async def restart(self) -> None:
        """Restart the agent process if it was lost; the conversation continues where it was."""
        await self._connection.warm_up()

    @property
    def context_tokens(self) -> int:
        """The used tokens of the context window, 0 if unknown."""
        return self._usage.context_tokens

    async def context(self) -> ContextUse:
        """Return what currently fills the context window. Raises AgentError if the agent is not
        there or does not answer.
        """
        conversation = await self._connection.get()
        return await conversation.context()

    async def servers(self) -> Sequence[ServerState]:
        """Return the states of the user's MCP servers. Raises AgentError like `context`."""
        conversation = await self._connection.get()
        return await conversation.servers()

    async def switch_server(self, name: str, *, on: bool) -> None:
        """Start or stop an MCP server. If the agent process was not started with it, the process is
        restarted and the conversation continued.

        Raises AgentError if the process would have to be restarted while the agent works, or if it
        fails.
        """
        conversation = await self._connection.get()
        if any(each.name == name for each in await conversation.servers()):
            await conversation.switch_server(name, on=on)
        elif on:
            await self._start_again()

    async def _start_again(self) -> None:
        if self._run is not None:
            raise AgentError(*REWIND_AT_WORK)
        await self._connection.start_again(is_begun=self.begun)

    async def set_budget(self, limit_usd: float) -> None:
        """Limit the cost of the conversation to `limit_usd` dollars, 0 for no limit. Raises
        AgentError while the agent works.
        """
        if self._run is not None:
            raise AgentError(*REWIND_AT_WORK)
        self.budget.limit_usd = limit_usd
        if self.state != "closed" and self.endpoint.kind == "anthropic":
            await self._start_again()  # the process was given the limit at its start

    async def go_on(self) -> None:
        """Send again what was not sent because the budget was used up, or let the agent continue
        where it stopped.
        """
        unsent, self._unsent = self._unsent, None
        await self.submit(unsent or Prompt(tr("Continue where you stopped.")))

    async def renew(self) -> None:
        """Restart the agent process so that it uses the current decisions.

        Does nothing once a run has begun: the conversation continues as it is.
        """
        if not self.begun:
            await self._connection.start_again(is_begun=False)

    async def rewind(self, run_id: str) -> None:
        """Rewind to before the prompt of the run `run_id`: the agent forgets it and everything
        after it.

        Its open requests are abandoned. Raises AgentError while the agent works, or if there is no
        such run any more.
        """
        runs = self._turns.runs_from(run_id)
        if not runs or self._run is not None or self.state in ("running", "closed"):
            raise AgentError(*(REWIND_AT_WORK if runs else REWIND_UNKNOWN))
        self._requests.forget()
        self._queue.hold(True)
        try:
            self._publish(Rewound(to=run_id, dropped=await self._connection.forget(runs)))
        finally:
            self._queue.hold(bool(self.requests))
        self._usage = replace(self._usage, context_tokens=self._turns.context_tokens)
        self._publish(self._usage)
        self._tasks.append(asyncio.create_task(self._connection.warm_up(), name="agent-warm-up"))

    # ── Runs ──────────────────────────────────────────────────────────────────────────────────

    async def _work(self) -> None:
        """Process one prompt after another."""
        while True:
            await self._perform(await self._queue.next())

    @property
    def _run(self) -> Run | None:
        return self._turn.run if self._turn is not None else None

    def _note(self, happened: SessionInput) -> None:
        self.state = SESSION[self.state].get(happened, self.state)

    async def _perform(self, prompt: Prompt) -> None:
        run = Run.begin(asyncio.get_running_loop().time())
        turn = self._turn = Turn(run, self._connection)
        self.begun = True
        self._note("run began")
        self._publish(RunStarted(prompt=prompt))
        self._on_run(run.id)
        if not prompt.answers:  # they repeat what the agent asked
            self._on_prompt(prompt.text)
        watch = asyncio.create_task(self._watch(turn))
        result, turns = "", 0
        try:
            if self.budget.is_spent:
                self._unsent = prompt
                run.end(budget_spent(self.budget.limit_usd))
            else:
                ended = await turn.take(partial(self._send, prompt, run))
                await self._conclude(turn, ended)
                if run.state == "completed":
                    result, turns = ended.text, ended.num_turns
                    if not (result or prompt.compacts):
                        self._publish(_NOTHING_SAID)
        except TurnLost:
            run.turn_to("failed", RUN_LOST)
        except AgentError as error:
            run.turn_to("failed", Failure("not_started", error.message, error.remedy))
        except Exception as error:
            words = tr("internal error, {kind}: {error}")
            words = words.format(kind=type(error).__name__, error=error)
            run.turn_to("failed", turn_failure(words))
        finally:
            watch.cancel()
        self._finish(run, result, turns)

    async def _send(self, prompt: Prompt, run: Run, conversation: Conversation) -> None:
        if prompt.compacts:
            await conversation.compact(prompt.text.removeprefix("/compact").strip(), run.message_id)
        else:
            await conversation.send(await self._words(prompt, run), run.message_id)

    async def _words(self, prompt: Prompt, run: Run) -> str:
        """Return the message for `prompt`, followed, once, by the shell commands that the user has
        run since the last one.
        """
        notes = await self._not_remembered(run)
        notes += [*self._requests.take_note(), *self._shell.take_notes(), *self._undo_notes]
        self._undo_notes.clear()
        return "\n\n".join([user_prompt(prompt.text, prompt.attachments, prompt.template), *notes])

    async def _not_remembered(self, run: Run) -> list[str]:
        """Return, once after each start of the process, a note about what was said before `run`
        that the process does not remember.

        In the opposite case, when it remembers what our log lacks, the user is told.
        """
        remembered, self._remembered = self._remembered, None
        forgotten, self._forgotten = self._forgotten, False
        said = self._turns.said_before(run.id)
        memory = await remembered if remembered is not None else None
        if forgotten:
            return [earlier_conversation(said)] if said else []
        if memory is None:
            return []
        if more := memory.beyond(self._turns.run_ids, self._turns.messages):
            words = tr(
                "The agent remembers more than is shown here: {count} prompts or replies are"
                " missing from what was saved."
            )
            self._publish(Notice(code="gap", message=words.format(count=more)))
        lacking = [one for one in said if one.source not in memory.sources]
        if not lacking:
            return []
        self._publish(_MEMORY_GAP)
        return [earlier_conversation(lacking, is_part=True)]

    async def _api_failure(self, run: Run, ended: TurnEnded) -> Failure:
        """Return why the endpoint failed, and log its own words.

        The CLI withholds some errors and reports its interpretation: for a wrong key, that one
        should log in; for anything that is not an API error, that there is no connection, and so
        on. In these cases we ask the endpoint once more.
        """
        # imported on use: not needed before something fails
        from dogent_tui.agent.unanswered import asked_again, unanswered_failure

        if failure := stopped_reply(ended.because, self.endpoint):
            return failure
        said = server_words(ended.error) if ended.status else ""
        answered = None if said else await asked_again(self.endpoint)
        if ended.status and answered is not None and answered.status == ended.status:
            said = answered.said
        told = redact(said or ended.error, self.endpoint.secrets)
        _LOG.warning(
            "The endpoint of %s answered %s: %s",
            self.endpoint.name,
            ended.status or "without a status",
            told,
        )
        is_answered = answered is None or answered.came == "message"
        if ended.outcome == "not_compacted" and is_answered and not ended.status:
            return not_compacted(ended.error)
        if answered is None or ended.status:
            return api_failure(ended.status, ended.error, self.endpoint, said)
        return unanswered_failure(self.endpoint, answered, had_begun=run.had_begun)

    async def _conclude(self, turn: Turn, ended: TurnEnded) -> None:
        """Record the cost of a turn, and end its run accordingly."""
        run = turn.run
        run.cost_usd, run.tokens = self._cost(ended), ended.tokens
        if ended.window and ended.window != self._usage.window:
            self._usage = replace(self._usage, window=ended.window)
            self._publish(self._usage)
        # what is open when we close is asked again later
        if run.is_stopped and self._ending is None:
            self._requests.abandon()
            self.send_answers()
        if ended.outcome == "completed":
            run.end()
        elif ended.outcome == "budget":
            run.end(budget_spent(self.budget.limit_usd))
        elif ended.outcome in ("api_error", "not_compacted") and not turn.is_left:
            run.end(await self._api_failure(run, ended))
        else:
            run.end(turn_failure(ended.error))

    def _cost(self, ended: TurnEnded) -> float | None:
        """Return the cost of this run if the figure is accurate: the CLI prices every endpoint as
        if it were Anthropic's.
        """
        if ended.cost_usd is None or self.endpoint.kind != "anthropic":
            return None
        self.budget.spent_usd += ended.cost_usd
        return ended.cost_usd

    def _finish(self, run: Run, result: str = "", turns: int = 0) -> None:
        """Report how `run` ended, once."""
        if run is not self._run or run.state == "working":
            return  # closing has already reported it
        why = run.why
        self._requests.cancel_permissions(run_only=True)
        if run.state == "aborted":
            self._publish(Aborted(reason=why.message))
        elif run.state == "interrupted":
            self._publish(Interrupted())
        ms = round((asyncio.get_running_loop().time() - run.started) * 1000)
        finished = RunFinished(
            status=run.state,
            duration_ms=ms,
            result=result,
            reason=why.message,
            remedy=why.remedy,
            code=why.code,
            cost_usd=run.cost_usd,
            num_turns=turns,
            tokens=run.tokens,
        )
        self._requests.ended(replace(finished, run_id=run.id))
        self._publish(finished)
        self._turn = None
        self._note("run ended")

    async def _watch(self, turn: Turn) -> None:
        """Report how long nothing has arrived, and eventually give up, unless we are waiting for a
        tool or the user.
        """
        loop, run = asyncio.get_running_loop(), turn.run
        most_s = self._longest_silence_s
        next_check_s = min(self._check_after_s, most_s)
        while not turn.is_left:
            await asyncio.sleep(min(1.0, self._stall_after_s))
            if run.tools or self._requests or self._connection.live is None:
                run.last_heard = loop.time()
            if seconds := run.silence(loop.time(), self._stall_after_s):
                self._publish(Stalled(seconds=seconds, most_s=int(most_s)))
            silent_s = loop.time() - run.last_heard
            if silent_s < self._stall_after_s:
                next_check_s = min(self._check_after_s, most_s)
            elif silent_s >= next_check_s:
                next_check_s = min(silent_s + self._check_after_s, most_s)
                await self._give_up_where_dead(turn, silent_s, most_s)

    @property
    def _longest_silence_s(self) -> float:
        return self.endpoint.timeout_ms / 1000 if self.endpoint.timeout_ms else _LONGEST_SILENCE_S

    async def _give_up_where_dead(self, turn: Turn, silent_s: float, most_s: float) -> None:
        """End the run as failed if the endpoint is unreachable or was silent for too long."""
        # imported on use: not needed before something fails
        from dogent_tui.agent.unanswered import given_up

        heard = turn.run.last_heard
        failure = await given_up(self.endpoint, silent_s, most_s, _CHECK_LIMIT_S)
        if failure is not None and turn.run.last_heard == heard and not turn.is_left:
            await self._stop_run("failed", failure)

    # ── What the connection tells ─────────────────────────────────────────────────────────────

    def on_start(self, conversation: Conversation, *, resumed: bool) -> None:
        """See `Listener.on_start`."""
        self._remembered = asyncio.ensure_future(
            asyncio.to_thread(memory_of, *self._connection.remembers)
        )
        self._note("agent started")
        self._publish(
            SessionStarted(
                session_id=conversation.session_id,
                profile=self.endpoint.name,
                model=self.endpoint.model,
                endpoint=self.endpoint.kind,
                cwd=self._cwd,
                resumed=resumed,
            )
        )

    def on_item(self, item: Event | TurnEnded) -> None:
        """See `Listener.on_item`."""
        run = self._run
        if run is not None and run.hear(item, asyncio.get_running_loop().time()):
            self._publish(Stalled(seconds=0))
        if isinstance(item, TurnEnded):
            if self._turn is not None:
                self._turn.hear_end(item)
            return
        if isinstance(item, Notice) and item.code == FORGOTTEN:
            if not self._turns.said_before(run.id if run is not None else ""):
                return  # there was nothing to remember
            self._forgotten = True
        if isinstance(item, UsageChanged):
            item = self._usage = replace(item, window=item.window or self._usage.window)
        self._publish(item)
        if isinstance(item, UiRequested):
            self._requests.add(replace(item, run_id=run.id if run is not None else ""))
            self._queue.hold(True)

    def on_loss(self, message: str, remedy: str) -> None:
        """See `Listener.on_loss`."""
        if self.state == "closed":
            return
        self._note("agent lost")
        self._requests.release()
        self._queue.hold(bool(self.requests))
        self._publish(SessionLost(message=message, remedy=remedy))
        if self._turn is not None:
            self._turn.hear_end(None)

    # ── Questions ─────────────────────────────────────────────────────────────────────────────

    async def _ask(self, question: PermissionRequested) -> Verdict:
        """Ask the user about a tool call and wait as long as it takes."""
        run = self._run
        if not question.in_run:  # a command in the background, whichever run is current by now
            answer = await self._requests.ask(question)
            kept = answer is not None and answer.behavior == "allow"
            return Verdict(
                allow=kept, scope=answer.scope if answer is not None and kept else "once"
            )
        if run is None or run.is_stopped or self._connection.is_leaving_turn:
            return STOPPED
        if (before := run.denied_before(question)) is not None:
            return before
        verdict = run.record_answer(question, await self._requests.ask(question), self._cwd)
        if verdict.stop:
            self._requests.cancel_permissions(run_only=True)
        return verdict

    async def _ask_form(self, request: UiRequested) -> UiAnswer | None:
        """Ask a question within its run, and wait as long as it takes."""
        run = self._run
        if run is None or run.state != "working":
            return None
        return await self._requests.ask(replace(request, run_id=run.id))

    def send_answers(self) -> None:
        """Send the answers once nothing is open any more; prompts submitted in the meantime come
        after them.
        """
        if message := self._requests.take_message():
            self._queue.put(message, waits=self._run is not None, first=True)
        self._queue.hold(bool(self.requests))

    async def _abandon(self, request_id: str) -> None:
        request = self._requests.find(request_id, UiAnswer())
        finished = self._requests.ended_run(request_id)
        if finished is None and self._run is None:  # a crash ended it
            finished = RunFinished(status="failed", duration_ms=0, run_id=request.run_id)
        self._requests.abandon()
        if finished is None:
            await self.interrupt()
        else:
            for event in (Interrupted(), replace(finished, status="interrupted", reason="")):
                self._stream.publish(event, finished.run_id)
        self.send_answers()

    def _publish(self, event: Event) -> None:
        self._turns.hear(self._stream.publish(event, self._run.id if self._run is not None else ""))
