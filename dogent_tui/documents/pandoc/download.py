"""Pandoc from its makers, where it neither came with our wheels nor is on PATH. A user has it
downloaded, after a question.
"""

import asyncio
import hashlib
import os
import platform
import shutil
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import msgspec

from dogent_tui.documents.export.model import Progress, unheard
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.storage.paths import data_dir

VERSION = "3.9.0.2"
"""The release that is downloaded: the last of the series that `pypandoc_binary` brings."""

SOURCE = "https://github.com/jgm/pandoc/releases/download"
"""Where its makers publish it."""

MEGABYTES = 40
"""What the download takes, roughly: for the question."""


class Release(msgspec.Struct, frozen=True):
    """An archive of a release: its name, its SHA-256, and where in it the program is."""

    archive: str
    sha256: str
    program: str


def _release(archive: str, program: str, sha256: str) -> Release:
    return Release(f"pandoc-{VERSION}-{archive}", sha256, f"pandoc-{VERSION}{program}")


_WINDOWS = _release("windows-x86_64.zip", "/pandoc.exe",
    "c97542f2800f446e788d9f74237856d995421ad1bb3cc8324286840c5f272d3a")  # fmt: skip
RELEASES: Mapping[tuple[str, str], Release] = {
    ("linux", "x86_64"): _release("linux-amd64.tar.gz", "/bin/pandoc",
        "a69abfababda8a56969a254b09f9553a7be89ddec00d4e0fe9fd585d71a67508"),
    ("linux", "arm64"): _release("linux-arm64.tar.gz", "/bin/pandoc",
        "b6d21e8f9c3b15744f5a7ab40248019157ed7793875dbe0383d4c82ff572b528"),
    ("darwin", "x86_64"): _release("x86_64-macOS.zip", "-x86_64/bin/pandoc",
        "b9fbceabccbc8f34ac021a50483fc32f8160568d0b4b2c22d81bb29e3054fd82"),
    ("darwin", "arm64"): _release("arm64-macOS.zip", "-arm64/bin/pandoc",
        "6e9eca844076bcbb599bbeebbba78a70f93b5307782b85c2c272872812c88875"),
    ("win32", "x86_64"): _WINDOWS,
    ("win32", "arm64"): _WINDOWS,  # there is none of its own; Windows runs this one
}  # fmt: skip
"""By system and processor. The sums are the digests that GitHub shows beside the files of the
release (api.github.com/repos/jgm/pandoc/releases/tags/3.9.0.2), compared with those that other
projects pin for the same files.
"""

_PROCESSORS = {"amd64": "x86_64", "x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
_REMEDY = tr(
    "Install the package pypandoc_binary in the same environment as dogent-tui, or pandoc from "
    "https://pandoc.org/installing.html."
)
_LIMIT_S = 900.0
_SILENCE_S = 30.0
_MOST_BYTES = 200 << 20
_CHUNK = 1 << 18


def downloaded_path() -> Path:
    """Return where the downloaded program is, or would be."""
    return data_dir() / "pandoc" / VERSION / ("pandoc.exe" if sys.platform == "win32" else "pandoc")


def release_here() -> Release:
    """Return the release for this computer. Raises DocumentError where there is none."""
    processor = platform.machine().lower()
    found = RELEASES.get((sys.platform, _PROCESSORS.get(processor, processor)))
    if found is None:
        none = tr(
            "Pandoc's makers don't publish a version for this computer ({platform}, {processor})."
        )
        raise DocumentError(none.format(platform=sys.platform, processor=processor), _REMEDY)
    return found


async def install_pandoc(
    on_progress: Progress = unheard, *, source: str = "", release: Release | None = None
) -> Path:
    """Download pandoc (some `MEGABYTES`) from `source`, its makers unless told, check it, and
    return its path.

    Ask the user before. Nothing stays of a download that is cancelled, fails, or is not what was
    published. Raises DocumentError.
    """
    import aiohttp  # on use

    release = release or release_here()
    target = downloaded_path()
    address = f"{source or SOURCE}/{VERSION}/{release.archive}"
    try:
        target.parent.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=".new-", dir=target.parent.parent, ignore_cleanup_errors=True
        ) as folder:
            archive, program = Path(folder, release.archive), Path(folder, target.name)
            if await _fetch(address, archive, on_progress) != release.sha256:
                why = tr(
                    "the download is not what pandoc's makers published (its SHA-256 differs), so"
                    " it was discarded"
                )
                raise _failed(why)
            on_progress(tr("Unpacking pandoc"))
            await asyncio.to_thread(_unpack, archive, release.program, program)
            target.parent.mkdir(exist_ok=True)
            await asyncio.to_thread(program.replace, target)
    except TimeoutError as error:
        raise _failed(tr("it took too long")) from error
    except aiohttp.ClientPayloadError as error:
        raise _failed(tr("the connection was lost")) from error
    except aiohttp.ClientResponseError as error:
        raise _failed(error.message) from error
    except (aiohttp.ClientError, OSError, ValueError, KeyError) as error:
        number = getattr(error, "errno", None)
        raise _failed(os.strerror(number) if number else str(error)) from error
    return target


async def _fetch(address: str, path: Path, on_progress: Progress) -> str:
    """Write what `address` gives to `path`, and return its SHA-256."""
    import aiohttp

    on_progress(tr("Downloading pandoc"))
    digest, done = hashlib.sha256(), 0
    limits = aiohttp.ClientTimeout(total=_LIMIT_S, sock_read=_SILENCE_S)
    async with (
        aiohttp.ClientSession(timeout=limits, raise_for_status=True, trust_env=True) as session,
        session.get(address) as answer,
    ):
        size = (answer.content_length or 0) >> 20
        total = tr(" of {total}").format(total=size) if size else ""
        with path.open("xb") as file:
            async for chunk in answer.content.iter_chunked(_CHUNK):
                digest.update(chunk)
                file.write(chunk)
                before, done = done, done + len(chunk)
                if done > _MOST_BYTES:
                    raise _failed(tr("the download is far larger than pandoc"))
                if before >> 20 != done >> 20:
                    said = tr("Downloading pandoc: {size}{of} MB")
                    on_progress(said.format(size=done >> 20, of=total))
    return digest.hexdigest()


def _unpack(archive: Path, program: str, path: Path) -> None:
    """Write the file `program` of `archive` to `path`, and nothing else of it."""
    with ExitStack() as opened:
        file = opened.enter_context(path.open("xb"))
        if archive.suffix == ".zip":
            packed = opened.enter_context(zipfile.ZipFile(archive))
            shutil.copyfileobj(packed.open(program), file)
        elif source := opened.enter_context(tarfile.open(archive)).extractfile(program):
            shutil.copyfileobj(source, file)
        else:
            raise KeyError(program)
    path.chmod(0o755)


def _failed(why: str) -> DocumentError:
    why = one_line(why)[:200].rstrip(".")
    return DocumentError(tr("Pandoc could not be downloaded: {said}.").format(said=why), _REMEDY)
