"""The location of the application's stylesheets: inside the wheel when installed, at the root of a
checkout.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def stylesheet(name: str) -> Path:
    """Return the path of the stylesheet `name` (such as ``"prompt.tcss"``)."""
    installed = _PACKAGE / "styles"
    return (installed if installed.is_dir() else _PACKAGE.parent / "styles") / name


def styles(name: str) -> str:
    """Return the text of the stylesheet `name`, for a widget that brings its own."""
    return stylesheet(name).read_text(encoding="utf-8")
