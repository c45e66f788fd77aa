"""Print mode: one prompt on the same service, without a screen. The result goes to stdout,
everything else to stderr.
"""

import asyncio
import json
import logging
import shlex
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TextIO

import msgspec

from dogent_tui.agent.events import (
    Compacted,
    DocumentDelta,
    Event,
    Notice,
    PermissionAnswer,
    PermissionRequested,
    Prompt,
    Retrying,
    RunFinished,
    RunStatus,
    SessionStarted,
    Stalled,
    ToolUse,
    UiRequested,
)
from dogent_tui.agent.failures import retry_reason
from dogent_tui.agent.recorder import start_recording
from dogent_tui.agent.replay import replay_log
from dogent_tui.agent.run import needed_by
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.session import OpenedSession, check_usable, prompt_of
from dogent_tui.agent.tool_names import call_words
from dogent_tui.agent.ui_requests import RequestError, check_answers, parse_request
from dogent_tui.errors import AgentError, ConfigError, UsageError, outside_app
from dogent_tui.language import listing, tr
from dogent_tui.plain import visible
from dogent_tui.records import Json, to_json
from dogent_tui.settings.profiles import endpoint_label

OutputFormat = Literal["text", "json", "stream-json"]

EXIT_STATUS: Mapping[RunStatus, int] = {
    "completed": 0,
    "failed": 1,
    "aborted": 10,
    "needs_clarification": 11,
    "needs_outline_edit": 12,
    "interrupted": 14,
}
"""Exit status by the outcome of the run (SPEC 7); 2 is for wrong usage."""


@dataclass(frozen=True, slots=True)
class PrintRequest:
    """What to run and how to report the result. `piped` is the text from stdin, in which references
    are not looked for.

    `answers` answer what the agent asks on a screen: question id → value, and ``outline``. With
    answers and no text, the open questions of the previous conversation are answered.
    """

    text: str
    piped: str = ""
    output_format: OutputFormat = "text"
    answers: Json | None = None


async def run_print(
    opened: OpenedSession, request: PrintRequest, stdout: TextIO, stderr: TextIO
) -> int:
    """Run one prompt and return the exit status.

    Raises UsageError, also for a template that does not exist; ConfigError if another profile than
    that of the command line would be used, which a script could not detect.
    """
    await asyncio.to_thread(check_usable, opened)
    try:
        quoted = _quoted(request)
        prompt, unresolved = await asyncio.to_thread(prompt_of, opened, request.text, (), quoted)
    except ConfigError as error:
        raise UsageError(error.message, error.remedy) from error
    told = [
        tr("warning: {warning}", warning=outside_app(warning.message, warning.remedy))
        for warning in opened.warnings
    ]
    if not opened.trust.trusted:
        told.append(
            tr(
                "warning: {came} came with this folder and will not be used. Add --trust if you"
                " trust it.",
                came=listing(opened.trust.came),
            )
        )
    told += [
        tr(
            "warning: there is no file {path} here; the text is sent unchanged.",
            path=reference.path,
        )
        for reference in unresolved
    ]
    stderr.writelines(f"{visible(line)}\n" for line in told)
    # What is logged is told in events; without a handler it would be printed as well.
    logging.getLogger().addHandler(logging.NullHandler())
    async with opened.service as service:
        printer = Printer(request.output_format, service, stdout, stderr, request.answers)
        recording = start_recording(opened, printer.tell)
        _interrupt_on_signals(service)
        finished = await _run(opened, printer, prompt)
        await service.close()
        await recording
    printer.conclude(finished)
    return EXIT_STATUS[finished.status]


async def _run(opened: OpenedSession, printer: "Printer", prompt: Prompt) -> RunFinished:
    """Run the prompt or, if there is none, answer the open questions of the previous conversation.
    Raises UsageError.
    """
    service = opened.service
    if opened.earlier_log is not None:
        earlier, _ = await asyncio.to_thread(replay_log, opened.earlier_log)
        service.restore(earlier)
    left = service.requests
    if not prompt.text.strip():
        if not left:
            raise UsageError(
                tr("There is no open question for these answers."), tr("Give a prompt after -p.")
            )
        events = service.events()
        if not await printer.answer():
            return RunFinished(
                status=needed_by(left[0]),
                duration_ms=0,
                reason=tr("The answers do not match the questions."),
            )
        return await printer.follow(events)
    await service.abandon()  # a prompt instead of answers
    events = service.events()
    await service.submit(prompt)
    return await printer.follow(events)


def _quoted(request: PrintRequest) -> str:
    """Return the piped text: marked as material after the words, or as the words themselves."""
    if not request.piped or not request.text.strip():
        return request.piped.strip()
    return f"<stdin>\n{request.piped.rstrip()}\n</stdin>"


def _interrupt_on_signals(service: AgentService) -> None:
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        with suppress(NotImplementedError, AttributeError):  # not every platform has all of them
            loop.add_signal_handler(
                getattr(signal, name), lambda: loop.create_task(service.interrupt())
            )


