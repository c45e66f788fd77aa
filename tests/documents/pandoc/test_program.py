"""Pandoc is found, bounded, and its errors are sentences."""

import psutil
import pypandoc
import pytest

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc import program

pytestmark = pytest.mark.slow


@pytest.fixture
def no_wheel(monkeypatch, tmp_path):
    """Only the pandoc in `tmp_path` is found, as `pypandoc` is told."""
    forget()
    monkeypatch.setenv("PYPANDOC_PANDOC", str(tmp_path / "pandoc"))
    yield
    forget()


def forget():
    program._found.cache_clear()
    pypandoc.clean_pandocpath_cache()
    pypandoc.clean_version_cache()


def stub(folder, script):
    path = folder / "pandoc"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_pandoc_of_the_wheel_comes_first():
    assert program.pandoc_path().parent.parent.name == "pypandoc"
    assert program.pandoc_version() >= program.MINIMUM


def test_a_recent_pandoc_will_do(no_wheel, tmp_path):
    path = stub(tmp_path, "echo pandoc 3.8.2")
    assert program.pandoc_path() == path
    assert program.pandoc_version() == (3, 8, 2)


def test_an_old_pandoc_will_not(no_wheel, tmp_path):
    stub(tmp_path, "echo pandoc 2.17.1.1")
    with pytest.raises(DocumentError) as missing:
        program.pandoc_path()
    assert missing.value.code == "engine_missing"
    assert "2.17.1.1" in missing.value.message


def test_one_that_does_not_start_will_not_and_says_nothing_on_the_terminal(
    no_wheel, tmp_path, capfd
):
    stub(tmp_path, "exit 1")
    with pytest.raises(DocumentError, match="not installed"):
        program.pandoc_path()
    assert capfd.readouterr() == ("", "")


def test_no_pandoc_at_all_says_what_to_install(no_wheel):
    with pytest.raises(DocumentError) as missing:
        program.pandoc_path()
    assert missing.value.code == "engine_missing"
    assert "pypandoc_binary" in missing.value.remedy


def test_pandoc_runs_in_its_sandbox_and_reads_no_file(tmp_path):
    (tmp_path / "secret.md").write_text("the secret", encoding="utf-8")
    source = f".. include:: {tmp_path}/secret.md\n".encode()
    output = program.run_pandoc(["--from", "rst", "--to", "plain"], source, name="x.rst")
    assert b"the secret" not in output.data


def test_what_takes_too_long_is_ended_with_all_that_it_started(tmp_path, monkeypatch):
    path = stub(tmp_path, "sleep 60.25 & wait")
    monkeypatch.setattr(program, "pandoc_path", lambda: path)
    monkeypatch.setattr(program, "LIMIT_S", 0.5)
    with pytest.raises(DocumentError) as late:
        program.run_pandoc([], b"", name="slow.docx")
    assert late.value.code == "timeout"
    sleepers = [
        process
        for process in psutil.process_iter(["cmdline"])
        if process.info["cmdline"] == ["sleep", "60.25"]
    ]
    _, alive = psutil.wait_procs(sleepers, timeout=60)
    assert alive == []


def test_what_needs_too_much_memory_is_a_sentence(monkeypatch):
    monkeypatch.setattr(program, "HEAP_MB", 64)
    table = b'<table><tr><td colspan="100000000" rowspan="100000000">x</td></tr></table>'
    with pytest.raises(DocumentError) as large:
        program.run_pandoc(["--from", "html", "--to", "json"], table, name="large.html")
    assert large.value.code == "too_large"
    assert "large.html" in large.value.message


def test_warnings_are_sentences_without_the_word():
    html = b'<img src="http://127.0.0.1:9/x.png">'
    output = program.run_pandoc(
        ["--from", "html", "--to", "json", "--embed-resources", "--standalone"],
        html,
        name="x",
    )
    assert all("WARNING" not in warning for warning in output.warnings)
