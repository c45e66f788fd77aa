"""What a user typed after `/export`, in any order: a Markdown file, a format, a theme, a file to
write.
"""

import re

import msgspec

from dogent_tui.documents.export.themes import theme_names
from dogent_tui.documents.exporter import KINDS
from dogent_tui.errors import UsageError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.results.model import is_markdown

CHECKED = "checked"
CHOOSE = "theme"
"""The word by which a user asks for the pictures of the themes."""
_WORD = re.compile(r'@?"([^"]*)"|(\S+)')
_USAGE = tr(
    "Usage: /export FILE.md pdf|docx THEME OUT checked, with each part optional; quote names with"
    " spaces."
)


class TypedExport(msgspec.Struct, frozen=True):
    """What is to be made. `markdown` is empty where no file is named, `output` where it goes
    beside that. `kind`: see `KINDS`. `checked`: what a check of its sources finds is appended.
    `theme` is one of `theme_names`, `CHOOSE` where the user wants to see them, empty for what the
    document says.
    """

    markdown: str
    kind: str
    output: str
    checked: bool = False
    theme: str = ""


def parse_export(typed: str) -> TypedExport:
    """Return what `typed` says. Where no format is named, the ending of the output is it, else
    pdf. Raises UsageError.
    """
    markdown = kind = output = theme = ""
    checked = False
    rest: list[str] = []
    for found in _WORD.finditer(typed):
        quoted, word = found.groups()
        path = quoted if quoted is not None else word.removeprefix("@")
        if not checked and quoted is None and word.lower() == CHECKED:
            checked = True
        elif not kind and quoted is None and word.lower() in KINDS:
            kind = word.lower()
        elif not theme and quoted is None and word.lower() in (CHOOSE, *theme_names()):
            theme = word.lower()
        elif not markdown and is_markdown(path):
            markdown = path
        elif not output and (kind_named(path) or (markdown and not is_markdown(path))):
            output = path
        else:
            rest.append(path)
    if rest and not markdown:  # without the usual ending
        markdown = rest.pop(0)
    if rest:
        raise UsageError(tr("{word} is not recognized.", word=one_line(rest[0])), _USAGE)
    return TypedExport(markdown, kind or kind_named(output) or "pdf", output, checked, theme)


def kind_named(path: str) -> str:
    """Return the format that the ending of `path` names, empty for none."""
    ending = path.rpartition(".")[2].lower()
    return ending if "." in path and ending in KINDS else ""
