"""What may run in one workspace: the policy combined with what the user has allowed. The only place
where the two meet.

The policy is imported on use: it is not needed before the first tool call, which keeps startup
fast.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dogent_tui.agent.events import PermissionRequested, Scope
from dogent_tui.agent.wall_status import find_wall_status
from dogent_tui.language import tr
from dogent_tui.settings.grants import GrantStore, RememberedGrant
from dogent_tui.storage.paths import Workspace, dogent_home, state_dir

if TYPE_CHECKING:
    from dogent_tui.permissions.grants import Grant
    from dogent_tui.permissions.model import Decision, Effect, ToolCall
    from dogent_tui.storage.places import ApprovedPlaces
    from dogent_tui.undo.changes import Difference, Loss
    from dogent_tui.wall.probe import WallStatus
    from dogent_tui.web.named import NamedHosts

_OURS = "mcp__dogent__"
_READ_DOCUMENT = "mcp__dogent__read_document"
_WEB_FETCH = f"{_OURS}web_fetch"
"""Our tool that fetches. The CLI's own runs elsewhere and asks about every private address."""
_MOST_OPENED = 50
"""The number of addresses remembered: text may leave in pieces."""

_NOT_NAMED = (
    "{} It is opened only if the user names it in a prompt and then allows it, or if their settings"
    " allow it (web_allow_hosts)."
)


class HeldGrant(msgspec.Struct, frozen=True):
    """A grant in effect. `granted` is its time, UTC, ISO 8601, empty if unknown.

    `origin` is `session` or `always` for answers of the user, and `rule` for the command line.
    """

    grant: "Grant"
    origin: str
    granted: str = ""


