"""Runs parts of tests as an ordinary user, where they are run by root."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

NOBODY = 65534


def as_ordinary_user(folder: Path, work: Callable[[], str]) -> str:
    """Return what `work` does, called in a process of an ordinary user, whose `folder` then is with all that it holds.

    It must not lie in pytest's own, which every process of pytest closes to others anew.
    """
    if os.getuid() != 0:
        return work()
    for place in (folder, *folder.rglob("*")):
        os.lchown(place, NOBODY, NOBODY)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            sys.executable = shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
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
