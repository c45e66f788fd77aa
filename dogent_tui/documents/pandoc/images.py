"""The images of a document: their names in the Markdown, and their files if wanted."""

import re
import unicodedata
from contextlib import ExitStack
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.temporary import temporary_folder

_KINDS = {
    ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".svg", ".webp", ".emf", ".wmf",
    ".ico", ".avif",
}  # fmt: skip
_MAX_NAME = 80


class Images:
    """Names the images as in the document (``media/image1.png``) and, if there is a `folder`,
    writes them below it.

    Names from the document never lead out of the folder, and existing files are never overwritten.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = Path(folder) if folder is not None else None
        self._open = ExitStack()
        self.folders: list[Path] = []
        """Where pandoc writes."""
        if folder is not None:
            self.folders.append(self._open.enter_context(temporary_folder()))
        self._warnings: list[str] = []

    def arguments(self) -> list[str]:
        """Return the arguments for pandoc."""
        return [f"--extract-media={folder}" for folder in self.folders]

    def name(self, target: str) -> str:
        """Return the name of an image in the Markdown, relative to the folder, and write its file
        there if wanted.
        """
        if target.startswith("data:"):
            return re.split("[;,]", target, maxsplit=1)[0]
        made = Path(target)
        for folder in self.folders:
            if made.is_relative_to(folder):
                return self._written(made, made.relative_to(folder))
        return target

    def take_warnings(self) -> list[str]:
        """Return the warnings about images that are new since the last call."""
        warnings, self._warnings = self._warnings, []
        return warnings

    def close(self) -> None:
        """Delete what pandoc unpacked."""
        self._open.close()

    def _written(self, made: Path, inside: Path) -> str:
        if made.suffix.lower() not in _KINDS or made.is_symlink() or not made.is_file():
            wrong = tr("The image {inside} was not written: its format is unknown.", inside=inside)
            return self._unwritten(inside, wrong)
        safe = Path(*(_safe(part) for part in inside.parts if part not in (".", "..")))
        content = made.read_bytes()
        numbered = (safe.with_name(f"{safe.stem}-{n}{safe.suffix}") for n in range(2, 1000))
        for name in (safe, *numbered):
            try:
                if self._is_written(content, name):
                    return name.as_posix()
            except OSError as error:
                wrong = tr(
                    "The image {name} could not be written: {strerror}.",
                    name=name,
                    strerror=error.strerror,
                )
                return self._unwritten(inside, wrong)
        wrong = tr(
            "The image {inside} could not be written: no free name is left for it.", inside=inside
        )
        return self._unwritten(inside, wrong)

    def _is_written(self, content: bytes, name: Path) -> bool:
        """Write a file with this name below the folder; return whether it now has this content."""
        assert self._folder is not None
        target = self._folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.parent.resolve().is_relative_to(self._folder.resolve()):
                return False  # a link leads out of the folder
            with target.open("xb") as file:
                file.write(content)
        except FileExistsError:
            is_file = target.is_file() and not target.is_symlink()
            return is_file and target.read_bytes() == content
        return True

    def _unwritten(self, inside: Path, sentence: str) -> str:
        if sentence not in self._warnings:
            self._warnings.append(sentence)
        return str(inside)


def _safe(part: str) -> str:
    """Return a name that is valid for every file system and harmless in terminals and Markdown."""
    part = re.sub(r"[^\w.-]+", "_", unicodedata.normalize("NFC", part)).lstrip(".-")
    stem, suffix = (part.rpartition(".")[0], part.rpartition(".")[2]) if "." in part else (part, "")
    return f"{stem[:_MAX_NAME] or 'image'}{'.' if suffix else ''}{suffix[:10]}"
