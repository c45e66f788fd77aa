"""Pandoc from its makers, where it neither came with our wheels nor is on PATH. A user has it
downloaded, after a question.

Run as a program, this module is the download itself: a process of its own can be ended at any
moment, whatever it waits for.
"""

import platform
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import msgspec

from dogent_tui.documents.export.model import Progress, unheard
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import python_command, stream_process
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


_WINDOWS = Release(
    f"pandoc-{VERSION}-windows-x86_64.zip",
    "c97542f2800f446e788d9f74237856d995421ad1bb3cc8324286840c5f272d3a",
    f"pandoc-{VERSION}/pandoc.exe",
)

RELEASES: Mapping[tuple[str, str], Release] = {
    ("linux", "x86_64"): Release(
        f"pandoc-{VERSION}-linux-amd64.tar.gz",
        "a69abfababda8a56969a254b09f9553a7be89ddec00d4e0fe9fd585d71a67508",
        f"pandoc-{VERSION}/bin/pandoc",
    ),
    ("linux", "arm64"): Release(
        f"pandoc-{VERSION}-linux-arm64.tar.gz",
        "b6d21e8f9c3b15744f5a7ab40248019157ed7793875dbe0383d4c82ff572b528",
        f"pandoc-{VERSION}/bin/pandoc",
    ),
    ("darwin", "x86_64"): Release(
        f"pandoc-{VERSION}-x86_64-macOS.zip",
        "b9fbceabccbc8f34ac021a50483fc32f8160568d0b4b2c22d81bb29e3054fd82",
        f"pandoc-{VERSION}-x86_64/bin/pandoc",
    ),
    ("darwin", "arm64"): Release(
        f"pandoc-{VERSION}-arm64-macOS.zip",
        "6e9eca844076bcbb599bbeebbba78a70f93b5307782b85c2c272872812c88875",
        f"pandoc-{VERSION}-arm64/bin/pandoc",
    ),
    ("win32", "x86_64"): _WINDOWS,
    ("win32", "arm64"): _WINDOWS,  # there is none of its own; Windows runs this one
}
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
        raise DocumentError(
            tr(
                "Pandoc's makers don't publish a version for this computer ({platform},"
                " {processor})."
            ).format(platform=sys.platform, processor=processor),
            _REMEDY,
        )
    return found


async def install_pandoc(
    on_progress: Progress = unheard, *, source: str = "", release: Release | None = None
) -> Path:
    """Download pandoc (some `MEGABYTES`) from `source`, its makers unless told, check it, and
    return its path.

    Ask the user before. Nothing stays of a download that is cancelled, fails, or is not what was
    published. Raises DocumentError.
    """
    release = release or release_here()
    target = downloaded_path()
    said = [tr("the download stopped")]

    def hear(output: bytes) -> None:
        for line in output.decode("utf-8", "replace").splitlines():
            if text := one_line(line):
                said.append(text)
                on_progress(text)

    try:
        target.parent.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=".new-", dir=target.parent.parent, ignore_cleanup_errors=True
        ) as folder:
            address = f"{source or SOURCE}/{VERSION}/{release.archive}"
            command = [
                *python_command(__name__),
                address,
                release.sha256,
                release.program,
                folder,
                str(target),
            ]
            status = await stream_process(
                command, cwd=Path.home(), on_output=hear, limit_s=_LIMIT_S
            )
    except TimeoutError:
        status = -1
        said.append(tr("it took too long"))
    except OSError as error:
        status = -1
        said.append((error.strerror or tr("the disk refused the write")).lower())
    if status:
        raise DocumentError(
            tr("Pandoc could not be downloaded: {said}.").format(said=said[-1].rstrip(".")), _REMEDY
        )
    return target


def main() -> None:
    """Download what the command line says, as `install_pandoc` writes it. Prints how far it is,
    at last what failed.
    """
    address, sha256, program, folder, target = sys.argv[1:]
    try:
        _install(address, sha256, program, Path(folder), Path(target))
    except _NotInstalledError as error:
        _print(str(error))
        sys.exit(1)
    except BaseException:  # whoever started us may have ended, and cleans nothing up then
        shutil.rmtree(folder, ignore_errors=True)
        raise


class _NotInstalledError(Exception):
    """Says why it was not."""


def _install(address: str, sha256: str, program: str, folder: Path, target: Path) -> None:
    import http.client

    archive, unpacked = folder / address.rpartition("/")[2], folder / target.name
    try:
        found = _fetch(address, archive)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise _NotInstalledError(_why(error)) from error
    if found != sha256:
        raise _NotInstalledError(
            tr(
                "the download is not what pandoc's makers published (its SHA-256 differs), so it"
                " was discarded"
            )
        )
    _print(tr("Unpacking pandoc"))
    try:
        _unpack(archive, program, unpacked)
        unpacked.chmod(0o755)
        target.parent.mkdir(exist_ok=True)
        unpacked.replace(target)
    except (OSError, KeyError) as error:
        raise _NotInstalledError(_why(error)) from error


def _fetch(address: str, path: Path) -> str:
    """Write what `address` gives to `path`, and return its SHA-256."""
    import hashlib
    import urllib.request

    _print(tr("Downloading pandoc"))
    digest, done = hashlib.sha256(), 0
    with (
        urllib.request.urlopen(address, timeout=_SILENCE_S) as answer,  # noqa: S310 — an address of ours
        path.open("xb") as file,
    ):
        total = int(answer.headers.get("Content-Length") or 0)
        while chunk := answer.read(_CHUNK):
            digest.update(chunk)
            file.write(chunk)
            before, done = done, done + len(chunk)
            if done > _MOST_BYTES:
                raise _NotInstalledError(tr("the download is far larger than pandoc"))
            if before >> 20 != done >> 20:
                _print(
                    tr("Downloading pandoc: {size}{of} MB").format(
                        size=done >> 20,
                        of=tr(" of {total}").format(total=total >> 20) if total else "",
                    )
                )
    if done < total:
        raise _NotInstalledError(tr("the connection was lost"))
    return digest.hexdigest()


def _unpack(archive: Path, program: str, path: Path) -> None:
    """Write the file `program` of `archive` to `path`, and nothing else of it."""
    if archive.suffix == ".zip":
        import zipfile

        with zipfile.ZipFile(archive) as opened, opened.open(program) as source:
            _copy(source, path)
        return
    import tarfile

    with tarfile.open(archive) as packed:
        member = packed.extractfile(program)
        if member is None:
            raise KeyError(program)
        with member:
            _copy(member, path)


def _copy(source: IO[bytes], path: Path) -> None:
    with path.open("xb") as file:
        shutil.copyfileobj(source, file)


def _why(error: Exception) -> str:
    inner = getattr(error, "reason", None)  # urllib wraps what the network said
    error = inner if isinstance(inner, Exception) else error
    return (
        one_line(getattr(error, "strerror", None) or str(error))[:200].rstrip(".")
        or type(error).__name__
    )


def _print(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()
