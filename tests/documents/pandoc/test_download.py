"""Pandoc is downloaded as its makers published it, or not at all."""

import asyncio
import hashlib
import io
import re
import sys
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc import download, program
from dogent_tui.documents.pandoc.download import RELEASES, VERSION, Release, downloaded_path, install_pandoc

PROGRAM = b"#!/bin/sh\necho pandoc 3.9.0.2\n"


def packed(name: str, member: str, content: bytes = PROGRAM) -> bytes:
    buffer = io.BytesIO()
    if name.endswith(".zip"):
        with zipfile.ZipFile(buffer, "w") as made:
            made.writestr(member, content)
        return buffer.getvalue()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for path, data in ((member, content), ("../outside", b"never")):
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


class Server(ThreadingHTTPServer):
    """Gives `data` at `path`, all of it or the beginning; `holds` until it may go on."""

    def __init__(self):
        self.path, self.data, self.stated = "", b"", None
        self.may_end = threading.Event()
        self.may_end.set()
        super().__init__(("127.0.0.1", 0), Answer)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        if self.path != server.path:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(server.stated or len(server.data)))
        self.end_headers()
        self.wfile.write(server.data)
        server.may_end.wait(20)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with Server() as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.02,))
        thread.start()
        yield serving
        serving.may_end.set()
        serving.shutdown()
        thread.join()


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home of our own, in which nothing but the downloaded pandoc can be found."""
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(program.importlib.util, "find_spec", lambda _: None)
    program.pandoc_path.cache_clear()
    yield tmp_path / "home"
    program.pandoc_path.cache_clear()


def offered(server, archive="p.tar.gz", member="p/bin/pandoc", content=PROGRAM) -> Release:
    server.data = packed(archive, member, content)
    server.path = f"/{VERSION}/{archive}"
    return Release(archive, hashlib.sha256(server.data).hexdigest(), member)


def files(folder) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(("archive", "member"), [("p.tar.gz", "p/bin/pandoc"), ("p.zip", "p-arm64/bin/pandoc")])
async def test_what_is_downloaded_is_found_from_then_on_and_nothing_else_stays(home, server, archive, member):
    with pytest.raises(DocumentError):
        program.pandoc_path()
    heard = []
    path = await install_pandoc(heard.append, source=server.address, release=offered(server, archive, member))
    assert (program.pandoc_path(), program._version(path)) == (path, (3, 9, 0, 2))
    assert path == downloaded_path()
    assert files(home.parent) == [f"home/data/pandoc/{VERSION}/pandoc"]
    assert heard == ["Downloading pandoc", "Unpacking pandoc"]


async def test_progress_is_told_by_the_megabyte(home, server):
    import random

    heard = []
    release = offered(server, "p.zip", "p/pandoc", PROGRAM + b"#" + random.Random(1).randbytes(3 << 20))
    await install_pandoc(heard.append, source=server.address, release=release)
    assert heard[1:-1] == [f"Downloading pandoc: {done} of 3 MB" for done in (1, 2, 3)]


async def test_something_else_than_was_published_is_refused_unopened(home, server):
    release = offered(server)
    server.data = packed("p.tar.gz", "p/bin/pandoc", b"#!/bin/sh\necho worse\n")
    with pytest.raises(DocumentError, match="its SHA-256 differs") as refused:
        await install_pandoc(source=server.address, release=release)
    assert "pypandoc_binary" in refused.value.remedy
    assert files(home) == []


async def test_a_download_that_breaks_off_leaves_nothing(home, server):
    release = offered(server)
    server.stated = len(server.data) + 100
    with pytest.raises(DocumentError, match="the connection broke off"):
        await install_pandoc(source=server.address, release=release)
    assert files(home) == []


async def test_a_download_that_is_stopped_leaves_nothing(home, server):
    release = offered(server)
    server.stated = len(server.data) + 100
    server.may_end.clear()
    began = asyncio.Event()
    installing = asyncio.ensure_future(install_pandoc(lambda _: began.set(), source=server.address, release=release))
    await asyncio.wait_for(began.wait(), 20)
    installing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await installing
    assert list((home / "data" / "pandoc").iterdir()) == []


@pytest.mark.parametrize(("path", "said"), [("/elsewhere", "Not Found"), ("", "refused")], ids=["missing", "nobody"])
async def test_a_server_that_has_it_not_is_a_sentence(home, server, path, said):
    release = offered(server)
    server.path = path
    source = server.address if path else "http://127.0.0.1:9"
    with pytest.raises(DocumentError, match=f"^Pandoc could not be downloaded: .*{said}\\. Install"):
        await install_pandoc(source=source, release=release)
    assert files(home) == []


async def test_an_archive_without_the_program_is_a_sentence(home, server):
    release = offered(server)
    with pytest.raises(DocumentError, match="could not be downloaded"):
        await install_pandoc(source=server.address, release=Release(release.archive, release.sha256, "p/bin/other"))
    assert files(home) == []


def test_there_is_a_release_for_each_usual_computer(monkeypatch):
    assert {(system, processor) for system in ("linux", "darwin", "win32") for processor in ("x86_64", "arm64")} == set(RELEASES)
    for release in RELEASES.values():
        assert re.fullmatch("[0-9a-f]{64}", release.sha256)
        assert release.archive.startswith(f"pandoc-{VERSION}-")
    monkeypatch.setattr(download.platform, "machine", lambda: "AMD64")
    monkeypatch.setattr(sys, "platform", "linux")
    assert download.release_here().archive.endswith("linux-amd64.tar.gz")
    monkeypatch.setattr(download.platform, "machine", lambda: "riscv64")
    with pytest.raises(DocumentError, match="riscv64"):
        download.release_here()


def test_a_wheel_and_a_recent_pandoc_on_path_come_before_it(home, tmp_path, monkeypatch):
    downloaded = downloaded_path()
    downloaded.parent.mkdir(parents=True)
    downloaded.write_bytes(PROGRAM)
    assert program.pandoc_path() == downloaded
    program.pandoc_path.cache_clear()
    other = tmp_path / "pandoc"
    other.write_bytes(b"#!/bin/sh\necho pandoc 2.17\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program.pandoc_path() == downloaded
    program.pandoc_path.cache_clear()
    other.write_bytes(b"#!/bin/sh\necho pandoc 3.8\n")
    assert program.pandoc_path() == other
