"""What of the text of an odt pandoc would not take for what it is: its title, and what cannot be
seen (OpenDocument 1.3).
"""

from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from dogent_tui.documents.pandoc.tree import HIDDEN, Node, plain_text
from dogent_tui.documents.pandoc.word_runs import after_tag
from dogent_tui.documents.pandoc.word_styles import Properties, is_unseen

_DEEPEST = 20
_OPEN = f'<text:a xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="{HIDDEN}">'.encode()
_TITLE = b'<text:h text:outline-level="1">'


class OdtStyles:
    """The styles of `content.xml` and `styles.xml` by their names: what each is based on, and
    how its text looks.
    """

    def __init__(self, *parts: bytes) -> None:
        self._styles: dict[str, tuple[str, Properties]] = {}
        for part in parts:
            try:
                root = ElementTree.fromstring(part)  # noqa: S314 (checked: no entities)
            except (ElementTree.ParseError, LookupError, ValueError):
                continue
            for style in root.iter():
                if style.tag.endswith("}style"):
                    attributes = _bare(style.attrib)
                    looks = [
                        _bare(inner.attrib)
                        for inner in style.iter()
                        if inner.tag.endswith("-properties")
                    ]
                    look = {name: value for one in looks for name, value in one.items()}
                    self._styles[attributes.get("name", "")] = (
                        attributes.get("parent-style-name", ""),
                        _as_words(look),
                    )

    def chain(self, name: str) -> Iterator[tuple[str, Properties]]:
        """Yield the names and looks of a style and of what it is based on."""
        for _ in range(_DEEPEST):
            if not name:
                return
            parent, look = self._styles.get(name, ("", {}))
            yield name, look
            name = parent

    def hides(self, name: str) -> bool:
        """Tell whether text of this style cannot be seen."""
        look: dict[str, Mapping[str, str]] = {}
        for _, own in self.chain(name):
            look = {**own, **look}
        return is_unseen(look)


class OdtText:
    """Takes the elements of `content.xml` (see `scan_part`) and collects `edits`, as `Runs`
    does.
    """

    def __init__(self, data: bytes, styles: OdtStyles) -> None:
        self.edits: list[tuple[int, int, bytes]] = []
        self._data, self._styles = data, styles
        self._open: list[bytes] = []

    def start(self, tag: str, attributes: dict[str, str], at: int) -> None:
        """An element begins at the byte `at`."""
        closing, style = b"", attributes.get("text:style-name", "")
        end = after_tag(self._data, at)
        if tag in {"text:p", "text:h", "text:span"} and self._data[end - 2 : end] != b"/>":
            if self._styles.hides(style) and b"</text:a>" not in self._open:
                self.edits.append((end, end, _OPEN))
                closing = b"</text:a>"
            elif tag == "text:p" and any(name == "Title" for name, _ in self._styles.chain(style)):
                self.edits.append((at, end, _TITLE))
                closing = b"</text:h>"
        self._open.append(closing)

    def end(self, tag: str, at: int) -> None:
        """An element ends; where it is not empty, its end tag begins at the byte `at`."""
        del tag
        if closing := self._open.pop():
            self.edits.append(
                (at, after_tag(self._data, at) if closing == b"</text:h>" else at, closing)
            )


def _bare(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name.rpartition("}")[2]: value for name, value in attributes.items()}


def _as_words(look: Mapping[str, str]) -> Properties:
    """Return how a text looks in the words of a docx."""
    found: dict[str, Mapping[str, str]] = {}
    if "display" in look:
        found["w:vanish"] = {"w:val": "1" if look["display"] == "none" else "0"}
    if "color" in look:
        found["w:color"] = {"w:val": look["color"].removeprefix("#")}
    if "background-color" in look:
        fill = look["background-color"].removeprefix("#")
        found["w:shd"] = {"w:fill": "auto" if fill == "transparent" else fill}
    size = look.get("font-size", "").removesuffix("pt")
    if size.replace(".", "", 1).isdecimal():
        found["w:sz"] = {"w:val": str(round(2 * float(size)))}
    return found


def lists_of_headings_opened(blocks: list[Node]) -> list[Node]:
    """Return the blocks with headings in place of lists that hold headings alone, as numbered
    headings are written.

    The numbers are counted anew, by the levels of the headings: those of the lists count each list
    by itself.
    """
    counts: list[int] = []
    out: list[Node] = []
    for node in blocks:
        headings = _headings(node)
        if not headings:
            out.append(node)
        for heading in headings:
            level = heading["c"][0]
            if node["t"] == "OrderedList":
                counts[level:] = []
                counts += [1] * (level - 1 - len(counts))
                counts[level - 1 :] = [counts[level - 1] + 1 if len(counts) >= level else 1]
                number = ".".join(map(str, counts))
                if not plain_text(heading["c"][2]).startswith(number):
                    heading["c"][2] = [{"t": "Str", "c": number}, {"t": "Space"}, *heading["c"][2]]
            out.append(heading)
    return out


def _headings(node: Node) -> list[Node]:
    """Return the headings of a list that holds nothing else, none for any other block."""
    if node["t"] not in {"BulletList", "OrderedList"}:
        return []
    items = node["c"] if node["t"] == "BulletList" else node["c"][1]
    found = [
        [inner] if inner["t"] == "Header" else _headings(inner) for item in items for inner in item
    ]
    return [heading for part in found for heading in part] if all(found) else []
