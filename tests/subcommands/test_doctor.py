"""`dogent-tui doctor`: what is here, what is not, and no key anywhere."""

import json

import pytest

from dogent_tui.agent import doctor
from dogent_tui.agent.conversation import ServerState
from dogent_tui.agent.doctor_servers import examine_servers
from dogent_tui.agent.wall_status import find_wall_status, wall_status_words
from dogent_tui.cli import main
from dogent_tui.documents.model import DocumentError
from dogent_tui.storage.paths import Workspace, dogent_home


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dogent_home().mkdir(parents=True)
    profile = {
        "ANTHROPIC_AUTH_TOKEN": "sk-very-secret",
        "ANTHROPIC_BASE_URL": "https://api.example.com",
    }
    write(dogent_home() / "claude.json", {"profiles": {"work": profile}})
    return tmp_path


def findings(capsys):
    status = main(["doctor", "--json"])
    out, _ = capsys.readouterr()
    found = json.loads(out)
    assert "sk-very-secret" not in out
    return status, {finding["name"]: finding for finding in found["findings"]}


def test_engines_have_versions_and_paths_and_files_are_named_without_their_keys(folder, capsys):
    status, found = findings(capsys)
    for name in ("pandoc", "Claude CLI"):
        assert (found[name]["state"], found[name]["path"] != "") == ("ok", True)
        assert found[name]["detail"][0].isdigit()
    for name in ("PyMuPDF", "typst", "playwright"):
        assert found[name]["state"] == "ok"
    assert {"browser", "fonts for CJK"} <= set(found)
    assert found["claude.json"]["detail"] == "profiles: work"
    assert found[".dogent/dogent.json"]["detail"] == "not found"
    assert status == 0


def test_what_is_missing_comes_with_a_remedy_and_a_status(folder, capsys, monkeypatch):
    def gone():
        raise DocumentError(
            "The program pandoc is not here.", "Install pypandoc_binary.", code="engine_missing"
        )

    monkeypatch.setattr(doctor, "pandoc_path", gone)
    monkeypatch.setattr(doctor, "find_browsers", list)
    status = main(["doctor"])
    out, _ = capsys.readouterr()
    assert status == 1
    assert (
        "✗ pandoc                 The program pandoc is not here.\n    Install pypandoc_binary."
        in out
    )
    assert "– browser" in out
    assert "chromium-headless-shell" in out


def test_the_wall_is_tried_and_what_weakens_it_is_told(folder, capsys):
    standing = find_wall_status(Workspace(folder))
    wall = findings(capsys)[1]["wall"]
    assert (wall["state"] == "ok") == (standing.level == "full")
    assert f"{wall['detail']} {' '.join(wall['problems'])}".strip() == wall_status_words(standing)


def test_a_broken_file_is_told_and_left_where_it_is(folder, capsys):
    (folder / ".dogent").mkdir()
    (folder / ".dogent" / "dogent.json").write_text('{"profile": ', encoding="utf-8")
    status, found = findings(capsys)
    assert (status, found[".dogent/dogent.json"]["state"]) == (1, "broken")
    assert "line 1" in found[".dogent/dogent.json"]["detail"]
    assert [path.name for path in (folder / ".dogent").iterdir()] == ["dogent.json"]


def test_a_folder_that_is_not_there_is_a_usage_error(folder, capsys):
    assert main(["doctor", "--workspace", "nowhere"]) == 2
    assert "no folder nowhere" in capsys.readouterr().err


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        value if isinstance(value, str) else json.dumps(value, indent=1), encoding="utf-8"
    )
    path.chmod(0o600)


SECRETS = [
    "sk-llm-0123456789",
    "k2-api-9876543",
    "bearer-in-extra-1",
    "cse-0123",
    "hunter2",
    "proxy-pa55",
    "env-key-4711",
    "s3cr3t",
]


def test_no_secret_is_told_wherever_it_stands(folder, capsys, monkeypatch):
    llm, api, extra, cse, user, proxy, variable, odd = SECRETS
    home = dogent_home()
    endpoint = {"ANTHROPIC_BASE_URL": f"http://llm.example/{llm}", "ANTHROPIC_AUTH_TOKEN": llm}
    bad = {
        "ANTHROPIC_BASE_URL": f"https://me:{user}@llm.example",
        "ANTHROPIC_API_KEY": api,
        "ANTHROPIC_KEY": odd,
    }
    write(home / "claude.json", {"profiles": {"a": endpoint, "b": bad, llm: {}}, api: 1})
    write(
        home / "web.json",
        {
            "profiles": {
                "w": {"provider": "google_cse", "api_key": api, "cse_id": cse, "timeout_s": api}
            }
        },
    )
    vision = {
        "provider": api,
        "api_key": api,
        "base_url": f"https://{user}@x",
        "extra": {"headers": {"x": extra}},
    }
    write(home / "vision.json", {"profiles": {"v": vision}})
    write(
        home / "dogent.json",
        {"web_proxy": f"http://p:{proxy}@h:1", "web_allow_hosts": [f"http://u:{proxy}@h/"]},
    )
    write(
        folder / ".dogent" / "dogent.json",
        {"profile": "a", "web_profile": "w", "vision_profile": "v"},
    )
    monkeypatch.setenv("ANTHROPIC_API_KEY", variable)
    monkeypatch.setenv("HTTPS_PROXY", f"http://p:{proxy}@h:1")
    for command in (["doctor", "--json"], ["doctor"]):
        main(command)
        out, _ = capsys.readouterr()
        assert [secret for secret in SECRETS if secret in out] == []
        assert "ANTHROPIC_API_KEY" in out
    write(folder / ".dogent" / "dogent.json", {"profile": "b"})
    write(home / "web.json", '{"profiles": {"w": {"api_key": "' + api + '",}}}')
    main(["doctor", "--json"])
    out, _ = capsys.readouterr()
    assert [secret for secret in SECRETS if secret in out] == []


