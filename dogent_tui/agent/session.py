"""Opening a session: from a folder and a few choices to a service that runs, the same for every
face of the application.
"""

import uuid
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.conversation import Effort, SessionChoice
from dogent_tui.agent.events import Attachment, Prompt, UsedTemplate
from dogent_tui.agent.launch import AnsweredBy, Budget, ClaudeLauncher
from dogent_tui.agent.project_instructions import instruction_warnings
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.ui_requests import ReviewMode
from dogent_tui.endpoint_kind import EndpointKind
from dogent_tui.errors import ConfigError, DogentError, UsageError
from dogent_tui.language import listing, tr
from dogent_tui.records import Record
from dogent_tui.references.lookup import (
    Reference,
    ResolvedReference,
    find_references,
    format_lines,
    resolve,
)
from dogent_tui.settings.key_files import key_file_warnings
from dogent_tui.settings.profiles import ENVIRONMENT, Endpoint, choose_endpoint, ensure_home_files
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import (
    EVERY_TOOL,
    ConfigWarning,
    HomeSettings,
    WorkspaceSettings,
    broken_file_warning,
    load_home_settings,
    load_settings,
)
from dogent_tui.storage.files import private_folder
from dogent_tui.storage.paths import Workspace, display_path, dogent_home, state_dir
from dogent_tui.storage.session_log import SessionHold
from dogent_tui.storage.sessions import SessionRecord, latest_session, list_sessions
from dogent_tui.tools.libraries import Libraries
from dogent_tui.web.profiles import read_access

if TYPE_CHECKING:
    from dogent_tui.undo.undo_log import UndoLog


class SessionOptions(Record):
    """What the user chose on the command line. `allow` are rules of what may run unasked.

    `resume` is the id of the conversation to continue; `fork`: continue from there in another one,
    and leave it as it is. `answered_by` is who answers what the agent asks.
    `trust`: what came with the folder is used, this time. `begin` is the UUID of a new
    conversation, if it is to have that one. `consent`: only tools that ask whenever they look at a
    document. `model` and `effort` are taken in place of the profile's model, and of the effort that
    the model makes by itself.
    """

    profile: str = ""
    continue_latest: bool = False
    allow: tuple[str, ...] = ()
    answered_by: AnsweredBy = "user"
    trust: bool = False
    resume: str = ""
    fork: bool = False
    begin: str = ""
    consent: bool = False
    model: str = ""
    effort: Effort = ""


class OpenedSession(Record):
    """A service that is ready to be entered. `earlier_log` is the log of the conversation that it
    continues.

    `authority` knows what the user allowed, `copies()` what the session's tool calls changed,
    `trust` whether what came with the folder is used. `libraries` is what the agent's tools work
    with, and whatever else reads or writes documents here. `review_mode` says whether the user
    reviews every change of a file, and can be changed. `read_only`: another window has this
    conversation, and it can only be read here. `hold` keeps others from writing it. `fork_of` is
    the conversation that a new one begins with.
    """

    workspace: Workspace
    settings: WorkspaceSettings
    endpoint: Endpoint
    service: AgentService
    warnings: tuple[ConfigWarning, ...]
    earlier_log: Path | None
    options: SessionOptions
    authority: Authority
    copies: Callable[[], "UndoLog"]
    trust: FolderTrust
    libraries: Libraries
    own: HomeSettings = HomeSettings()
    review_mode: ReviewMode = msgspec.field(default_factory=ReviewMode)
    hold: SessionHold = msgspec.field(default_factory=SessionHold)
    read_only: bool = False
    fork_of: SessionRecord | None = None

    @property
    def unusable_profile(self) -> str:
        """The profile that was to answer and cannot, so that the offline engine does; empty
        where the right one answers.
        """
        wanted = (self.options.profile or self.settings.profile or self.own.profile).strip()
        return "" if wanted == self.endpoint.name else wanted


