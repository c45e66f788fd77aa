"""Pandoc is downloaded as its makers published it, or not at all."""

import asyncio
import random
import re
import sys

import pytest

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc import download, program
from dogent_tui.documents.pandoc.download import (
    RELEASES,
    VERSION,
    Release,
    downloaded_path,
    install_pandoc,
)
from tests.published_pandoc import PROGRAM, packed


@pytest.fixture
def home(home, no_pandoc):
    """A home of our own, in which nothing but the downloaded pandoc can be found."""
    return home / ".dogent"


def files(folder) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


@pytest.mark.parametrize(
    ("archive", "member"), [("p.tar.gz", "p/bin/pandoc"), ("p.zip", "p-arm64/bin/pandoc")]
)
async def test_what_is_downloaded_is_found_from_then_on_and_nothing_else_stays(
    home, published, archive, member
):
    with pytest.raises(DocumentError):
        program.pandoc_path()
    heard = []
    path = await install_pandoc(
        heard.append, source=published.address, release=published.publish(archive, member)
    )
    assert (program.pandoc_path(), program.pandoc_version()) == (path, (3, 9, 0, 2))
    assert path == downloaded_path()
    assert files(home.parent) == [f".dogent/data/pandoc/{VERSION}/pandoc"]
    assert heard == ["Downloading pandoc", "Unpacking pandoc"]


async def test_progress_is_told_by_the_megabyte(home, published):
    heard = []
    release = published.publish(
        "p.zip", "p/pandoc", PROGRAM + b"#" + random.Random(1).randbytes(3 << 20)
    )
    await install_pandoc(heard.append, source=published.address, release=release)
    assert heard[1:-1] == [f"Downloading pandoc: {done} of 3 MB" for done in (1, 2, 3)]


async def test_something_else_than_was_published_is_refused_unopened(home, published):
    release = published.publish()
    published.data = packed("p.tar.gz", "p/bin/pandoc", b"#!/bin/sh\necho worse\n")
    with pytest.raises(DocumentError, match="its SHA-256 differs") as refused:
        await install_pandoc(source=published.address, release=release)
    assert "pypandoc_binary" in refused.value.remedy
    assert files(home) == []


async def test_a_download_that_breaks_off_leaves_nothing(home, published):
    release = published.publish()
    published.stated = len(published.data) + 100
    with pytest.raises(DocumentError, match="the connection was lost"):
        await install_pandoc(source=published.address, release=release)
    assert files(home) == []


async def test_a_download_that_is_stopped_leaves_nothing(home, published):
    release = published.publish()
    published.stated = len(published.data) + 100
    published.may_end.clear()
    began = asyncio.Event()
    installing = asyncio.ensure_future(
        install_pandoc(lambda _: began.set(), source=published.address, release=release)
    )
    await asyncio.wait_for(began.wait(), 20)
    installing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await installing
    assert list((home / "data" / "pandoc").iterdir()) == []


@pytest.mark.parametrize(
    ("path", "said"), [("/elsewhere", "Not Found"), ("", "refused")], ids=["missing", "nobody"]
)
async def test_a_server_that_has_it_not_is_a_sentence(home, published, path, said):
    release = published.publish()
    published.path = path
    source = published.address if path else "http://127.0.0.1:9"
    with pytest.raises(
        DocumentError, match=f"^Pandoc could not be downloaded: .*{said}\\. Install"
    ):
        await install_pandoc(source=source, release=release)
    assert files(home) == []


async def test_an_archive_without_the_program_is_a_sentence(home, published):
    release = published.publish()
    with pytest.raises(DocumentError, match="could not be downloaded"):
        await install_pandoc(
            source=published.address,
            release=Release(release.archive, release.sha256, "p/bin/other"),
        )
    assert files(home) == []


def test_there_is_a_release_for_each_usual_computer(monkeypatch):
    assert {
        (system, processor)
        for system in ("linux", "darwin", "win32")
        for processor in ("x86_64", "arm64")
    } == set(RELEASES)
    for release in RELEASES.values():
        assert re.fullmatch("[0-9a-f]{64}", release.sha256)
        assert release.archive.startswith(f"pandoc-{VERSION}-")
    monkeypatch.setattr(download.platform, "machine", lambda: "AMD64")
    monkeypatch.setattr(sys, "platform", "linux")
    assert download.release_here().archive.endswith("linux-amd64.tar.gz")
    monkeypatch.setattr(download.platform, "machine", lambda: "riscv64")
    with pytest.raises(DocumentError, match="riscv64"):
        download.release_here()


def test_a_wheel_and_a_recent_pandoc_on_path_come_before_it(home, no_pandoc, monkeypatch):
    downloaded = downloaded_path()
    downloaded.parent.mkdir(parents=True)
    downloaded.write_bytes(PROGRAM)
    assert program.pandoc_path() == downloaded
    program.pandoc_path.cache_clear()
    program._found.cache_clear()
    other = no_pandoc / "pandoc"
    other.write_bytes(b"#!/bin/sh\necho pandoc 2.17\n")
    other.chmod(0o755)
    assert program.pandoc_path() == downloaded
    program.pandoc_path.cache_clear()
    program._found.cache_clear()
    other.write_bytes(b"#!/bin/sh\necho pandoc 3.8\n")
    assert program.pandoc_path() == other
