"""`dogent-tui acp`: the agent for editors, over the Agent Client Protocol, version 1, on standard input and output."""

import asyncio
import base64
import contextlib
import os
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import unquote, urlsplit

import acp
import msgspec
from acp import schema
from acp.helpers import tool_diff_content

from dogent_tui import __version__
from dogent_tui.agent import events
from dogent_tui.agent.change_requests import ChangeRequest, read_request
from dogent_tui.agent.session import OpenedSession, SessionOptions, make_prompt, open_session, with_template
from dogent_tui.agent.ui_requests import Clarification, OutlineRequest, Question, Request, RequestError, check_answers
from dogent_tui.errors import AgentError, DogentError
from dogent_tui.faces.acp_updates import Updates
from dogent_tui.faces.connected import Connected
from dogent_tui.faces.reviews import decide, open_review, written
from dogent_tui.language import tr
from dogent_tui.workspace.checking import read_profiles
from dogent_tui.workspace.custom_commands import CustomCommand, custom_commands
from dogent_tui.workspace.files import private_folder
from dogent_tui.workspace.paths import Workspace, dogent_home, state_dir
from dogent_tui.workspace.profiles import OFFLINE
from dogent_tui.workspace.references import find_references
from dogent_tui.workspace.sessions import all_sessions, list_sessions

Block: TypeAlias = (
    schema.TextContentBlock
    | schema.ImageContentBlock
    | schema.AudioContentBlock
    | schema.ResourceContentBlock
    | schema.EmbeddedResourceContentBlock
)

_PAGE = 200
"""Sessions of one answer to ``session/list``."""
_LARGEST_LINE = 64 << 20
_MODEL, _REVIEW = "model", "review"
_SCOPES = {"once": tr("Allow once"), "session": tr("Allow for this session"), "always": tr("Always allow here")}
_KEEPS = {"once": tr("Keep"), "session": tr("Keep, and the like in this session"), "always": tr("Always keep such")}


