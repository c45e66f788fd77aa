"""Policy and memory together: what a user allowed once does not ask again, and nothing else is
let through.
"""

import socket

import pytest

from dogent_tui.agent.authority import Authority
from dogent_tui.errors import DogentError, UsageError
from dogent_tui.permissions.model import ToolCall
from dogent_tui.storage.paths import Workspace, dogent_home, state_dir
from dogent_tui.web.named import NamedHosts


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "w"
    root.mkdir()
    (root / "a.md").touch()
    (root / "b.md").touch()
    return Workspace(root)


def remove(name):
    return ToolCall("Bash", {"command": f"rm {name}"})


def verdict(authority, call):
    return authority.decide(call).verdict


def test_for_this_session_and_for_good(workspace):
    authority = Authority(workspace)
    authority.remember(authority.decide(remove("a.md")), "session")
    authority.remember(authority.decide(remove("b.md")), "always")
    assert {verdict(authority, remove(name)) for name in ("a.md", "b.md")} == {"allow"}
    later = Authority(workspace)
    assert [verdict(later, remove(name)) for name in ("a.md", "b.md")] == ["ask", "allow"]
    assert [held.origin for held in authority.grants()] == ["session", "always"]


def test_once_is_not_remembered_and_what_cannot_be_is_never(workspace):
    authority = Authority(workspace)
    authority.remember(authority.decide(remove("a.md")), "once")
    authority.remember(authority.decide(remove("*.md")), "always")
    assert authority.grants() == ()


def test_every_grant_can_be_taken_back(workspace):
    authority = Authority(workspace, ["delete:b.md", "network:Bash/example.org"])
    authority.remember(authority.decide(remove("a.md")), "session")
    authority.remember(authority.decide(ToolCall("Read", {"file_path": "/etc/hostname"})), "always")
    assert [authority.describe(held.grant) for held in authority.grants()] == [
        "delete b.md",
        "reach example.org with commands",
        "delete a.md (by commands)",
        "read /etc/hostname",
    ]
    for held in authority.grants():
        authority.revoke(held)
    assert authority.grants() == ()
    assert verdict(authority, remove("a.md")) == "ask"


def test_an_answer_that_cannot_be_kept_for_good_holds_for_the_session(workspace):
    dogent_home().parent.mkdir(exist_ok=True)
    dogent_home().touch()
    authority = Authority(workspace)
    with pytest.raises((OSError, DogentError)):
        authority.remember(authority.decide(remove("a.md")), "always")
    assert verdict(authority, remove("a.md")) == "allow"


def test_a_rule_that_is_none_is_wrong_usage(workspace):
    with pytest.raises(UsageError):
        Authority(workspace, ["Bash(*)"])


def test_no_rule_opens_the_store_wherever_it_lies(workspace, monkeypatch, tmp_path):
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path / "elsewhere"))
    authority = Authority(workspace, ["write:/"])
    store = authority.store.path
    assert store.parent == tmp_path / "elsewhere"
    assert (
        verdict(authority, ToolCall("Write", {"file_path": str(store), "content": "{}"})) == "deny"
    )
    assert verdict(authority, ToolCall("Bash", {"command": f"tee {store}"})) == "deny"


def test_our_own_folders_are_outside_even_in_a_workspace_around_them(home):
    (home / ".dogent").mkdir()
    (home / ".dogent" / "claude.json").write_text("keys")
    (home / "notes.md").touch()
    authority = Authority(Workspace(home))
    assert (
        verdict(authority, ToolCall("Read", {"file_path": str(home / ".dogent" / "claude.json")}))
        == "ask"
    )
    assert verdict(authority, ToolCall("Grep", {"pattern": "KEY"})) == "ask"
    assert verdict(authority, ToolCall("Read", {"file_path": str(home / "notes.md")})) == "allow"


def test_the_sample_workspace_lies_in_our_folders_and_is_one_like_any_other():
    root = state_dir() / "sample" / "city-library"
    root.mkdir(parents=True)
    (root / "a.md").touch()
    authority = Authority(Workspace(root))
    assert verdict(authority, ToolCall("Read", {"file_path": "a.md"})) == "allow"
    assert (
        verdict(authority, ToolCall("Write", {"file_path": str(root / "new.md"), "content": ""}))
        == "allow"
    )
    assert verdict(authority, ToolCall("Read", {"file_path": "../../sessions/x"})) == "ask"


# ── Private addresses ─────────────────────────────────────────────────────────────────────────────


def fetch(url):
    return ToolCall("mcp__dogent__web_fetch", {"url": url})


def test_a_private_address_is_asked_about_where_the_user_named_it_and_refused_otherwise(workspace):
    hosts = NamedHosts(["10.0.0.7"])
    authority = Authority(workspace, hosts=hosts)
    assert verdict(authority, fetch("https://example.com/")) == "allow"
    assert verdict(authority, fetch("http://10.0.0.7/")) == "allow"  # by the settings
    for url in (
        "http://127.0.0.1:8080/",
        "http://wiki/",
        "http://169.254.169.254/",
        "file:///etc/passwd",
    ):
        decision = authority.decide(fetch(url))
        assert decision.verdict == "deny"
        assert "the user names it in a prompt" in decision.reasons[0]
    hosts.heard("Read http://127.0.0.1:8080/status")
    asked = authority.decide(fetch("http://127.0.0.1:8080/"))
    assert (asked.verdict, authority.question(fetch("http://127.0.0.1:8080/"), asked).sentence) == (
        "ask",
        "Open http://127.0.0.1:8080/",
    )
    assert verdict(authority, fetch("http://wiki/")) == "deny"
    # the CLI's own tool is another matter
    assert verdict(authority, ToolCall("WebFetch", {"url": "http://wiki/"})) == "ask"


def test_what_the_user_allowed_for_longer_or_by_a_rule_needs_no_name(workspace):
    hosts = NamedHosts()
    authority = Authority(workspace, ["network:mcp__dogent__web_fetch/wiki"], hosts)
    decision = authority.decide(fetch("http://wiki/a"))
    assert decision.verdict == "allow"
    authority.record_start(fetch("http://wiki/a"), decision)
    assert hosts.approved("http://wiki/a") == ("wiki:80", "wiki:443")
    public = fetch("https://example.com/")
    authority.record_start(public, authority.decide(public))
    assert hosts.approved("https://example.com/") == ()


def test_a_name_that_was_allowed_for_good_is_known_to_lead_inside(workspace, monkeypatch):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.1.2.3", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    before = NamedHosts()
    before.heard("Read http://wiki.corp/plan")
    authority = Authority(workspace, hosts=before)
    authority.remember(authority.decide(fetch("http://wiki.corp/plan")), "always")
    hosts = NamedHosts()
    later = Authority(workspace, hosts=hosts)
    decision = later.decide(fetch("http://wiki.corp/other"))
    assert decision.verdict == "allow"
    later.record_start(fetch("http://wiki.corp/other"), decision)
    assert hosts.approved("http://wiki.corp/other") == ("wiki.corp:80", "wiki.corp:443")