def open_session(workspace: Workspace, options: SessionOptions) -> OpenedSession:
    """Read the configuration and return the session for it. Cheap: nothing is imported or started
    for the agent yet.

    Raises UsageError where the conversation to continue is not one of this workspace.
    """
    home = dogent_home()
    settings, warnings = load_settings(workspace)
    try:
        ensure_home_files(home)
        private_folder(state_dir())
    except (
        ConfigError,
        OSError,
    ) as error:  # a home that cannot be written costs the stubs, not the session
        warnings.append(_not_writable(error, home))
    endpoint, endpoint_warnings = choose_endpoint(settings, home, override=options.profile or None)
    if options.model and endpoint.kind != "offline":
        endpoint = msgspec.structs.replace(endpoint, model=options.model)
    earlier = _earlier(workspace, options)
    hold = SessionHold()
    read_only = earlier is not None and not options.fork and not _taken(hold, earlier)
    session = _choice(earlier, options)
    web, web_warnings = read_access(settings.web_profile, home)
    libraries = Libraries(
        workspace, settings, web, consent=options.consent or settings.consent == EVERY_TOOL
    )
    authority = Authority(
        workspace,
        options.allow,
        libraries.hosts,
        libraries.hosts.said,
        libraries.images,
        libraries.places,
        consent=libraries.consent,
    )
    copies = _copies_of(workspace, session, earlier, fork=options.fork)
    trust = FolderTrust(workspace, given=options.trust)
    libraries.keeps_sources = lambda: trust.trusted
    own, own_warnings = load_home_settings(home)
    review_mode = ReviewMode(settings.review_edits)
    budget = Budget(own.budget_usd)
    launcher = ClaudeLauncher(
        workspace,
        endpoint,
        authority,
        trust,
        libraries,
        settings=lambda: load_settings(workspace)[0],
        copies=copies,
        answered_by=options.answered_by,
        review_mode=review_mode,
        budget=budget,
        effort=options.effort,
    )
    service = AgentService(
        launcher,
        endpoint,
        cwd=str(workspace.root),
        session=session,
        heard=libraries.hosts.heard,
        began=lambda run_id: copies().begin_run(run_id),
        budget=budget,
    )
    return OpenedSession(
        workspace=workspace,
        settings=settings,
        endpoint=endpoint,
        service=service,
        warnings=_each_once(
            warnings,
            own_warnings,
            endpoint_warnings,
            web_warnings,
            key_file_warnings(home),
            _web_warnings(libraries),
            _trust_warnings(trust),
            instruction_warnings(workspace) if trust.trusted else (),
        ),
        earlier_log=earlier.path if earlier else None,
        options=options,
        authority=authority,
        copies=copies,
        trust=trust,
        libraries=libraries,
        own=own,
        review_mode=review_mode,
        hold=hold,
        read_only=read_only,
        fork_of=earlier if options.fork else None,
    )


def _each_once(*warnings: Iterable[ConfigWarning]) -> tuple[ConfigWarning, ...]:
    """Return all `warnings`; several readers of a file may have told the same of it."""
    return tuple(dict.fromkeys(warning for some in warnings for warning in some))


def _earlier(workspace: Workspace, options: SessionOptions) -> SessionRecord | None:
    """Return the conversation to continue or to fork. Raises UsageError where the one that was
    named is not there.
    """
    if not options.resume:
        return latest_session(workspace) if options.continue_latest else None
    for record in list_sessions(workspace):
        if options.resume in record.ids:
            return record
    raise UsageError(
        tr("There is no conversation {resume} in this folder.", resume=options.resume),
        tr("Run dogent-tui --resume to list them."),
    )


def _choice(earlier: SessionRecord | None, options: SessionOptions) -> SessionChoice:
    if earlier is None:
        return SessionChoice(options.begin or str(uuid.uuid4()))
    if options.fork:
        return SessionChoice(str(uuid.uuid4()), fork_of=earlier.session_id, dropped=earlier.dropped)
    return SessionChoice(earlier.session_id, resume=True, dropped=earlier.dropped)


def _taken(hold: SessionHold, earlier: SessionRecord) -> bool:
    """Whether the conversation is ours to write. Where nothing can be locked, nothing can be
    written either: it is.
    """
    try:
        return hold.take(earlier.path)
    except OSError:
        return True


def _copies_of(
    workspace: Workspace, session: SessionChoice, earlier: SessionRecord | None, *, fork: bool
) -> Callable[[], "UndoLog"]:
    if earlier is None:
        return session_copies(workspace, session.session_id)
    if fork:
        return session_copies(workspace, session.session_id, earlier.first_id)
    return session_copies(workspace, earlier.first_id)


def session_copies(
    workspace: Workspace, session_id: str, fork_of: str = ""
) -> Callable[[], "UndoLog"]:
    """Return what gives the copies of a session, always the same: they are not needed before the
    first run.

    A new one begins with those of the session `fork_of`: its prompts can be gone back to as well.
    """

    @cache
    def copies() -> "UndoLog":
        from dogent_tui.undo.undo_log import UndoLog

        return UndoLog(workspace, session_id, fork_of=fork_of)

    return copies


