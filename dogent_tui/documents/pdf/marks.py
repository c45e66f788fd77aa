"""What is on a page besides its text: comments, highlights, form fields; and the marking of hidden
text.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from dogent_tui.documents.pandoc.escapes import escaped
from dogent_tui.documents.pdf.model import Box, Line, Page, around, words_of
from dogent_tui.plain import one_line

_MOST = 500
_UNDER = {
    "Highlight": "Highlight",
    "StrikeOut": "Strikeout",
    "Underline": "Underlined",
    "Squiggly": "Underlined",
}
_DRAWN = {"FreeText": "Text note", "Stamp": "Stamp"}
_COMMENTS = {
    "Text", "Caret", "Ink", "Square", "Circle", "Line", "Polygon", "PolyLine", "FileAttachment",
}  # fmt: skip
_CHECKS = {"CheckBox", "RadioButton"}


class Annotation(msgspec.Struct, frozen=True):
    """An annotation or form field: its kind, position, author and content, and its value as
    drawn.
    """

    what: str
    box: Box
    name: str = ""
    text: str = ""
    under: tuple[Box, ...] = ()
    drawn: bool = False


def page_marks(page: Any) -> list[Annotation]:
    """Return the annotations and form fields of the pymupdf page."""
    return [*_annotations(page), *_fields(page)]


def _annotations(page: Any) -> Iterator[Annotation]:
    for annotation in islice(page.annots(), _MOST):
        kind, info = annotation.type[1], annotation.info
        text, author = one_line(info["content"]), one_line(info["title"])
        box = Box(*annotation.rect)
        if kind in _UNDER:
            corners = [Box(*corner, *corner) for corner in annotation.vertices or ()]
            quads = tuple(around(corners[at : at + 4]) for at in range(0, len(corners), 4))
            yield Annotation(_UNDER[kind], box, author, text, quads or (box,))
        elif kind in _DRAWN:
            shown = one_line(annotation.get_text())
            said = text or one_line(info["subject"]) or shown
            said += f" – {shown}" if shown not in said else ""
            yield Annotation(_DRAWN[kind], box, author, said, drawn=True)
        elif kind in _COMMENTS and text:
            yield Annotation("Comment", box, author, text)


def _fields(page: Any) -> Iterator[Annotation]:
    for field in islice(page.widgets(), _MOST):
        kind, value = field.field_type_string, field.field_value
        if kind in _CHECKS:
            value = "not checked" if value in {None, False, "Off", ""} else "checked"
        if kind not in {"Button", "Signature"}:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
            if kind == "ListBox":  # which shows all of them
                text += f" (of {', '.join(map(str, field.choice_values or ()))})"
            name = one_line(field.field_label or field.field_name or "")
            yield Annotation("Form field", Box(*field.rect), name, one_line(text), drawn=True)


def drawn_by(line: Line, marks: Sequence[Annotation]) -> bool:
    """Return whether the line is drawn by an annotation or field, which is reported separately."""
    text = "".join(line.text.split())
    return any(
        mark.drawn
        and mark.box.holds(line.box.middle, 2)
        and (
            text in "".join(mark.text.split()) or (mark.text.endswith("checked") and len(text) == 1)
        )
        for mark in marks
    )


def marks_markdown(marks: Sequence[Annotation], page: Page) -> Iterator[str]:
    """Yield a paragraph for each mark: kind, author, the words it concerns, and its content."""
    words = [each for line in page.lines for each in words_of(line)] if marks else []
    for mark in marks:
        if mark.what == "Form field":
            yield _written(f"Form field {mark.name}: {mark.text or '(empty)'}")
            continue
        quote = " ".join(
            word.text for word in words if any(quad.holds(word.box.middle) for quad in mark.under)
        )
        text = "" if mark.text == quote else mark.text
        parts = filter(
            None, [quote and f"“{quote}”", f"comment: {text}" if quote and text else text]
        )
        who = f" by {mark.name}" if mark.name else ""
        yield _written(f"{mark.what}{who}: {' – '.join(parts)}")


def _written(text: str) -> str:
    return f"\\[{escaped(' '.join(text.split()))}\\]"