class EditorSession(Connected):
    """One conversation for an editor."""

    def __init__(self, opened: OpenedSession, client: acp.Client, *, has_forms: bool, replays: bool = False) -> None:
        super().__init__(opened)
        self._client = client
        self._has_forms = has_forms
        self._replays = replays
        self._updates = Updates(opened.workspace.root)
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._prompt: events.Prompt | None = None
        self._run_id = ""
        self._ended: asyncio.Future[events.RunFinished] | None = None
        self._commands: dict[str, CustomCommand] = {}

    @property
    def id(self) -> str:
        """The session's id, ours and the editor's."""
        return self.service.session_id

    async def start(self) -> None:
        """Connect the agent, and tell the editor which commands there are, after the answer to its request."""
        await self.connect()
        trusted = self.opened.trust.trusted
        found = await asyncio.to_thread(custom_commands, self.opened.workspace, Path.home(), trusted=trusted)
        self._commands = {each.name: each for each in found}
        self._tasks.append(asyncio.create_task(self._tell_commands()))

    async def _tell_commands(self) -> None:
        commands = [
            schema.AvailableCommand(
                name=each.name,
                description=each.description or each.name,
                input=schema.AvailableCommandInput(root=schema.UnstructuredCommandInput(hint=each.argument))
                if each.argument
                else None,
            )
            for each in self._commands.values()
        ]
        update = schema.AvailableCommandsUpdate(session_update="available_commands_update", available_commands=commands)
        await self._client.session_update(self.id, update)

    # ── Prompts ───────────────────────────────────────────────────────────────────────────────────

    async def prompt(self, blocks: Sequence[Block]) -> str:
        """Send a prompt and return why its turn ended, in the protocol's words."""
        prompt = await asyncio.to_thread(self._made, blocks)
        self._ended, self._run_id = asyncio.get_running_loop().create_future(), ""
        self._prompt = prompt
        try:
            if not await self._answers(prompt.text):
                await self.service.submit(prompt)
            finished = await self._ended
        finally:
            self._prompt = None
        return "cancelled" if finished.status == "interrupted" else "end_turn"

    async def cancel(self) -> None:
        """Stop the run, and what is asked in it."""
        await self.service.interrupt()

    async def _answers(self, text: str) -> bool:
        """Take a prompt for the answer to what was asked as text, where it is one; else what is asked is abandoned."""
        answered = False
        for request in self.service.requests:
            answer = _from_text(read_request(request.payload), text)
            answered = answered or answer is not None
            await self.service.reply(request.request_id, answer or events.UiAnswer())
        return answered

    def _made(self, blocks: Sequence[Block]) -> events.Prompt:
        """Return the prompt of some blocks. Blocks. Raises DogentError."""
        texts: list[str] = []
        also: list[events.Attachment] = []
        for block in blocks:
            match block:
                case schema.TextContentBlock(text=text):
                    texts.append(text)
                case schema.ResourceContentBlock(uri=uri, name=name):
                    attached = self._attachment(uri)
                    texts += [] if attached else [f"[{name}]({uri})"]
                    also += [attached] if attached else []
                case schema.EmbeddedResourceContentBlock(resource=schema.TextResourceContents() as given):
                    texts.append(f"<selected_text from={given.uri!r}>\n{given.text}\n</selected_text>")
                case schema.ImageContentBlock():
                    also.append(self._image(block))
        text = "\n\n".join(texts)
        if text.startswith("/") and (command := self._commands.get((text[1:].split() or [""])[0])):
            text = command.filled_in(text[1 + len(command.name) :].strip())
        prompt, _ = make_prompt(text, self.opened.workspace, find_references(text), also)
        return with_template(prompt, self.opened.workspace, trusted=self.opened.trust.trusted)

    def _attachment(self, uri: str) -> events.Attachment | None:
        parts = urlsplit(uri)
        if parts.scheme != "file":
            return None
        path = Path(unquote(parts.path))
        lines = "-".join(number for each in parts.fragment.split("-") if (number := each.lstrip("L")).isdecimal())
        kind = "folder" if path.is_dir() else path.suffix.lstrip(".").lower() or "file"
        return events.Attachment(self.opened.workspace.relative(path), path.name, kind, lines=lines or None)

    def _image(self, block: schema.ImageContentBlock) -> events.Attachment:
        kind = block.mime_type.rpartition("/")[2].partition("+")[0] or "png"
        path = image_folder() / f"{uuid.uuid4().hex[:12]}.{kind if kind.isalnum() else 'png'}"
        path.write_bytes(base64.b64decode(block.data))
        return events.Attachment(str(path), path.name, kind)

    # ── Following ─────────────────────────────────────────────────────────────────────────────────

    async def restore(self, earlier: Sequence[events.Event]) -> None:
        """Tell the editor what was said before, where it has not seen it."""
        for event in earlier if self._replays else ():
            for update in self._updates.of(event, replayed=True):
                await self._client.session_update(self.id, update)

    async def hear(self, event: events.Event) -> None:
        """Tell the editor what happens, and ask it what is asked."""
        for update in self._updates.of(event):
            await self._client.session_update(self.id, update)
        self._hear(event)

    async def end(self) -> None:
        """End the turn, and what is asked in it."""
        for task in self._asking.values():
            task.cancel()
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(events.RunFinished(status="interrupted", duration_ms=0))

    def _hear(self, event: events.Event) -> None:
        match event:
            case events.RunStarted(prompt=prompt) if self._prompt is not None and (prompt == self._prompt or prompt.answers):
                self._run_id = event.run_id
            case events.RunFinished() if self._ended is not None and event.run_id == self._run_id and not self._ended.done():
                if not (self._has_forms and event.status in ("needs_clarification", "needs_outline_edit")):
                    self._ended.set_result(event)  # else its answers begin another run, of the same turn
            case events.PermissionRequested():
                self._ask(event.request_id, self._permission(event))
            case events.PermissionDecided(decision="cancelled") if event.request_id in self._asking:
                self._asking[event.request_id].cancel()
            case events.UiRequested():
                self._ask(event.request_id, self._request(event))

    def _ask(self, request_id: str, asking: Any) -> None:
        task = self._asking[request_id] = asyncio.create_task(asking)
        task.add_done_callback(lambda _: self._asking.pop(request_id, None))

    # ── What waits for the user ───────────────────────────────────────────────────────────────────

    async def _permission(self, event: events.PermissionRequested) -> None:
        """Have the editor ask. What it does not answer is denied, and the run ends."""
        names = _KEEPS if event.happened else _SCOPES
        options = [schema.PermissionOption(option_id="deny", name=tr("Deny"), kind="reject_once")]
        options += [
            schema.PermissionOption(option_id=each, name=names[each], kind="allow_once" if each == "once" else "allow_always")
            for each in event.scopes
        ]
        chosen = await self._chosen(self._updates.asked(event), options)
        with contextlib.suppress(AgentError):  # it was cancelled meanwhile
            if chosen is None:
                await self.service.interrupt()
            elif chosen in event.scopes:
                await self.service.reply(event.request_id, events.PermissionAnswer("allow", scope=chosen))
            else:
                await self.service.reply(event.request_id, events.PermissionAnswer("deny"))

    async def _chosen(self, call: schema.ToolCallUpdate, options: list[schema.PermissionOption]) -> str | None:
        """Return the id of the option that was chosen; None where the editor cancelled, or failed to ask."""
        try:
            answer = await self._client.request_permission(self.id, call, options)
        except acp.RequestError:
            return None
        return answer.outcome.option_id if isinstance(answer.outcome, schema.AllowedOutcome) else None

    async def _request(self, event: events.UiRequested) -> None:
        asked = read_request(event.payload)
        try:
            if isinstance(asked, ChangeRequest):
                await self.service.reply(event.request_id, await self._review(event, asked))
            elif self._has_forms:
                await self.service.reply(event.request_id, await self._form(asked) or events.UiAnswer())
            else:
                await self._say(_as_text(asked))
        except AgentError:
            pass  # it was settled meanwhile
        except (DogentError, acp.RequestError) as error:
            await self._say(f"\n\n{error}")
            with contextlib.suppress(AgentError):
                await self.service.reply(event.request_id, events.UiAnswer())

    async def _say(self, text: str) -> None:
        await self._client.session_update(self.id, acp.update_agent_message_text(text))

    async def _elicited(self, title: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any] | None:
        """Return what was filled in; None where the user declined."""
        form = schema.ElicitationSchema(properties=properties, required=required)
        asked = {"mode": "form", "session_id": self.id, "requested_schema": form}
        mode = schema.ElicitationFormSessionMode.model_validate(asked)
        answer = await self._client.create_elicitation(title, mode)
        return answer.content or {} if isinstance(answer, schema.AcceptElicitationResponse) else None

    async def _form(self, asked: Request) -> events.UiAnswer | None:
        """Put a form or an outline. Returns None where the user declined. Raises RequestError for answers that do not fit."""
        title = f"{asked.title}\n\n{asked.preface}".strip()
        if isinstance(asked, OutlineRequest):
            field = schema.ElicitationStringPropertySchema(type="string", title=tr("Outline"), default=asked.outline_text)
            given = await self._elicited(title, {"outline": field}, ["outline"])
            return None if given is None else check_answers(asked, given)
        properties: dict[str, Any] = {}
        for question in asked.questions:
            properties |= _fields(question)
        given = await self._elicited(title, properties, [])
        if given is None:
            return None
        answers = {question.id: _given(question, given) for question in asked.questions}
        return check_answers(asked, answers)

    async def _review(self, event: events.UiRequested, asked: ChangeRequest) -> events.UiAnswer:
        """Have the user choose hunks; none is chosen beforehand."""
        reviewed = await asyncio.to_thread(open_review, self.opened, asked)
        hunks, path = reviewed.change.hunks, str(reviewed.path)
        diffs = [tool_diff_content(path, "\n".join(hunk.new), "\n".join(hunk.old)) for hunk in hunks]
        title = tr("Change of {path}: {summary}").format(path=asked.path, summary=asked.summary)
        call = schema.ToolCallStart(
            session_update="tool_call",
            tool_call_id=event.request_id,
            title=title,
            kind="edit",
            status="pending",
            content=list(diffs),
            locations=[schema.ToolCallLocation(path=path, line=hunks[0].start + 1 if hunks else None)],
        )
        await self._client.session_update(self.id, call)
        taken = await self._taken(event, title, reviewed.change.hunks, diffs)
        if taken is None:
            return events.UiAnswer()
        decide(reviewed, {str(hunk.number): "accepted" if hunk.number in taken else "rejected" for hunk in hunks})
        answer, is_written = await asyncio.to_thread(written, self.opened, reviewed)
        status: Any = "completed" if is_written else "failed"
        progress = schema.ToolCallProgress(session_update="tool_call_update", tool_call_id=event.request_id, status=status)
        await self._client.session_update(self.id, progress)
        return answer

    async def _taken(self, event: events.UiRequested, title: str, hunks: Sequence[Any], diffs: list[Any]) -> set[int] | None:
        """Return the numbers of the hunks to write; None where nothing was decided."""
        if self._has_forms:
            options = [
                schema.EnumOption(const=str(hunk.number), title=f"{hunk.number}. {hunk.kind} {' › '.join(hunk.heading)}".rstrip())
                for hunk in hunks
            ]
            items = schema.TitledMultiSelectItems(any_of=options)
            field = schema.ElicitationMultiSelectPropertySchema(type="array", title=tr("Hunks to write"), items=items)
            given = await self._elicited(title, {"hunks": field}, [])
            return None if given is None else {int(each) for each in given.get("hunks") or () if str(each).isdecimal()}
        options_ = [
            schema.PermissionOption(option_id="deny", name=tr("Write nothing"), kind="reject_once"),
            schema.PermissionOption(option_id="once", name=tr("Write all of it"), kind="allow_once"),
        ]
        call = schema.ToolCallUpdate(tool_call_id=event.request_id, title=title, kind="edit", status="pending", content=diffs)
        chosen = await self._chosen(call, options_)
        if chosen is None:
            return None
        return {hunk.number for hunk in hunks} if chosen == "once" else set()


