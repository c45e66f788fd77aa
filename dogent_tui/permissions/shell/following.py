"""Which programs go through symbolic links below a folder that they are given, and by which options."""

from collections.abc import Iterable, Mapping

from dogent_tui.permissions.shell.words import Field

_OPTIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "grep egrep fgrep zgrep": ("R", ("--dereference-recursive",)),
    "rg": ("L", ("--follow",)),
    "ag": ("f", ("--follow",)),
    "fd fdfind": ("L", ("--follow",)),
    "find gfind bfs": ("L", ("-follow",)),
    "ls dir vdir": ("L", ("--dereference",)),
    "du": ("L", ("--dereference",)),
    "tree": ("l", ()),
    "tar gtar bsdtar": ("hL", ("--dereference",)),
    "cpio": ("L", ("--dereference",)),
}
"""Programs → the letters, among single ones behind a dash, and the long options that say so (manuals of GNU and BSD)."""

_BY_PROGRAM = {name: options for names, options in _OPTIONS.items() for name in names.split()}
_UNLESS: Mapping[str, tuple[str, tuple[str, ...]]] = {"zip": ("y", ("--symlinks",))}
"""Programs that always do, unless these say otherwise."""


def follows_links(program: str, args: Iterable[Field]) -> bool:
    """Return whether `program` reads what links below its folders lead to."""
    words = [arg.text for arg in args]
    if program in _UNLESS:
        return not _says(words, *_UNLESS[program])
    if program not in _BY_PROGRAM:
        return False
    if program.endswith("tar") and words and not words[0].startswith("-"):
        words[0] = f"-{words[0]}"  # tar chf archive folder
    return _says(words, *_BY_PROGRAM[program])


def _says(words: Iterable[str], letters: str, long: tuple[str, ...]) -> bool:
    for word in words:
        single = word.startswith("-") and not word.startswith("--")
        if word in long or (single and any(letter in word for letter in letters)):
            return True
    return False
