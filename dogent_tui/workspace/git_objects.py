"""Asks Git about the objects of a repository, without its settings: nothing that it configures is ever run."""

# ruff: noqa: PTH118, PTH117

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from os.path import join, realpath
from pathlib import Path

_LONGEST_S = 120


class GitObjects:
    """Answers from folders of objects, by a repository of our own that has no settings.

    `own` is an empty folder, `objects` are the folders. `form` is how objects are named: ``sha1`` or ``sha256``; `shallow` says
    where history was cut off. A Git that lies in the folder `untrusted` is not run, even where it is the first on the path.
    """

    def __init__(self, own: str, objects: Sequence[str], form: str, shallow: str, untrusted: str) -> None:
        Path(own, "refs").mkdir(parents=True)
        Path(own, "HEAD").write_text("ref: refs/heads/none\n")
        settings = "[core]\nrepositoryformatversion = 1\nbare = true\n[extensions]\nobjectformat = "
        Path(own, "config").write_text(f"{settings}{form}\n")
        if shallow:
            Path(own, "shallow").write_text(shallow)
        escaped = [folder.replace("\\", "\\\\").replace('"', '\\"') for folder in objects[1:]]
        self._own = own
        self._program = _trusted_git(untrusted)
        self._environment = {
            "GIT_DIR": own,
            "GIT_OBJECT_DIRECTORY": objects[0],
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(f'"{folder}"' for folder in escaped),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "HOME": own,
            "LC_ALL": "C",
        }

    def ask(self, *arguments: str, lines: Iterable[str] = (), index: str = "") -> str | None:
        """Return what Git answers, None where it says no, or cannot say. `lines` are its input; `index` is an index file."""
        environment = self._environment | ({"GIT_INDEX_FILE": index} if index else {})
        try:
            done = subprocess.run(
                [self._program, *arguments],
                input="".join(f"{line}\n" for line in lines).encode(),
                env=environment,
                cwd=self._own,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=_LONGEST_S,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return os.fsdecode(done.stdout).strip()


def _trusted_git(untrusted: str) -> str:
    """Return where Git is installed, "" where it is not."""
    inside = join(realpath(untrusted), "")
    folders = [each for each in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(each)]
    outside = [each for each in folders if not join(realpath(each), "").startswith(inside)]
    found = shutil.which("git", path=os.pathsep.join(outside)) or ""
    return "" if realpath(found).startswith(inside) else found
