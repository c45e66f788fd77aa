"""Validates configuration files against their models: each problem is a warning that names file,
line and key.

Invalid values are left out and unknown ones kept: a mistake in one key costs that key, never the
file.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec.structs import fields

from dogent_tui.language import sentences, tr
from dogent_tui.records import Json, JsonDict, Record
from dogent_tui.storage.files import BrokenFile, read_json
from dogent_tui.storage.json_lines import KeyPath, line_of
from dogent_tui.storage.paths import display_path, dogent_home

SCHEMA_KEY = "$schema"
"""The key that names a file's schema for editors; we ignore it."""


class ConfigWarning(Record):
    """A problem in the configuration, which does not prevent further work.

    `message` and `remedy` are sentences; `code` is for programs. None of them contains a key.
    """

    message: str
    remedy: str = ""
    code: str = ""

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()


class _ProfilesFile(Record):
    profiles: Annotated[
        Mapping[str, Any], msgspec.Meta(extra={"expected": tr("one object {…} per profile")})
    ] = {}


def checked(
    data: Json, model: type[msgspec.Struct], file: Path, where: KeyPath = ()
) -> tuple[JsonDict, list[ConfigWarning]]:
    """Return the valid part of `data` according to `model`, and a warning for each problem. Never
    raises.

    `where` is the place of `data` in `file`. Null counts as not given; texts are stripped of
    surrounding blanks.
    """
    known = {field.encode_name: field.type for field in fields(model)}
    usable = {}
    warnings = []
    for key, value in data.items():
        if key == SCHEMA_KEY and not where:
            continue
        if key not in known:
            warnings.append(unknown_key(file, (*where, key), known))
        if value is None or key not in known:
            continue
        try:
            converted = msgspec.convert(value, known[key])
        except ValueError:  # msgspec's are such, and half a character is
            warnings.append(wrong_value(file, (*where, key), expected(known[key])))
        else:
            usable[key] = converted.strip() if isinstance(converted, str) else converted
    return usable, warnings


def read_config(file: Path) -> tuple[JsonDict, list[ConfigWarning]]:
    """Return the content of `file`, empty if it is broken or missing, and a warning if it is
    broken. Never raises.
    """
    data, broken = read_json(file)
    return data, [broken_file_warning(broken)] if broken else []


def read_profiles(file: Path) -> tuple[dict[str, Json], list[ConfigWarning]]:
    """Return the raw profiles of `file` by name, and problems with the file. Never raises."""
    data, warnings = read_config(file)
    usable, wrong = checked(data, _ProfilesFile, file)
    profiles = usable.get("profiles", {})
    wrong += [
        wrong_value(file, ("profiles", name), tr("an object {…}"))
        for name, profile in profiles.items()
        if not isinstance(profile, dict)
    ]
    found: dict[str, Json] = {
        name: profile for name, profile in profiles.items() if isinstance(profile, dict)
    }
    return found, warnings + wrong


def wrong_value(file: Path, path: KeyPath, wanted: str) -> ConfigWarning:
    """Return the warning about the value at `path` of `file`, which is not what is `wanted`."""
    message = tr(
        "{path}: expected {wanted}. It is not used.", path=_place(file, path), wanted=wanted
    )
    return ConfigWarning(
        message, tr("Fix it in {file}.", file=display_path(file)), "config_wrong_type"
    )


def unknown_key(file: Path, path: KeyPath, known: Iterable[str]) -> ConfigWarning:
    """Return the warning about a key that is not one of the `known` ones, suggesting the
    nearest.
    """
    near = nearest(path[-1], known)
    remedy = (
        tr('Did you mean "{near}"? It was kept.', near=near)
        if near
        else tr("It was kept; remove it if nothing else needs it.")
    )
    return ConfigWarning(
        tr("{path}: dogent-tui does not recognize this key.", path=_place(file, path)),
        remedy,
        "config_unknown_key",
    )


def broken_file_warning(broken: BrokenFile) -> ConfigWarning:
    """Return the warning about what happened to a broken configuration file."""
    return ConfigWarning(broken.message, broken.remedy, "config_broken")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the one of `known` that `name` was most likely meant to be, empty if none is near."""
    from difflib import get_close_matches  # imported on use: only mistakes need it

    by_lower = {candidate.lower(): candidate for candidate in known}
    found = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else ""


def meant(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return a sentence about which of `known` was meant by `name`; `otherwise` if none is near."""
    near = nearest(name, known)
    return tr('Did you mean "{near}"?', near=near) if near else otherwise


def no_profile(name: str, profiles: Iterable[str], file: Path, remedy: str) -> ConfigWarning:
    """Return the warning that none of the `profiles` of `file` is called `name`."""
    names = ", ".join(profiles) or tr("none")
    known = meant(name, profiles, tr("It has: {profiles}.", profiles=names))
    message = tr("There is no profile {name} in {file}.", name=name, file=display_path(file))
    return ConfigWarning(message, sentences(known, remedy), "profile_unknown")


_WORDS = {
    bool: tr("true or false"),
    str: tr("text in quotes"),
    int: tr("a whole number"),
    float: tr("a number"),
    tuple: tr("a list of quoted texts"),
}


def expected(kind: Any) -> str:
    """Return what a value of the type `kind` must be, as the end of a sentence."""
    if get_origin(kind) in (Union, UnionType):
        return expected(next(iter(get_args(kind))))
    if get_origin(kind) is Annotated:
        told = [
            meta.extra["expected"]
            for meta in kind.__metadata__
            if meta.extra and "expected" in meta.extra
        ]
        return told[0] if told else expected(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return tr("one of {values}", values=", ".join(filter(None, get_args(kind))))
    return _WORDS.get(get_origin(kind) or kind, tr("an object {…}"))


def _place(file: Path, path: KeyPath) -> str:

    line = line_of(file, path)
    return (tr("{file}, line {line}, key `{path}`") if line else tr("{file}, key `{path}`")).format(
        file=_called(file), line=line, path=".".join(path)
    )


def _called(file: Path) -> str:
    """Return the name of a file in a sentence: there are two `dogent.json`, the folder's and the
    user's own.
    """
    if file.name != "dogent.json":
        return file.name
    return display_path(file) if file.parent == dogent_home() else f"{file.parent.name}/{file.name}"
