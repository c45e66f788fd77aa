"""Runs a command on a real overlay of a folder, as the wall does, so that tests read real
layers. Linux with namespaces.
"""

import os
import shlex
import subprocess
from pathlib import Path

import msgspec

_RUN = """
mount -t overlay overlay -o userxattr,volatile,lowerdir=lower,upperdir=upper,workdir=work lower || exit 125
cd lower && exec bash -c "$1"
"""  # noqa: E501


class Layer(msgspec.Struct, frozen=True):
    """What a command left. `status` is its exit status, `began_ns` a ctime of the real file
    system from just before.
    """

    root: str
    upper: str
    began_ns: int
    status: int


def run_on_layer(root: Path, layer: Path, command: str) -> Layer:
    """Run a command on a new layer of `root`; `layer` is made, and holds its upper directory."""
    (layer / "upper").mkdir(parents=True)
    (layer / "work").mkdir()
    (layer / "lower").symlink_to(root)
    began_ns = next_tick(root.parent)
    (layer / "upper").chmod(root.stat().st_mode & 0o7777)
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", _RUN, "sh", command],
        cwd=layer,
        env={"PATH": os.environ["PATH"], "HOME": str(layer), "LC_ALL": "C.UTF-8", **_WHO},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 125, done.stderr
    return Layer(str(root), str(layer / "upper"), began_ns, done.returncode)


def next_tick(folder: Path) -> int:
    """Return a ctime that is later than that of every file that was changed until now."""
    stamp = folder / ".stamp"
    stamp.touch()
    first = stamp.stat().st_ctime_ns
    while (now := stamp.stat().st_ctime_ns) <= first:
        stamp.unlink()
        stamp.touch()
    stamp.unlink()
    return now


_WHO = {
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_NAME": "A Writer" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "writer@example.org" for who in ("AUTHOR", "COMMITTER")},
}


def quoted(name: bytes | str) -> str:
    """Return a name as a shell word; bytes that are not UTF-8 travel as the surrogates of
    `os.fsdecode`.
    """
    return shlex.quote(os.fsdecode(name))