def test_every_problem_of_a_file_has_its_line_and_its_remedy(folder, capsys):
    home = dogent_home()
    profiles = {
        "x": {"provider": "brave", "timeout_s": "soon", "api_key": "env:NOT_SET"},
        "y": {"apikey": "k"},
    }
    write(home / "web.json", {"profiles": profiles})
    status, found = findings(capsys)
    web = found["web.json"]
    assert (status, web["state"], web["detail"]) == (0, "warning", "profiles: x, y")
    assert "line 5, key `profiles.x.timeout_s`: expected a number of seconds" in web["problems"][0]
    assert "NOT_SET is not set" in web["problems"][1]
    assert "export NOT_SET=" in web["problems"][1]
    assert 'Did you mean "api_key"?' in web["problems"][2]
    assert {"answers", "searches", "looks at pictures", "environment"} <= set(found)
    assert {"your files", "conversations", "documents read", "logs"} <= set(found)


def test_a_file_with_keys_that_others_can_read_is_told_and_left(folder, capsys):
    file = dogent_home() / "claude.json"
    file.chmod(0o644)
    status, found = findings(capsys)
    assert (status, found["claude.json"]["state"]) == (0, "warning")
    (problem,) = found["claude.json"]["problems"]
    assert "its mode is 644" in problem
    assert f"chmod 600 {file}" in problem
    assert file.stat().st_mode & 0o777 == 0o644
    write(
        file,
        {
            "profiles": {
                "a": {"ANTHROPIC_API_KEY": "env:HOME"},
                "b": {"ANTHROPIC_API_KEY": "replace-me"},
            }
        },
    )
    file.chmod(0o644)
    assert findings(capsys)[1]["claude.json"]["state"] == "ok"


def test_the_doctor_changes_nothing(folder, capsys):
    write(dogent_home() / "web.json", "{")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert findings(capsys)[1]["profiles"]
    names = sorted(path.name for path in dogent_home().iterdir())
    assert names == ["claude.json", "web.json"]
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_templates_and_commands_are_named_and_whether_they_count(folder, capsys):
    for place in (dogent_home() / "templates", folder / ".claude" / "commands"):
        place.mkdir(parents=True)
        (place / "letter.md").write_text("# A letter", encoding="utf-8")
    _, found = findings(capsys)
    assert (found["templates"]["state"], found["templates"]["detail"]) == ("ok", "templates: 1")
    assert found["templates"]["path"] == str(dogent_home() / "templates")
    assert found[".claude/commands"]["detail"] == "not used until you trust this folder: /trust"
    assert found[".dogent/templates"]["detail"] == "not found"
    assert "~/.claude/commands" in found


@pytest.mark.parametrize(
    ("profile", "state", "words"),
    [
        ("offline", "optional", "nobody: offline has no search"),
        ("other", "optional", "need Anthropic’s endpoint"),
        ("vendor", "ok", "no web profile chosen"),
    ],
)
def test_search_without_a_web_profile_needs_the_vendor(folder, capsys, profile, state, words):
    key = {"ANTHROPIC_AUTH_TOKEN": "sk-123456"}
    profiles = {"other": {**key, "ANTHROPIC_BASE_URL": "https://llm.example"}, "vendor": key}
    write(dogent_home() / "claude.json", {"profiles": profiles})
    write(folder / ".dogent" / "dogent.json", {"profile": profile})
    _, found = findings(capsys)
    assert found["searches"]["state"] == state
    assert words in found["searches"]["detail"]
    assert bool(found["searches"]["remedy"]) is (state != "ok")


def test_mcp_servers_are_listed_with_their_state_and_that_no_wall_is_around_them(folder, capsys):
    def server(command, **more):
        return {"command": command, "args": ["-m", "notes"], **more}

    servers = {
        "notes": server("python3", env={"TOKEN": "sk-very-secret"}),
        "gone": server("no-such-program"),
        "off": server("python3", disabled=True),
        "refers": server("python3", env={"TOKEN": "env:NOWHERE_TO_BE_FOUND"}),
    }
    write(dogent_home() / "mcp.json", {"mcpServers": servers})
    status, found = findings(capsys)
    assert {name: found[name]["state"] for name in servers} == {
        "notes": "ok",
        "gone": "missing",
        "off": "optional",
        "refers": "warning",
    }
    assert found["notes"]["group"] == "MCP servers, outside the wall"
    assert found["notes"]["detail"] == "on · yours · python3 -m notes"
    assert "not on PATH" in found["gone"]["problems"][0]
    assert status == 1

    states = [ServerState("notes", "failed", "it ended at once")]
    live = {each.name: each for each in examine_servers(Workspace(folder), states)}
    assert (live["notes"].state, live["notes"].problems) == ("broken", ("it ended at once",))

    (dogent_home() / "mcp.json").write_text("{half", encoding="utf-8")
    assert findings(capsys)[1]["mcp.json"]["state"] == "broken"
    assert (dogent_home() / "mcp.json").is_file(), "the doctor changes nothing"
