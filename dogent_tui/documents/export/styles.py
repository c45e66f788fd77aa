"""The look of a pdf: our style sheet, followed by the `pdf.css` of the workspace or of the user;
none loads anything.
"""

import re
from pathlib import Path

from dogent_tui.documents.export.images import Images, LeftOutError, read_own
from dogent_tui.documents.export.left_out import LeftOut
from dogent_tui.language import tr
from dogent_tui.records import Record

NAME = "pdf.css"
LARGEST = 1 << 20
"""The maximum size of a style sheet in bytes."""

_IMPORT = re.compile(r"@import\b[^;]*(?:;|\Z)", re.IGNORECASE)
_URL = re.compile(r"url\(\s*(\"[^\"]*\"|'[^']*'|[^)\"']*)\s*\)?", re.IGNORECASE)


class Style(Record):
    """A custom style sheet, which comes after ours. `path` is None if there is none."""

    css: str = ""
    path: Path | None = None
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def find_style(root: Path, home: Path) -> Style:
    """Return the style sheet of the workspace at `root`, or of the user's folder `home`, or none.
    Blocks.
    """
    for path, inside in ((root / ".dogent" / NAME, root), (home / NAME, None)):
        if not path.exists():
            continue
        left_out = LeftOut()
        try:
            content = read_own(path, inside, LARGEST)
        except LeftOutError as why:
            warning = tr("{path} was not used: {why}.", path=path, why=why)
            return Style(warnings=(warning,))
        images = Images(inside or home, path.parent, left_out)
        css = _clean(content.decode("utf-8-sig", errors="replace"), images, left_out)
        return Style(css, path, tuple(left_out.sentences()))
    return Style()


def _clean(css: str, images: Images, left_out: LeftOut) -> str:
    """Return `css` with its images embedded. What is not recognized here is still kept from loading
    by the page's policy.
    """

    def imported(found: re.Match[str]) -> str:
        left_out.add(NAME, found[0], tr("a style sheet can't load another; copy it in"))
        return ""

    def inlined(found: re.Match[str]) -> str:
        address = found[1].strip().strip("\"'")
        if address.startswith("#"):
            return found[0]
        image = images.find(address)
        return f'url("{image.data_uri}")' if image else "none"

    css = _URL.sub(inlined, _IMPORT.sub(imported, css))
    # it can never end its style element
    return css.replace("</", "<\\/").replace("<!--", "")
