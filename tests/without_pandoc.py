"""A computer without pandoc."""

import sys

import pytest

from dogent_tui.documents.pandoc import program

_ON_PATH = """
import shutil, subprocess

def get_pandoc_path():
    if shutil.which("pandoc") is None:
        raise OSError
    return "pandoc"

def get_pandoc_version():
    return subprocess.run(["pandoc", "--version"], capture_output=True, text=True).stdout.split()[1]
"""
"""A `pypandoc` that finds what is on PATH, and nothing else."""


@pytest.fixture
def no_pandoc(tmp_path_factory, monkeypatch):
    """Neither a wheel nor PATH has pandoc, for us and for the processes that read. Returns the
    folder that PATH names.
    """
    folder = tmp_path_factory.mktemp("bare")
    (folder / "pypandoc").mkdir()
    (folder / "pypandoc" / "__init__.py").write_text(_ON_PATH, "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "pypandoc", raising=False)
    monkeypatch.setenv("PATH", str(folder))
    _forget()
    yield folder
    _forget()


@pytest.fixture
def real_pandoc():
    """Where the pandoc of these tests is: to be wanted before `no_pandoc`."""
    return program.pandoc_path()


def _forget():
    program._found.cache_clear()
    sys.modules.pop("pypandoc", None)  # which may be the empty one
