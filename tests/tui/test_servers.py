"""/mcp: which servers there are, their states, and what their switch does."""

import json

import pytest
from textual.widgets import OptionList

from dogent_tui.agent.conversation import ServerState
from dogent_tui.settings.mcp_servers import mcp_servers, started_with
from dogent_tui.settings.trust import make_own_folder
from dogent_tui.storage.paths import dogent_home
from dogent_tui.tui.screens.servers import ServersScreen

NOTES = {"command": "npx", "args": ["-y", "notes-server"], "env": {"NOTES_TOKEN": "token-1234567"}}


def write(folder, **servers):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")


def rows(screen):
    options = screen.query_one(OptionList)
    return [
        str(options.get_option_at_index(number).prompt) for number in range(options.option_count)
    ]


async def shown(s, started=True):
    opened = s.app.opened
    screen = ServersScreen(opened.workspace, opened.service, trusted=True, started=started)
    s.app.push_screen(screen)
    await s.until(lambda: screen.is_mounted and s.app.screen is screen and rows(screen))
    return screen


async def test_each_server_has_its_state_and_every_list_says_that_they_run_outside_the_wall(
    stage, home, workspace
):
    write(
        dogent_home(),
        notes=NOTES,
        web={"type": "http", "url": "https://me:secret@mcp.example.com/x?key=1"},
    )
    make_own_folder(workspace)
    write(workspace.dot, wiki={"command": "wiki-server"})
    async with stage() as s:
        s.conversation.server_states = [
            ServerState("notes", "connected", tools=("find_note", "add_note")),
            ServerState("web", "failed", "Connection refused"),
        ]
        screen = await shown(s)
        await s.until(lambda: "connected" in rows(screen)[0])
        assert (
            rows(screen)[0]
            == "● notes · connected · yours\n  npx -y notes-server\n  find_note, add_note"
        )
        assert (
            rows(screen)[1]
            == "✗ web · failed · yours\n  https://••••@mcp.example.com/x\n  Connection refused"
        )
        assert rows(screen)[2].startswith("○ wiki · off · of this folder\n  wiki-server\n")
        text = "\n".join(str(each.render()) for each in screen.query("Static"))
        assert "outside the wall" in text
        assert "token-1234567" not in text + "".join(rows(screen))

        await s.pilot.press("space")
        await s.until(lambda: "off" in rows(screen)[0])
        assert s.conversation.switched == [("notes", False)]
        await s.pilot.press("space")
        await s.until(lambda: "connected" in rows(screen)[0])
        await s.pilot.press("r")
        await s.until(lambda: s.conversation.switched[2:] == [("notes", False), ("notes", True)])


async def test_without_servers_it_says_where_they_go(stage):
    async with stage() as s:
        await s.type("/mcp")
        await s.pilot.press("escape", "enter")
        await s.until(lambda: isinstance(s.app.screen, ServersScreen))
        await s.settle()
        assert "~/.dogent/mcp.json" in str(s.app.screen.query_one("#servers-note").render())


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("dogent", {"command": "x"}),
        ("a__b", {"command": "x"}),
        ("a b", {"command": "x"}),
        ("ok", "x"),
        ("ok", {}),
        ("ok", {"command": 3}),
        ("ok", {"command": "x", "args": [1]}),
        ("ok", {"command": "x", "env": {"A": 1}}),
        ("ok", {"command": "x", "env": ["A"]}),
    ],
)
def test_what_is_no_server_is_left_out_and_told(home, workspace, name, config):
    write(dogent_home(), **{name: config, "good": {"command": "x"}})
    servers, warnings = mcp_servers(workspace, trusted=False)
    assert [server.name for server in servers] == ["good"]
    assert len(warnings) == 1


def test_a_reference_to_a_key_that_is_not_there_costs_that_server_alone(home, workspace):
    write(
        dogent_home(),
        a={"command": "x", "env": {"TOKEN": "env:NOWHERE"}},
        b={"command": "x"},
        c={"command": "x", "disabled": True},
    )
    ready, left = started_with(mcp_servers(workspace, trusted=False)[0])
    assert list(ready) == ["b"]
    assert "The MCP server a is not started" in left[0]


async def test_in_a_low_window_the_keys_scroll_a_dialog_without_a_list(stage, home):
    async with stage(size=(40, 10)) as s:
        await s.type("/mcp")
        await s.pilot.press("enter")
        await s.until(lambda: s.app.screen.query("#servers-note"))
        dialog = s.app.screen.dialog
        await s.until(lambda: s.app.screen.query_one("#servers-note").display)
        await s.pilot.press("down", "pagedown")
        await s.until(lambda: dialog.scroll_y == dialog.max_scroll_y > 1)
