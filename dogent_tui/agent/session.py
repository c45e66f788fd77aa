"""Opens a session: from a folder and a few choices to a running service, the same for every face of
the application.
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
from dogent_tui.settings.config_check import ConfigWarning, broken_file_warning
from dogent_tui.settings.home_files import ensure_home_files
from dogent_tui.settings.key_files import key_file_warnings
from dogent_tui.settings.profiles import (
    ENVIRONMENT,
    Endpoint,
    choose_endpoint,
    profile_names,
)
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import (
    EVERY_TOOL,
    HomeSettings,
    WorkspaceSettings,
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
    """What the user chose on the command line.

    Attributes:
        allow: Rules for what may run without asking.
        resume: The id of the conversation to continue.
        fork: Continue it as a new conversation, and leave it unchanged.
        answered_by: Who answers the agent's questions.
        trust: Whether to trust what came with the folder, this time.
        begin: The UUID for a new conversation.
        consent: Only offer tools that ask before every access to a document.
        model: Overrides the profile's model.
        effort: Overrides the model's default effort.
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
    with, and everything else here that reads or writes documents. `review_mode` says whether the
    user reviews every change, and can be changed. `read_only`: another window has this
    conversation. `hold` keeps others from writing it. `fork_of` is the conversation that a new one
    begins with.
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
        """The chosen profile if it cannot be used and the offline engine answers instead; otherwise
        empty.
        """
        wanted = (self.options.profile or self.settings.profile or self.own.profile).strip()
        return "" if wanted == self.endpoint.name else wanted


def open_session(workspace: Workspace, options: SessionOptions) -> OpenedSession:
    """Read the configuration and return its session. Cheap: nothing is imported or started for the
    agent yet.

    Raises UsageError if the conversation to continue does not belong to this workspace.
    """
    home = dogent_home()
    settings, warnings = load_settings(workspace)
    try:
        ensure_home_files(home)
        private_folder(state_dir())
    except (
        ConfigError,
        OSError,
    ) as error:  # a read-only home costs the stubs, not the session
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
        on_prompt=libraries.hosts.heard,
        on_run=lambda run_id: copies().begin_run(run_id),
        budget=budget,
    )
    warnings += [*own_warnings, *endpoint_warnings, *web_warnings, *key_file_warnings(home)]
    warnings += [*_web_warnings(libraries)]
    warnings += [broken_file_warning(broken)] if (broken := trust.store.broken) else []
    warnings += instruction_warnings(workspace) if trust.trusted else ()
    return OpenedSession(
        workspace=workspace,
        settings=settings,
        endpoint=endpoint,
        service=service,
        # several readers of a file may have reported the same
        warnings=tuple(dict.fromkeys(warnings)),
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


def _earlier(workspace: Workspace, options: SessionOptions) -> SessionRecord | None:
    """Return the conversation to continue or to fork. Raises UsageError if the named one does not
    exist.
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
    """Return whether we may write the conversation; also if nothing can be locked, since nothing
    can be written then.
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
    """Return a function that provides the copies of a session, created when first needed, in the
    first run.

    A new session begins with those of the session `fork_of`, so that its prompts can be rewound
    too.
    """

    @cache
    def copies() -> "UndoLog":
        from dogent_tui.undo.undo_log import UndoLog

        return UndoLog.of(workspace, session_id, fork_of)

    return copies


def make_prompt(
    text: str,
    workspace: Workspace,
    references: Iterable[Reference],
    also: Iterable[Attachment] = (),
) -> tuple[Prompt, list[ResolvedReference]]:
    """Return `text` as a prompt with its `references` as attachments, in order and without
    duplicates, and those not found.

    `also` are further attachments, which come last. Reads the disk.
    """
    resolved = [resolve(reference, workspace) for reference in references]
    found = [as_attachment(ref) for ref in resolved if ref.exists]
    return Prompt(text, tuple(dict.fromkeys([*found, *also]))), [
        ref for ref in resolved if not ref.exists
    ]


def prompt_of(
    opened: OpenedSession, text: str, also: Iterable[Attachment] = (), quoted: str = ""
) -> tuple[Prompt, list[ResolvedReference]]:
    """Return `text` as a prompt with everything it names, and `also`, and the references not found.
    `quoted` is appended without looking for references.

    Reads the disk. Raises ConfigError like `with_template`; OSError.
    """
    prompt, missing = make_prompt(text, opened.workspace, find_references(text), also)
    prompt = with_template(prompt, opened.workspace, trusted=opened.trust.trusted)
    whole = "\n\n".join(filter(str.strip, [prompt.text, quoted]))
    return msgspec.structs.replace(prompt, text=whole), missing


def check_usable(opened: OpenedSession) -> None:
    """Raise an error where no one would see what is wrong: DogentError if another window has the
    conversation; UsageError or ConfigError if the user named a profile and another would be used.
    Reads the profiles.
    """
    wanted = opened.options.profile.strip()
    if wanted and opened.unusable_profile:
        names = profile_names()
        if wanted not in (*names, ENVIRONMENT):
            raise UsageError(
                tr("There is no profile {name}.", name=wanted),
                tr("Available: {names}.", names=", ".join(names)),
            )
        found = (each for each in opened.warnings if each.code.startswith("profile_"))
        why = next(found, ConfigWarning(tr("There is no usable key in the environment.")))
        remedy = why.remedy or tr("Set ANTHROPIC_API_KEY, or specify a profile.")
        raise ConfigError(why.message, remedy)
    if opened.read_only:
        raise DogentError(
            tr("This conversation is open in another window."),
            tr("Close it there first, or start another one here."),
        )


def with_template(prompt: Prompt, workspace: Workspace, *, trusted: bool) -> Prompt:
    """Return `prompt` with the template that it names after ``@@``, if any. Reads the disk.

    Raises ConfigError if there is no such template, or more than one is named; OSError.
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
    """Return the attachment for a resolved reference."""
    lines = found.reference.lines if found.type != "folder" else None
    return Attachment(
        found.path, found.name, found.type, found.sheet, format_lines(lines) if lines else None
    )


def _web_warnings(libraries: Libraries) -> list[ConfigWarning]:
    """Report in advance what the web tools would report when called."""
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