def make_prompt(
    text: str,
    workspace: Workspace,
    references: Iterable[Reference],
    also: Iterable[Attachment] = (),
) -> tuple[Prompt, list[ResolvedReference]]:
    """Return `text` as a prompt with its `references` as attachments, in the order typed, each
    once, and those not found.

    `also` are attachments that the text does not name; they come last. Looks at the disk.
    """
    resolved = [resolve(reference, workspace) for reference in references]
    found = [as_attachment(ref) for ref in resolved if ref.exists]
    return Prompt(text, tuple(dict.fromkeys([*found, *also]))), [
        ref for ref in resolved if not ref.exists
    ]


def prompt_of(
    opened: OpenedSession, text: str, also: Iterable[Attachment] = (), quoted: str = ""
) -> tuple[Prompt, list[ResolvedReference]]:
    """Return `text` as a prompt with all that it names, and `also`, and the references that are
    not found. `quoted` comes after it: no reference is looked for there.

    Looks at the disk. Raises ConfigError, as `with_template` does; OSError.
    """
    prompt, missing = make_prompt(text, opened.workspace, find_references(text), also)
    prompt = with_template(prompt, opened.workspace, trusted=opened.trust.trusted)
    whole = "\n\n".join(filter(str.strip, [prompt.text, quoted]))
    return msgspec.structs.replace(prompt, text=whole), missing


def check_writable(opened: OpenedSession) -> None:
    """Raise DogentError where another window has the conversation."""
    if opened.read_only:
        raise DogentError(
            tr("This conversation is open in another window."),
            tr("Close it there first, or start another one here."),
        )


def with_template(prompt: Prompt, workspace: Workspace, *, trusted: bool) -> Prompt:
    """Return `prompt` with the template that it names after ``@@``, if it does. Looks at the disk.

    Raises ConfigError where there is no such template, or more than one is named; OSError.
    """
    from dogent_tui.settings.templates import find_template, named_templates, templates

    named = named_templates(prompt.text)
    if not named:
        return prompt
    if len(named) > 1:
        raise ConfigError(
            tr("{names} are several templates.", names=listing([f"@@{name}" for name in named])),
            tr("Use one per request."),
        )
    found = find_template(named[0], templates(workspace, dogent_home(), trusted=trusted))
    return msgspec.structs.replace(prompt, template=UsedTemplate(found.spelled, found.text()))


def as_attachment(found: ResolvedReference) -> Attachment:
    """Return what travels of a file that a reference leads to."""
    lines = found.reference.lines if found.type != "folder" else None
    return Attachment(
        found.path, found.name, found.type, found.sheet, format_lines(lines) if lines else None
    )


def endpoint_label(name: str, kind: EndpointKind, model: str) -> str:
    """Return how the endpoint in use is named wherever it is shown: who answers, and with what."""
    if kind == "offline":
        return tr("offline engine · no AI model")
    shown = tr("environment") if name == ENVIRONMENT else name
    return f"{shown} · {model}" if model else shown


def _trust_warnings(trust: FolderTrust) -> list[ConfigWarning]:
    return [broken_file_warning(trust.store.broken)] if trust.store.broken else []


def _web_warnings(libraries: Libraries) -> list[ConfigWarning]:
    """Say beforehand what the web tools would say when the agent calls them."""
    profile = libraries.web.profile
    if profile is None:
        return []
    from dogent_tui.web.model import WebError
    from dogent_tui.web.search.providers import provider_of

    warnings = []
    try:
        provider_of(profile)
    except WebError as error:
        warnings.append(ConfigWarning(error.message, error.remedy, f"web_profile_{error.code}"))
    if not libraries.workspace.contains(libraries.images):
        message = tr(
            "The images_path of this folder points outside it ({images}): images from the web are"
            " not saved there.",
            images=libraries.images,
        )
        warnings.append(
            ConfigWarning(
                message,
                tr("Specify a folder inside it in .dogent/dogent.json."),
                "images_path_outside",
            )
        )
    return warnings


def _not_writable(error: ConfigError | OSError, home: Path) -> ConfigWarning:
    if isinstance(error, ConfigError):
        return ConfigWarning(error.message, error.remedy, "home_not_writable")
    return ConfigWarning(
        tr("Nothing can be saved to disk: {reason}.", reason=error.strerror or error),
        tr(
            "Fix the permissions of {folder}, or set DOGENT_HOME to another folder.",
            folder=display_path(error.filename or home),
        ),
        "home_not_writable",
    )