class DogentAgent:
    """What an editor talks to: its sessions, and what it can do. The methods are those of `acp.Agent` that we serve."""

    def __init__(self, options: SessionOptions) -> None:
        self._options = options
        self._sessions: dict[str, EditorSession] = {}
        self._client: acp.Client | None = None
        self._has_forms = False

    def on_connect(self, conn: acp.Client) -> None:
        """See the protocol."""
        self._client = conn

    async def initialize(
        self,
        protocol_version: int,  # noqa: ARG002 — there is one
        client_capabilities: schema.ClientCapabilities | None = None,
        **_: Any,
    ) -> schema.InitializeResponse:
        """Say what we can do."""
        elicitation = client_capabilities.elicitation if client_capabilities is not None else None
        self._has_forms = elicitation is not None and elicitation.form is not None
        sessions = schema.SessionCapabilities(
            list=schema.SessionListCapabilities(),
            resume=schema.SessionResumeCapabilities(),
            close=schema.SessionCloseCapabilities(),
        )
        setup = schema.TerminalAuthMethod(
            type="terminal",
            id="setup",
            name=tr("Choose a model"),
            description=tr("Opens dogent-tui in a terminal: /setup chooses the model."),
            args=[],
        )
        return schema.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_capabilities=schema.AgentCapabilities(
                load_session=True,
                prompt_capabilities=schema.PromptCapabilities(image=True, embedded_context=True),
                session_capabilities=sessions,
            ),
            agent_info=schema.Implementation(name="dogent-tui", title="dogent-tui", version=__version__),
            auth_methods=[setup],
        )

    async def authenticate(self, method_id: str, **_: Any) -> schema.AuthenticateResponse:
        """Nothing is kept by a connection: whoever answers is chosen in the settings."""
        del method_id
        return schema.AuthenticateResponse()

    async def new_session(self, cwd: str, **_: Any) -> schema.NewSessionResponse:
        """Begin a conversation in a folder."""
        session = await self._open(cwd, msgspec.structs.replace(self._options, begin=str(uuid.uuid4())))
        return schema.NewSessionResponse(session_id=session.id, config_options=config_options(session))

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> schema.LoadSessionResponse:
        """Go on with a conversation, and tell what was said in it."""
        options = msgspec.structs.replace(self._options, resume=session_id)
        session = await self._open(cwd, options, replays=True)
        return schema.LoadSessionResponse(config_options=config_options(session))

    async def resume_session(self, session_id: str, cwd: str, **_: Any) -> schema.ResumeSessionResponse:
        """Go on with a conversation that the editor still shows."""
        session = self._sessions.get(session_id)
        if session is None:
            session = await self._open(cwd, msgspec.structs.replace(self._options, resume=session_id))
        return schema.ResumeSessionResponse(config_options=config_options(session))

    async def list_sessions(self, cwd: str | None = None, cursor: str | None = None, **_: Any) -> schema.ListSessionsResponse:
        """List conversations, last spoken in first."""
        known = await asyncio.to_thread(lambda: list_sessions(Workspace(Path(cwd))) if cwd else all_sessions())
        start = int(cursor) if cursor and cursor.isdecimal() else 0
        shown = [
            schema.SessionInfo(session_id=each.session_id, cwd=each.workspace, title=each.title or None, updated_at=each.updated)
            for each in known[start : start + _PAGE]
        ]
        more = str(start + _PAGE) if start + _PAGE < len(known) else None
        return schema.ListSessionsResponse(sessions=shown, next_cursor=more)

    async def close_session(self, session_id: str, **_: Any) -> schema.CloseSessionResponse:
        """Let go of a conversation; it stays on the disk."""
        session = self._sessions.pop(session_id, None)
        if session is not None:
            await session.close()
        return schema.CloseSessionResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_: Any
    ) -> schema.SetSessionConfigOptionResponse:
        """Choose the model, or whether every change is reviewed."""
        session = self._known(session_id)
        if config_id == _REVIEW and value in ("on", "off"):
            session.opened.review_mode.on = value == "on"
        elif config_id == _MODEL and value in profile_names():
            session = await self._with_model(session, str(value))
        else:
            raise _wrong(tr("There is no option {name} with the value {value}.").format(name=config_id, value=value))
        return schema.SetSessionConfigOptionResponse(config_options=config_options(session))

    async def prompt(self, session_id: str, prompt: list[Block], **_: Any) -> schema.PromptResponse:
        """Send a prompt and answer when its turn has ended."""
        session = self._known(session_id)
        try:
            reason: Any = await session.prompt(prompt)
        except DogentError as error:
            raise _wrong(str(error)) from error
        return schema.PromptResponse(stop_reason=reason)

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Stop the run of a session."""
        if (session := self._sessions.get(session_id)) is not None:
            await session.cancel()

    async def close(self) -> None:
        """End every session."""
        await asyncio.gather(*(session.close() for session in self._sessions.values()), return_exceptions=True)

    async def _open(self, cwd: str, options: SessionOptions, *, replays: bool = False) -> EditorSession:
        assert self._client is not None
        folder = Path(cwd)
        if not folder.is_absolute() or not await asyncio.to_thread(folder.is_dir):
            raise _wrong(tr("There is no folder {folder}.").format(folder=cwd))
        try:
            opened = await asyncio.to_thread(open_session, Workspace(folder), options)
        except DogentError as error:
            raise _wrong(str(error)) from error
        if opened.read_only:
            raise _wrong(tr("This conversation is open in another window."))
        session = EditorSession(opened, self._client, has_forms=self._has_forms, replays=replays)
        await session.start()
        self._sessions[session.id] = session
        return session

    async def _with_model(self, session: EditorSession, profile: str) -> EditorSession:
        """Go on with a session under another profile."""
        await session.close()
        has_begun = session.service.begun or session.opened.earlier_log is not None
        chosen = {"resume": session.id} if has_begun else {"begin": session.id}
        options = msgspec.structs.replace(self._options, profile=profile, **chosen)
        return await self._open(str(session.opened.workspace.root), options)

    def _known(self, session_id: str) -> EditorSession:
        session = self._sessions.get(session_id)
        if session is None:
            raise _wrong(tr("There is no session {name} here.").format(name=session_id))
        return session


def profile_names() -> list[str]:
    """Return the profiles that can be chosen."""
    return [*read_profiles(dogent_home() / "claude.json")[0], OFFLINE]


def config_options(session: EditorSession) -> list[Any]:
    """Return what an editor may choose in a session: the model, and whether changes are reviewed."""
    current = session.opened.endpoint.name
    names = dict.fromkeys([current, *profile_names()])
    return [
        schema.SessionConfigOptionSelect(
            type="select",
            id=_MODEL,
            name=tr("Model"),
            category="model",
            current_value=current,
            options=[schema.SessionConfigSelectOption(value=name, name=name) for name in names],
        ),
        schema.SessionConfigOptionSelect(
            type="select",
            id=_REVIEW,
            name=tr("Changes"),
            category="mode",
            current_value="on" if session.opened.review_mode.on else "off",
            options=[
                schema.SessionConfigSelectOption(value="off", name=tr("Write changes, undo later")),
                schema.SessionConfigSelectOption(value="on", name=tr("Review every change")),
            ],
        ),
    ]


def image_folder() -> Path:
    """Return the private folder where images of prompts lie."""
    return private_folder(state_dir() / "prompt-images")


def _wrong(message: str) -> acp.RequestError:
    return acp.RequestError(-32602, message)


def _fields(question: Question) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a form for a question: its options, and a text where words of one's own are taken."""
    title = question.question
    options = [
        schema.EnumOption(const=each.value, title=each.label, description=each.description or None) for each in question.options
    ]
    if options and question.multiple:
        items = schema.TitledMultiSelectItems(any_of=options)
        chosen = list(question.recommended) or None
        yield question.id, schema.ElicitationMultiSelectPropertySchema(type="array", title=title, items=items, default=chosen)
    elif options:
        default = question.recommended[0] if question.recommended else None
        yield question.id, schema.ElicitationStringPropertySchema(type="string", title=title, one_of=options, default=default)
    if question.takes_text:
        own = tr("{question} (in your own words)").format(question=title) if options else title
        name = f"{question.id}_text" if options else question.id
        described = question.placeholder or None
        yield name, schema.ElicitationStringPropertySchema(type="string", title=own, description=described)


