"""/permissions and /undo: what the user sees of what they allowed, and how they take it back."""

import pytest
from textual.app import App
from textual.widgets import OptionList, Static

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.wall_status import wall_status_words
from dogent_tui.permissions.model import ToolCall
from dogent_tui.settings.grants import RememberedGrant
from dogent_tui.tui.commands.conversation import undone_words
from dogent_tui.tui.screens.permissions import PermissionsScreen
from dogent_tui.undo.undo_log import Undone
from dogent_tui.wall.probe import WallStatus


def allow(authority: Authority, tool: str, scope: str, **tool_input: str) -> None:
    authority.remember(authority.decide(ToolCall(tool, tool_input)), scope)


def lines(screen: PermissionsScreen) -> list[str]:
    options = screen.query_one(OptionList)
    return [
        str(options.get_option_at_index(number).prompt) for number in range(options.option_count)
    ]


async def opened(s) -> PermissionsScreen:
    await s.type("/permissions")
    await s.pilot.press("enter")
    await s.until(
        lambda: (
            isinstance(s.app.screen, PermissionsScreen)
            and s.app.screen.query_one(OptionList).has_focus
        )
    )
    return s.app.screen


async def test_what_is_allowed_is_listed_and_taken_back_by_keys(stage, workspace):
    async with stage() as s:
        authority = s.app.opened.authority
        allow(authority, "Bash", "session", command="rm notes.md")
        allow(authority, "Read", "always", file_path="/etc/[b]hosts")
        screen = await opened(s)
        first, second = lines(screen)
        assert first == "Delete notes.md (by commands)\n  for this session"
        assert second.startswith("Read /etc/[b]hosts\n  always in this workspace · since 2")
        await s.pilot.press("down", "delete")
        await s.until(lambda: lines(screen) == [first])
        assert authority.store.load() == ()
        await s.pilot.press("r")
        await s.until(lambda: lines(screen) == [])
        assert "Nothing yet" in str(screen.query_one("#permissions-nothing", Static).render())
        await s.pilot.press("r", "escape")
        await s.until(lambda: s.app.screen is s.app.conversation)


async def test_a_new_conversation_keeps_what_the_command_line_allowed_and_no_more(stage, workspace):
    async with stage() as s:
        allow(s.app.opened.authority, "Bash", "session", command="rm notes.md")
        await s.type("/new")
        before = s.app.opened
        await s.pilot.press("enter")
        await s.until(lambda: s.app.opened is not before)
        assert s.app.opened.authority.grants() == ()


async def test_undo_brings_back_what_the_agent_deleted(stage, workspace):
    notes = workspace.root / "notes.md"
    async with stage() as s:
        s.app.opened.copies().keep("Run rm notes.md", [notes])
        notes.unlink()
        for told in (
            "Undone: restored notes.md. The change was: Run rm notes.md",
            "There are no more changes",
        ):
            await s.type("/undo")
            await s.pilot.press("enter")
            await s.until(lambda told=told: s.hint.startswith(told))
        assert notes.exists()
        await s.until(
            lambda: any(
                hit.path == "notes.md" for hit in s.app.conversation.index.search("notes", 5)
            )
        )
        await s.pilot.press("ctrl+c")
        await s.send("Go on")
        assert f"- {notes} (as it was before)" in s.conversation.sent[0]


def test_what_an_undo_did_in_one_line():
    undone = Undone(
        "Write [b]new.md", tuple(f"/w/{n}" for n in range(5)), ("/w/new.md",), ("/etc/x",)
    )
    assert (
        undone_words(undone, "/w")
        == "Undone: restored 0, 1, 2 and 2 more; deleted new.md. Left unchanged: /etc/x. The change"
        " was: Write [b]new.md"
    )


class Shown(App[None]):
    """A screen of its own, for its picture."""

    def __init__(self, authority: Authority, notes: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._authority = authority
        self._standing = notes

    def on_mount(self) -> None:
        self.theme = "textual-dark"
        self.push_screen(PermissionsScreen(self._authority, self._standing))


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_the_list(workspace, snap_compare, size):
    authority = Authority(workspace, ["network:Bash", "read:/srv/reference/"])
    allow(authority, "Bash", "session", command="rm notes.md")
    long = "/srv/a very long folder name/that goes on/and on/until nobody reads to the end of it.md"
    granted = "2026-01-02T10:00:00+00:00"
    authority.store.add(
        (
            RememberedGrant("delete", str(workspace.root / "销售 2025.md"), "rm", granted),
            RememberedGrant("read", long, "", granted),
        )
    )

    async def settled(pilot):
        await pilot.pause(0.2)

    assert snap_compare(Shown(authority), terminal_size=size, run_before=settled)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_which_wall_there_is_never_pushes_the_keys_out(workspace, snap_compare, size):
    rules = [f"read:/srv/reference/volume {number}/" for number in range(12)]
    wall = WallStatus(
        "partial",
        "The system does not allow user namespaces (unshare: Operation not permitted).",
        "Allow user namespaces: on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0, elsewhere"
        " user.max_user_namespaces; in Docker a seccomp profile that allows unshare and mount.",
    )
    trusted = "You trust this folder: .dogent and .claude is used."

    async def settled(pilot):
        await pilot.pause(0.2)

    app = Shown(Authority(workspace, rules), (trusted, wall_status_words(wall)))
    assert snap_compare(app, terminal_size=size, run_before=settled)
