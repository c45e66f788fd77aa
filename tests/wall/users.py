"""Runs parts of tests as an ordinary user, where they are run by root."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from dogent_tui.wall import kernel

NOBODY = 65534


def as_ordinary_user(folder: Path, work: Callable[[], str]) -> str:
    """Return what `work` does, called in a process of an ordinary user, whose `folder` then is with
    all that it holds.

    It must not be in pytest's own, which every process of pytest closes to others again.
    """
    if os.getuid() != 0:
        return work()
    for place in (folder, *folder.rglob("*")):
        os.lchown(place, NOBODY, NOBODY)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _let_others_in(Path(__file__).parents[2], Path(sys.prefix), Path(sys.base_prefix))
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            sys.executable = (
                shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
            )
            os.write(write, work().encode())
        except BaseException as error:
            os.write(write, repr(error).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        said = file.read().decode()
    os.waitpid(child, 0)
    return said


def _let_others_in(*places: Path) -> None:
    """Have `places` reached by everyone, in a mount namespace of this process: a checkout may be in
    a home that is closed.
    """
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    closed = {place: _closed(place) for place in dict.fromkeys(place.resolve() for place in places)}
    held = {place: os.open(place, os.O_PATH) for place, above in closed.items() if above}
    for above in {above for above in closed.values() if above}:
        kernel.mount("tmpfs", str(above), "tmpfs", 0, "mode=755")
    for place, descriptor in held.items():
        if not place.exists():
            place.mkdir(parents=True)
            kernel.mount(
                f"/proc/self/fd/{descriptor}", str(place), flags=kernel.MS_BIND | kernel.MS_REC
            )


def _closed(place: Path) -> Path | None:
    return next(
        (above for above in reversed(place.parents) if not above.stat().st_mode & 0o001), None
    )