def _given(question: Question, given: dict[str, Any]) -> Any:
    """Return the answer to a question out of what was filled in."""
    own = str(given.get(f"{question.id}_text") or "").strip()
    chosen = given.get(question.id) or None
    if question.multiple and own:
        return [*(chosen or []), own]
    return own or chosen


def _as_text(asked: Request) -> str:
    """Return what is asked as text, for an editor without forms; the next prompt answers it."""
    lines = ["", "", f"**{asked.title}**", "", asked.preface, ""]
    if isinstance(asked, OutlineRequest):
        return "\n".join([*lines, asked.outline_text, "", tr("Send the outline back as you want it.")])
    for question in asked.questions:
        lines += [f"- {question.question}"]
        for option in question.options:
            mark = tr(" (recommended)") if option.value in question.recommended else ""
            lines += [f"  - {option.label}{mark} {option.description}".rstrip()]
    return "\n".join(lines)


def _from_text(asked: Request | ChangeRequest, text: str) -> events.UiAnswer | None:
    """Return the answer that a prompt is; None where it is none: it goes to the agent as it stands."""
    if isinstance(asked, OutlineRequest) and any(line.startswith("#") for line in text.splitlines()):
        return events.UiAnswer(outline=text)
    if isinstance(asked, Clarification) and len(asked.questions) == 1:
        with contextlib.suppress(RequestError):
            return check_answers(asked, {asked.questions[0].id: text.strip()})
    return None


async def run_acp(options: SessionOptions) -> None:
    """Serve one editor on standard input and output until it goes away. Nothing but the protocol is written there."""
    wire = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever prints, here or in a child, goes to standard error
    sys.stdout = os.fdopen(os.dup(wire.fileno()), "w")
    agent = DogentAgent(msgspec.structs.replace(options, allow=(*options.allow, f"read:{image_folder()}/")))
    try:
        await acp.run_agent(cast("acp.Agent", agent), use_unstable_protocol=True, stdio_buffer_limit_bytes=_LARGEST_LINE)
    finally:
        await agent.close()
