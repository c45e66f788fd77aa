"""`dogent-tui doctor`: what is here, what is not, and no key anywhere."""

import json

import pytest

from dogent_tui.agent import doctor
from dogent_tui.cli import main
from dogent_tui.documents.model import DocumentError
from dogent_tui.workspace.paths import dogent_home


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dogent_home().mkdir(parents=True)
    profile = {"ANTHROPIC_AUTH_TOKEN": "sk-very-secret", "ANTHROPIC_BASE_URL": "https://api.example.com"}
    (dogent_home() / "claude.json").write_text(json.dumps({"profiles": {"work": profile}}), encoding="utf-8")
    return tmp_path


def findings(capsys):
    status = main(["doctor", "--json"])
    out, _ = capsys.readouterr()
    found = json.loads(out)
    assert "sk-very-secret" not in out
    return status, {finding["name"]: finding for finding in found["findings"]}


def test_engines_have_versions_and_paths_and_files_are_named_without_their_keys(folder, capsys):
    status, found = findings(capsys)
    for name in ("pandoc", "shfmt", "Claude CLI"):
        assert (found[name]["state"], found[name]["path"] != "") == ("ok", True)
        assert found[name]["detail"][0].isdigit()
    for name in ("PyMuPDF", "openpyxl", "typst", "playwright"):
        assert found[name]["state"] == "ok"
    assert {"browser", "fonts for CJK"} <= set(found)
    assert found["claude.json"]["detail"] == "profiles: work"
    assert found[".dogent/dogent.json"]["detail"] == "not there"
    assert status == 0


def test_what_is_missing_comes_with_a_remedy_and_a_status(folder, capsys, monkeypatch):
    def gone():
        raise DocumentError("The program pandoc is not here.", "Install pypandoc_binary.", code="engine_missing")

    monkeypatch.setattr(doctor, "pandoc_path", gone)
    monkeypatch.setattr(doctor, "find_browsers", list)
    status = main(["doctor"])
    out, _ = capsys.readouterr()
    assert status == 1
    assert "✗ pandoc                 The program pandoc is not here.\n    Install pypandoc_binary." in out
    assert "– browser" in out
    assert "chromium-headless-shell" in out


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