class Authority:
    """Decides about tool calls. Thread-safe."""

    def __init__(
        self,
        workspace: Workspace,
        rules: Sequence[str] = (),
        hosts: "NamedHosts | None" = None,
        known: Callable[[], str] = str,
        images: Path | None = None,
        places: "ApprovedPlaces | None" = None,
        *,
        consent: bool = False,
    ) -> None:
        """Decide for `workspace`. Raises UsageError if one of the `rules` is invalid.

        Args:
            workspace: The folder that the agent works in.
            rules: What is allowed from the start.
            hosts: Knows which private hosts the user named; only these are asked about when our
                tool fetches.
            known: Returns what the user wrote and what searches found, which may appear in an
                address.
            images: Where images are saved.
            places: Is told where calls of our own tools may go.
            consent: Whether every access to a document requires a question.
        """
        self._consent = consent
        self._known = known
        self._images = images
        self._hosts = hosts
        self._places = places
        self._root = workspace.root
        self._private = (dogent_home(), state_dir())
        self._rules = tuple(self._parsed(rule) for rule in rules)
        self._session: tuple[Grant, ...] = ()
        self._opened: tuple[str, ...] = ()
        self.readable: tuple[Path, ...] = ()
        """Folders outside the workspace that the agent may read without asking: those of the user's
        skills.
        """
        self.wall_status_told = False
        """Whether the user has been told which wall there is."""

    @cached_property
    def _visible(self) -> tuple[Path, ...]:
        """The places of tools that commands see."""
        from dogent_tui.wall.view import read_only_places

        return read_only_places(Path.home())

    @cached_property
    def wall_status(self) -> "WallStatus":
        """The wall around commands. Found by trying, once: the first access takes a tenth of a
        second, so do it in a thread.
        """
        return find_wall_status(Workspace(self._root))

    @cached_property
    def store(self) -> GrantStore:
        """The file that stores permanent grants."""
        from dogent_tui.permissions.paths import STORE

        return GrantStore(dogent_home() / STORE, self._root)

    def decide(self, call: "ToolCall") -> "Decision":
        """Return the decision about `call`: the policy's verdict, or `allow` if grants cover
        everything it asks about.
        """
        decision = self._with_grants(self.judge(call))
        if decision.verdict == "ask" and self._is_unnamed(call, decision):
            reason = _NOT_NAMED.format(" ".join(decision.reasons))
            return replace(decision, verdict="deny", reasons=(reason,), rememberable=False)
        return decision

    def record_start(self, call: "ToolCall", decision: "Decision") -> None:
        """Record that `call` is running now, with what `decision` asked about approved."""
        if address := _address(call):
            self._opened = (*self._opened[-_MOST_OPENED:], address)
        if self._places is not None and call.tool.startswith(_OURS):
            self._places.note(
                call.input, [effect.path for effect in decision.effects if effect.path is not None]
            )
        if self._hosts is None or call.tool != _WEB_FETCH:
            return
        note = self._hosts.approve if _reaches_inside(call, decision) else self._hosts.withdraw
        note(_address(call))

    def _is_unnamed(self, call: "ToolCall", decision: "Decision") -> bool:
        """Return whether `call` fetches from a private host that the user never mentioned: it is
        denied without a question.
        """
        return (
            self._hosts is not None
            and _reaches_inside(call, decision)
            and not self._hosts.named(_address(call))
        )

    def judge(self, call: "ToolCall") -> "Decision":
        """Return the policy's decision about `call`, regardless of grants."""
        from dogent_tui.permissions.policy import decide
        from dogent_tui.permissions.tools import Fetching

        leads_inside = None
        if self._hosts is not None and call.tool == _WEB_FETCH:
            granted = {held.grant.place for held in self.grants() if held.grant.kind == "network"}
            leads_inside = partial(self._hosts.leads_inside, granted=granted)
        looker = (
            _looker(Workspace(self._root))
            if call.tool == _READ_DOCUMENT and call.input.get("ocr")
            else ""
        )
        fetching = Fetching(leads_inside, self._known(), self._images, looker, self._opened)
        return decide(
            call,
            self._root,
            private=self._private,
            fetching=fetching,
            wall=self.wall_status.level if call.tool == "Bash" else "full",
            visible=(*self._visible, *self.readable),
            readable=self.readable,
            consent=self._consent,
        )

    def allowing(self, decision: "Decision") -> tuple["Grant", ...]:
        """Return the grants that allow what `decision` asks about, empty unless they cover all of
        it.
        """
        from dogent_tui.permissions.grants import covering

        return covering((held.grant for held in self.grants()), decision)

    def judge_outcome(
        self, difference: "Difference", losses: "Sequence[Loss]", allowed: "Sequence[Effect]"
    ) -> "Decision":
        """Return whether to keep what a command did without asking. `allowed` is what the user
        approved before it ran.
        """
        from dogent_tui.permissions.outcome import judge_outcome
        from dogent_tui.permissions.paths import PathRule

        rule = PathRule(self._root, Path.home(), self._private)
        visible = (*self._visible, *self.readable)
        return self._with_grants(judge_outcome(difference, losses, rule, allowed, visible))

    def _with_grants(self, decision: "Decision") -> "Decision":
        if decision.verdict == "ask" and self.allowing(decision):
            return replace(decision, verdict="allow", reasons=(tr("You allowed this before."),))
        return decision

    def question(
        self,
        call: "ToolCall",
        decision: "Decision",
        *,
        tool_use_id: str = "",
        why: tuple[str, ...] = (),
        difference: "Difference | None" = None,
    ) -> PermissionRequested:
        """Return the question about `call`, with a new id. `why` precedes the policy's own reasons.
        Reads the disk.

        `difference` is what a command has already done, if the question is whether to keep it.
        """
        from dogent_tui.permissions.question import ask_about

        asked = ask_about(call, decision, self._root, difference=difference)
        told = {
            **msgspec.to_builtins(asked),
            "request_id": uuid.uuid4().hex[:12],
            "tool_use_id": tool_use_id,
            "tool": call.tool,
            "input": call.input,
            "reasons": [*why, *asked.reasons],
            "happened": difference is not None,
        }
        return msgspec.convert(told, PermissionRequested)

    def grants(self) -> tuple[HeldGrant, ...]:
        """Return the grants, those of the command line first. Other windows' answers take effect at
        the next call.
        """
        from dogent_tui.permissions.grants import Grant

        return (
            *(HeldGrant(grant, "rule") for grant in self._rules),
            *(HeldGrant(grant, "session") for grant in self._session),
            *(
                HeldGrant(Grant(one.kind, one.place, one.program), "always", one.granted)
                for one in self.store.load()
            ),
        )

    def remember(self, decision: "Decision", scope: Scope) -> None:
        """Allow from now on what `decision` asked about. Does nothing if that cannot be remembered
        safely.

        Raises OSError, DogentError if it cannot be stored permanently; it then applies to this
        session.
        """
        from dogent_tui.permissions.grants import keys_of

        keys = keys_of(decision)
        if scope == "once" or not keys:
            return
        if scope == "always":
            try:
                self.store.add(
                    tuple(RememberedGrant(key.kind, key.place, key.program) for key in keys)
                )
                return
            except BaseException:
                self._session = (*self._session, *keys)
                raise
        self._session = tuple(dict.fromkeys((*self._session, *keys)))

    def revoke(self, held: HeldGrant) -> None:
        """Revoke a grant. Raises OSError, DogentError if it cannot be removed from the file."""
        if held.origin == "always":
            self.store.revoke(
                RememberedGrant(held.grant.kind, held.grant.place, held.grant.program)
            )
        elif held.origin == "session":
            self._session = tuple(grant for grant in self._session if grant != held.grant)
        else:
            self._rules = tuple(grant for grant in self._rules if grant != held.grant)

    def describe(self, grant: "Grant") -> str:
        """Describe what a grant allows to the user."""
        return grant.sentence(self._root)

    def _parsed(self, rule: str) -> "Grant":
        from dogent_tui.permissions.grants import parse_rule

        return parse_rule(rule, self._root)


def _reaches_inside(call: "ToolCall", decision: "Decision") -> bool:
    """Return whether a call of our tool is asked about because its address is not public."""
    return call.tool == _WEB_FETCH and any(
        effect.kind.value == "network" for effect in decision.asked
    )


def _address(call: "ToolCall") -> str:
    url = call.input.get("url")
    return url if isinstance(url, str) else ""


def _looker(workspace: Workspace) -> str:
    """Return the vision profile of the workspace and its provider's address; if there is none, the
    tool says so.
    """
    from urllib.parse import urlsplit

    from dogent_tui.errors import DogentError
    from dogent_tui.settings.values import load_settings
    from dogent_tui.vision.profiles import load_profile

    try:
        profile = load_profile(load_settings(workspace)[0].vision_profile, dogent_home())
    except DogentError:
        return ""
    return f"{profile.name} ({urlsplit(profile.base_url).hostname or profile.provider})"
