"""Real paths that stay what they were when they were approved, even if links on the way change."""

import json
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.storage.files import atomic_write

_MOST = 64
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""How to open a folder on the way; macOS has no `O_PATH`."""
_OPENED = Path("/proc/self/fd")


class ApprovedPlaces:
    """The places by which the current calls were judged: the gate records them, and the tools use
    these and no others.
    """

    def __init__(self) -> None:
        self._places: OrderedDict[str, tuple[Path, ...]] = OrderedDict()

    def note(self, payload: Mapping[str, Any], places: Iterable[Path]) -> None:
        """Record that a call with this input is running, judged by these real paths."""
        key = json.dumps(payload, sort_keys=True)
        self._places[key] = tuple(places)
        self._places.move_to_end(key)
        while len(self._places) > _MOST:
            self._places.popitem(last=False)

    def of(self, payload: Mapping[str, Any], path: Path) -> Path:
        """Return where `path` really leads. Raises DogentError if the call was not judged by that
        place.
        """
        try:
            real = Path(os.path.realpath(path))
        except ValueError:  # a zero byte: opening it reports that nothing is there
            return path
        known = self._places.get(json.dumps(payload, sort_keys=True))
        if known is not None and real not in known:
            raise _leads_elsewhere(path)
        return real


def _leads_elsewhere(path: Path) -> DogentError:
    return DogentError(
        tr("{path} no longer points to where it did when the call was allowed.", path=path),
        tr("Make the call again; it will be checked again."),
    )


def open_real(path: Path) -> int:
    """Open the file at a real path for reading, without blocking or following links. Raises
    OSError, also for a link.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    with real_folder(path.parent) as folder:
        return os.open(path.name, flags, dir_fd=folder)


@contextmanager
def real_folder(path: Path, *, make: bool = False) -> Iterator[int]:
    """Open the folder at a real path, component by component, so that no link on the way is
    followed. Raises OSError.
    """
    folder = walked(os.open(path.anchor, _FOLDER), path.parts[1:], make=make)
    try:
        yield folder
    finally:
        os.close(folder)


@contextmanager
def pinned(path: Path) -> Iterator[Path]:
    """Provide a name for a real path whose folder cannot be replaced in the meantime. Missing
    folders are created.

    On systems without such names it is the path itself, checked just before. Raises OSError if the
    path contains a link.
    """
    with real_folder(path.parent, make=True) as folder:
        by_number = _OPENED / str(folder)
        yield by_number / path.name if by_number.exists() else path


def write_real(path: Path, data: bytes) -> None:
    """Write a file at a real path atomically, without following links. Raises OSError."""
    with pinned(path) as place:
        atomic_write(place, data)


def walked(
    top: int,
    names: Iterable[str],
    *,
    make: bool = False,
    entered: Callable[[int, int], None] = lambda *_: None,
) -> int:
    """Return a descriptor of the folder that `names` lead to from the folder open at `top`, which
    is closed. Follows no link. Raises OSError.

    `entered` is called with the number and the descriptor of each folder on the way.
    """
    found = top
    try:
        for number, name in enumerate(names):
            try:
                deeper = os.open(name, _FOLDER, dir_fd=found)
            except FileNotFoundError:
                if not make:
                    raise
                os.mkdir(name, dir_fd=found)
                deeper = os.open(name, _FOLDER, dir_fd=found)
            os.close(found)
            found = deeper
            entered(number, found)
    except BaseException:
        os.close(found)
        raise
    return found