class Printer(msgspec.Struct):
    """Turns the events of one run into output. A question that no one can answer here is a
    denial.
    """

    output_format: OutputFormat
    service: AgentService
    stdout: TextIO
    stderr: TextIO
    answers: Json | None = None
    _answered: list[Json] = []

    async def follow(self, events: AsyncIterator[Event]) -> RunFinished:
        """Report `events` until the run is finished."""
        async for event in events:
            if self.output_format == "stream-json" and not isinstance(event, DocumentDelta):
                self._line(to_json(event))
            self.tell(event)
            if isinstance(event, PermissionRequested):
                with suppress(AgentError):
                    # it was cancelled in the meantime, by a signal or another denial
                    await self.service.reply(
                        event.request_id, PermissionAnswer("deny", ends_run=True)
                    )
            if isinstance(event, RunFinished) and not (
                event.status in ("needs_clarification", "needs_outline_edit")
                and await self.answer()
            ):
                return event
        return RunFinished(status="interrupted", duration_ms=0)

    async def answer(self) -> bool:
        """Answer a request from the given answers. Return whether they were sent; mismatches are
        reported.
        """
        if self.answers is None:
            return False
        requests = self.service.requests
        if any(request.kind == "document_change" for request in requests):
            self._say(_REVIEW_FIRST)
            return False
        try:
            asked = [
                (request, check_answers(parse_request(request.payload), self.answers))
                for request in requests
            ]
        except RequestError as error:
            self._say(tr("the answers do not match: {error}", error=error))
            return False
        if again := next(
            (request for request, _ in asked if request.payload in self._answered), None
        ):
            # otherwise it might never end
            self._say(
                tr(
                    "“{title}” was already answered, and is asked again",
                    title=again.payload.get("title"),
                )
            )
            return False
        for request, answer in asked:
            self._answered.append(request.payload)
            await self.service.reply(request.request_id, answer)
        return True

    def conclude(self, finished: RunFinished) -> None:
        """Write the result."""
        asked = [request.payload for request in self.service.requests]
        if self.output_format == "json":
            result = {"type": "result", **msgspec.structs.asdict(finished)}
            result |= {"session_id": self.service.session_id}
            result |= {"requests": asked} if asked else {}
            self._line(to_json(result))
        elif self.output_format == "text" and asked:
            for payload in asked:
                self._line(to_json(payload))
        elif self.output_format == "text" and finished.result:
            self._line(finished.result)
        if finished.status != "completed":
            why = outside_app(finished.reason, finished.remedy)
            self._say(f"{finished.status}: {why}".rstrip(": "))
        if asked:
            self._say(
                tr(
                    "To answer: dogent-tui --continue --answers FILE -p, where FILE contains"
                    " {answers}",
                    answers=_answers_wanted(asked[0]),
                )
            )

    def tell(self, event: Event) -> None:
        """Report an event to the user."""
        match event:
            case SessionStarted():
                self._say(
                    tr(
                        "agent: {model}",
                        model=endpoint_label(event.profile, event.endpoint, event.model),
                    )
                )
            case ToolUse(name=name, input=values):
                self._say(tr("tool: {call}", call=call_words(name, values)))
            case PermissionRequested():
                for line in question_lines(event):
                    self._say(line)
            case Retrying():
                self._say(
                    tr(
                        "the endpoint failed: {what}; asking again in {size:.0f} s, attempt"
                        " {attempt} of {max_attempts}",
                        what=retry_reason(event),
                        attempt=event.attempt,
                        max_attempts=event.max_attempts,
                        size=event.delay_ms / 1000,
                    )
                )
            case Compacted():
                self._say(
                    tr("the conversation was compacted: the agent continues with a summary of it")
                )
            case Stalled(seconds=seconds, most_s=most_s) if seconds:
                self._say(
                    tr(
                        "nothing received for {seconds} s, of {most_s} s at most",
                        seconds=seconds,
                        most_s=most_s,
                    )
                )
            case Notice():
                self._say(f"{event.level}: {outside_app(event.message, event.remedy)}")
            case UiRequested():
                self._say(tr("the agent asks: {title}", title=event.payload.get("title")))

    def _say(self, text: str) -> None:
        print(visible(text), file=self.stderr, flush=True)

    def _line(self, text: str) -> None:
        if self.stdout.isatty():
            text = visible(text)
        self.stdout.write(f"{text}\n")
        self.stdout.flush()


_REVIEW_FIRST = tr("nothing yet: review the change first, with dogent-tui --continue")


def _answers_wanted(payload: Json) -> str:
    """Return an example of a file of answers to this request."""
    if payload.get("type") == "document_change":
        return _REVIEW_FIRST
    if payload.get("type") == "outline_edit":
        return '{"outline": "…"}'
    return json.dumps(
        {question["id"]: "…" for question in payload["questions"]}, ensure_ascii=False
    )


def question_lines(asked: PermissionRequested) -> list[str]:
    """Return a question as text: what it would do, where, why it asks, and how to allow it next
    time.
    """
    summary = call_words(asked.tool, asked.input)
    lines = [
        tr("permission needed: {sentence}", sentence=asked.sentence or summary),
        f"  {summary}",
    ]
    lines += [
        f"  {target.kind} {target.path}{'' if target.exists else ' (new)'}"
        for target in asked.targets
    ]
    lines += [f"  {reason}" for reason in asked.reasons]
    lines.append(tr("Print mode can't ask you, so this is denied."))
    if asked.rules:
        lines.append(
            tr(
                "To allow it, add {rules}",
                rules=" ".join(f"--allow {shlex.quote(rule)}" for rule in asked.rules),
            )
        )
    else:
        lines.append(asked.once_because or tr("It can't be allowed in advance."))
    return lines
