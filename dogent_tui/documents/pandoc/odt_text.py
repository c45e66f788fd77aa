"""What of the text of an odt pandoc would not take for what it is: its title, and what cannot be
seen (OpenDocument 1.3).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from dogent_tui.documents.pandoc.archive import root_of
from dogent_tui.documents.pandoc.tree import HIDDEN, Node, plain_text
from dogent_tui.documents.pandoc.word_styles import Properties, is_unseen

_DEEPEST = 20
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
ADDRESS = "{http://www.w3.org/1999/xlink}href"


class OdtStyles:
    """The styles of `content.xml` and `styles.xml` by their names: what each is based on, and
    how its text looks.
    """

    def __init__(self, *parts: bytes) -> None:
        self._styles: dict[str, tuple[str, Properties]] = {}
        for part in parts:
            for style in root_of(part).iter():
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


def settle_text(root: Any, styles: OdtStyles) -> bool:
    """Make the title of the text of which `root` is the root a heading, and put what cannot be seen
    into links; return whether there was any of it.
    """
    changed = False
    for node in root.iter(*(f"{_TEXT}{name}" for name in ("p", "h", "span"))):
        style = node.get(f"{_TEXT}style-name", "")
        if not len(node) and not node.text:
            continue
        if styles.hides(style) and not any(_is_link(each) for each in node.iterancestors()):
            link = etree.Element(f"{_TEXT}a", {ADDRESS: HIDDEN})
            link.text, node.text = node.text, None
            link.extend(list(node))
            node.append(link)
            changed = True
        elif node.tag == f"{_TEXT}p" and any(name == "Title" for name, _ in styles.chain(style)):
            node.tag = f"{_TEXT}h"
            node.attrib.clear()
            node.set(f"{_TEXT}outline-level", "1")
            changed = True
    return changed


def _is_link(node: Any) -> bool:
    return bool(node.get(ADDRESS) == HIDDEN)


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

    The numbers are counted again, by the levels of the headings: those of the lists count each list
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
