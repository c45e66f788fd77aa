"""The images of a document: their names in the Markdown, and their files where they are wanted."""

import re
import tempfile
import unicodedata
from pathlib import Path

from dogent_tui.language import tr

_KINDS = {
    ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".svg", ".webp", ".emf", ".wmf",
    ".ico", ".avif",
}  # fmt: skip
_MAX_NAME = 80


class Images:
    """Names the images as the document does (``media/image1.png``) and, where there is a `folder`,
    writes them below it.

    What the document says about names is not followed out of the folder; a file that is there
    already is never replaced.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = Path(folder) if folder is not None else None
        self._unpacked = (
            tempfile.TemporaryDirectory(prefix="dogent-media-") if folder is not None else None
        )
        self._made = Path(self._unpacked.name) if self._unpacked is not None else None
        self._warnings: list[str] = []

    def arguments(self) -> list[str]:
        """Return what pandoc needs to be told."""
        return [f"--extract-media={self._made}"] if self._made is not None else []

    def folders(self) -> list[Path]:
        """Return where pandoc then writes."""
        return [self._made] if self._made is not None else []

    def name(self, target: str) -> str:
        """Return the name of an image in the Markdown, relative to the folder, and write its
        file there if it is wanted.
        """
        if target.startswith("data:"):
            return re.split("[;,]", target, maxsplit=1)[0]
        if self._made is None or self._folder is None:
            return target
        made = Path(target)
        if not made.is_relative_to(self._made):
            return target
        inside = made.relative_to(self._made)
        if made.suffix.lower() not in _KINDS or made.is_symlink() or not made.is_file():
            self._warn(
                tr("The image {inside} was not written: its format is unknown.").format(
                    inside=inside
                )
            )
            return str(inside)
        return self._written(made, inside)

    def take_warnings(self) -> list[str]:
        """Return the sentences about images that are new since the last time."""
        warnings, self._warnings = self._warnings, []
        return warnings

    def close(self) -> None:
        """Drop what pandoc unpacked."""
        if self._unpacked is not None:
            self._unpacked.cleanup()

    def _written(self, made: Path, inside: Path) -> str:
        assert self._folder is not None
        safe = Path(*(_safe(part) for part in inside.parts if part not in (".", "..")))
        content = made.read_bytes()
        for number in range(1, 1000):
            name = safe if number == 1 else safe.with_name(f"{safe.stem}-{number}{safe.suffix}")
            target = self._folder / name
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                if not target.parent.resolve().is_relative_to(self._folder.resolve()):
                    break  # a link leads out of the folder
                with target.open("xb") as file:
                    file.write(content)
                return name.as_posix()
            except FileExistsError:
                if target.is_file() and not target.is_symlink() and target.read_bytes() == content:
                    return name.as_posix()
            except OSError as error:
                self._warn(
                    tr("The image {name} could not be written: {strerror}.").format(
                        name=name, strerror=error.strerror
                    )
                )
                return str(inside)
        self._warn(
            tr("The image {inside} could not be written: no free name is left for it.").format(
                inside=inside
            )
        )
        return str(inside)

    def _warn(self, sentence: str) -> None:
        if sentence not in self._warnings:
            self._warnings.append(sentence)


def _safe(part: str) -> str:
    """Return a name that every file system takes and no terminal or Markdown stumbles over."""
    part = re.sub(r"[^\w.-]+", "_", unicodedata.normalize("NFC", part)).lstrip(".-")
    stem, suffix = (part.rpartition(".")[0], part.rpartition(".")[2]) if "." in part else (part, "")
    return f"{stem[:_MAX_NAME] or 'image'}{'.' if suffix else ''}{suffix[:10]}"
