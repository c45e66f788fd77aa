"""Document templates: Markdown with the requirements for a kind of document. Built in, of the user,
or of a workspace (SPEC 1, 3).

In a prompt ``@@name`` refers to one of the workspace, ``@@global:name`` to one of the user,
``@@built-in:name`` to one of ours.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from dogent_tui.errors import ConfigError
from dogent_tui.language import listing, tr
from dogent_tui.plain import cut_bytes
from dogent_tui.records import Record
from dogent_tui.settings.config_check import nearest
from dogent_tui.storage.files import first_text, names_in
from dogent_tui.storage.paths import Workspace, display_path

Origin = Literal["workspace", "global", "built-in"]

MOST_BYTES = 60_000
"""The maximum size in bytes (UTF-8) of a template sent with a request. A longer one is truncated,
and the model is told.
"""

_BUILT_IN = Path(__file__).parent / "built_in_templates"
_MOST_READ = 200_000
_MOST_TEMPLATES = 200
_NAMED = re.compile(r"(?<![\w@/.])@@((?:built-in|global):)?([\w-]+)")
_HEADING = re.compile(r"^#\s+(.+)$", re.MULTILINE)


class Template(Record):
    """A template, named after its file without the extension."""

    name: str
    origin: Origin
    path: Path

    @property
    def spelled(self) -> str:
        """Its name after ``@@``, and in ``doc_template``."""
        return self.name if self.origin == "workspace" else f"{self.origin}:{self.name}"

    @property
    def title(self) -> str:
        """Its first heading, or its name. Raises OSError."""
        found = _HEADING.search(self.text())
        return found[1].strip() if found else self.name

    def text(self) -> str:
        """Its text. Raises OSError."""
        text = first_text(self.path, _MOST_READ)
        sent = cut_bytes(text, MOST_BYTES)
        return text if sent == text else f"{sent}\n\n[cut here: the template is longer]"


def templates(workspace: Workspace, home: Path, *, trusted: bool) -> list[Template]:
    """Return the available templates, nearest first: of the workspace (if it is `trusted`), of the
    user, built in.
    """
    own = _in_folder(workspace.dot / "templates", "workspace", inside=workspace) if trusted else ()
    return [*own, *_in_folder(home / "templates", "global"), *_in_folder(_BUILT_IN, "built-in")]


def find_template(named: str, among: Iterable[Template]) -> Template:
    """Return the template named `named`; a plain name refers to the workspace. Raises ConfigError,
    which lists the existing ones.
    """
    spelled = {template.spelled: template for template in among}
    if named in spelled:
        return spelled[named]
    alike = called(named.rpartition(":")[2], spelled.values())
    near = alike.spelled if alike is not None else nearest(named, spelled)
    there = (
        tr("Did you mean @@{near}?", near=near)
        if near
        else tr("Available: {spelled}.", spelled=", ".join(f"@@{name}" for name in spelled))
    )
    raise ConfigError(tr("There is no template @@{named}.", named=named), there)


def called(name: str, among: Iterable[Template]) -> Template | None:
    """Return the nearest template that a user calls `name`, with or without its origin; None if
    there is none.
    """
    return next((template for template in among if name in (template.spelled, template.name)), None)


def named_templates(text: str) -> list[str]:
    """Return the names after ``@@`` in `text`, in order and without duplicates."""
    return list(dict.fromkeys((found[1] or "") + found[2] for found in _NAMED.finditer(text)))


def _in_folder(folder: Path, origin: Origin, inside: Workspace | None = None) -> Iterator[Template]:
    """Yield the templates of a folder by name. Links out of a workspace are not followed: they
    could send any file.
    """
    for name in names_in(folder, _MOST_TEMPLATES):
        path = folder / name
        if name.endswith(".md") and path.is_file() and (inside is None or inside.contains(path)):
            yield Template(name.removesuffix(".md"), origin, path)


def template_folders(workspace: Workspace, home: Path) -> str:
    """Return the folders for a user's own templates, for a sentence."""
    return listing([display_path(folder / "templates") for folder in (workspace.dot, home)])
