"""A computer without pandoc, and a server on it that publishes one, as its makers do."""

import hashlib
import io
import sys
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from dogent_tui.documents.pandoc import download, program
from dogent_tui.documents.pandoc.download import VERSION, Release

PROGRAM = b"#!/bin/sh\necho pandoc 3.9.0.2\n"


class Published(ThreadingHTTPServer):
    """Gives `data` at `path`, and says that it is `stated` bytes; then keeps the connection
    until `may_end`.
    """

    def __init__(self):
        self.path, self.data, self.stated = "", b"", 0
        self.may_end = threading.Event()
        self.may_end.set()
        super().__init__(("127.0.0.1", 0), _Answer)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def publish(
        self, archive: str = "p.tar.gz", member: str = "p/bin/pandoc", content: bytes = PROGRAM
    ) -> Release:
        self.data = packed(archive, member, content)
        self.path = f"/{VERSION}/{archive}"
        return Release(archive, hashlib.sha256(self.data).hexdigest(), member)


class _Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != self.server.path:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(self.server.stated or len(self.server.data)))
        self.end_headers()
        self.wfile.write(self.server.data)
        self.server.may_end.wait(20)

    def log_message(self, *_):
        pass


def packed(archive: str, member: str, content: bytes) -> bytes:
    """Return an archive that holds `content` as `member`, and something that wants to get out of
    it.
    """
    buffer = io.BytesIO()
    if archive.endswith(".zip"):
        with zipfile.ZipFile(buffer, "w") as made:
            made.writestr(member, content)
        return buffer.getvalue()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for path, data in ((member, content), ("../outside", b"never")):
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


@pytest.fixture
def published():
    with Published() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.may_end.set()
        server.shutdown()
        thread.join()


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


@pytest.fixture
def offered(real_pandoc, no_pandoc, published, monkeypatch):
    """The real pandoc as what can be downloaded, and nowhere else."""
    release = published.publish(content=f'#!/bin/sh\nexec "{real_pandoc}" "$@"\n'.encode())
    monkeypatch.setattr(download, "release_here", lambda: release)
    monkeypatch.setattr(download, "SOURCE", published.address)
    return published


def _forget():
    program.pandoc_path.cache_clear()
    program._found.cache_clear()
    sys.modules.pop("pypandoc", None)  # which may be the empty one
