"""Git's settings: which of them can run something, and where a remote is."""

import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from dogent_tui.undo.git_data import Settings, settings_of

_HARMLESS = re.compile(
    """
    branch[.].*[.](remote|merge|rebase|description|pushremote)
    |remote[.].*[.](prune|prunetags|tagopt|skipdefaultupdate|skipfetchall)
    |remote[.].*[.](promisor|partialclonefilter)
    |submodule[.].*[.](active|branch|ignore|shallow|fetchrecursesubmodules|path)
    |user[.](name|email|signingkey|useconfigonly)
    |(author|committer|color|column|advice|log|status|pack|index|feature|grep|i18n)[.].*
    |gc[.](auto|autodetach|autopacklimit|bigpackthreshold|packrefs|cruftpacks|aggressive.*)
    |core[.](repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode)
    |core[.](symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression|whitespace|untrackedcache)
    |core[.](preloadindex|commentchar|sparsecheckout|sparsecheckoutcone|bigfilethreshold|checkstat)
    |core[.](trustctime|multipackindex|commitgraph|longpaths)
    |init[.]defaultbranch|pull[.](rebase|ff)|push[.](default|autosetupremote|followtags)
    |fetch[.](prune|prunetags|parallel|writecommitgraph|recursesubmodules|showforcedupdates)
    |merge[.](ff|conflictstyle|renames|stat|log|verbosity|autostash|renamelimit)
    |rebase[.](autosquash|autostash|updaterefs|stat|missingcommitscheck|rebasemerges|forkpoint)
    |rerere[.](enabled|autoupdate)|help[.]autocorrect|format[.]pretty|remote[.]pushdefault
    |receive[.]deny.*|submodule[.]recurse|push[.](gpgsign|useforceifincludes)
    |diff[.](renames|algorithm|colormoved|context|mnemonicprefix|noprefix|wserrorhighlight)
    |commit[.](gpgsign|verbose|cleanup|status)|tag[.](sort|gpgsign)
    |branch[.](sort|autosetupmerge|autosetuprebase)|maintenance[.](auto|strategy)
    |http[.]postbuffer|lfs[.]repositoryformatversion
    |extensions[.](objectformat|worktreeconfig|partialclone|refstorage|relativeworktrees)
    |extensions[.]compatobjectformat
    """,
    re.VERBOSE,
)
_BY_KEY = ("gpgsign", "signingkey")
_INCLUDES = re.compile(r"include(if\..*)?\.path")
"""Settings that name another configuration file."""
_ADDRESS = re.compile(r"(remote\..*\.(url|pushurl)|submodule\..*\.url)")
_FETCHED = re.compile(r"[^:]*(:refs/(remotes|tags)/.*)?")
"""What ``git fetch`` may update: never the branches that the user works on."""
_BY_SSH = re.compile(r"(?:[\w.-]+@)?([A-Za-z0-9][\w.-]*):(?!/?/)[^\s]*")
"""``user@host:path``, as accepted by ssh and git."""


def named_by(
    files: Iterable[tuple[Path, Path]],
    settings: Callable[[Path], Settings | None],
    place: Callable[[Path, str], Path],
) -> tuple[set[Path], set[Path]]:
    """Return the configuration files, including those they include, and the folders they name for
    hooks.

    Args:
        files: Configuration files, each with the folder that the repository is checked out in.
        settings: Returns the settings of a file, `None` if they cannot be read.
        place: Resolves a path in the settings relative to a folder.
    """
    waiting, read, hooks = [*files], set[tuple[Path, Path]](), set[Path]()
    named = {file for file, _ in waiting}
    while waiting:
        file, folder = waiting.pop()
        if (file, folder) in read:
            continue
        read.add((file, folder))
        for key, values in (settings(file) or {}).items():
            if key == "core.hookspath":
                hooks.update(place(folder, value) for value in values)
            if _INCLUDES.fullmatch(key):
                waiting += [(place(file.parent, value), folder) for value in values]
    return {file for file, _ in read} - named, hooks


def harmless(key: str, values: tuple[str, ...], inside: Callable[[str], bool]) -> bool:
    """Return whether a setting can run nothing. `inside` tells whether a path, as git reads it, is
    in the workspace.
    """
    if _ADDRESS.fullmatch(key):
        return all(_plain_address(value) or inside(value) for value in values)
    if re.fullmatch(r"remote\..*\.fetch", key):
        return all(map(_FETCHED.fullmatch, values))
    if key == "core.worktree":
        return all(inside(value) for value in values)
    if key == "merge.tool":  # by its path, a script would be run
        return "/" not in "".join(values)
    if key == "core.fsmonitor":
        return all(value.lower() in {"false", "no", "off", "0"} for value in values)
    return _HARMLESS.fullmatch(key) is not None


def harmless_settings(text: str, untrusted: str) -> str:
    """Return the part of the user's own configuration file that runs nothing, names no file or
    machine, and needs no key. A Git in the folder `untrusted` is not run.
    """
    lines, quoted = [], partial(json.dumps, ensure_ascii=False)  # the same escapes as Git's
    for key, values in (settings_of(text, untrusted) or {}).items():
        section, _, rest = key.partition(".")
        part, _, name = rest.rpartition(".")
        if _HARMLESS.fullmatch(key) and name not in _BY_KEY:
            lines.append(f"[{section} {quoted(part)}]" if part else f"[{section}]")
            lines += (f"{name} = {quoted(value)}" for value in values if value)
    return "".join(f"{line}\n" for line in lines)


def _plain_address(value: str) -> bool:
    return "::" not in value and re.fullmatch(r"(https?://|ssh://|git@)\S*", value) is not None


def host_of(address: str) -> str | None:
    """Return the host in a repository's address, "" if it is unclear, None if the address is a
    path.
    """
    if "://" in address:
        try:
            parts = urlsplit(address)
        except ValueError:
            return ""
        return None if parts.scheme == "file" else parts.hostname or ""
    if "::" in address:
        return ""
    match = _BY_SSH.fullmatch(address)
    return match[1] if match else None


def remote_address(settings: Settings, remote: str, branch: str, pushes: bool) -> str:
    """Return where git would fetch from or push to, "" if the file does not state it plainly."""
    if any(key.startswith(("url.", "include")) for key in settings):
        return ""
    if not remote:
        keys = [f"branch.{branch}.pushremote", "remote.pushdefault"] if pushes else []
        named = [settings[key] for key in (*keys, f"branch.{branch}.remote") if key in settings]
        remote = (named[0][-1] if named else "") or "origin"
    address = settings.get(f"remote.{remote}.url", ("",))
    return (settings.get(f"remote.{remote}.pushurl", address) if pushes else address)[-1]
