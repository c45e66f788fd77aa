"""Sets ``document.typ`` in its folder as ``document.pdf``, or as given by its argument: a program
of its own, as typst cannot be interrupted.
"""

import resource
import sys
from pathlib import Path

_MOST_MEMORY = 3 << 30
_PPI = 288.0
"""The resolution of a picture in pixels per inch."""


def main() -> int:
    """Return the exit status: 1 with a reason on standard error."""
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    import typst

    folder = Path.cwd()
    try:
        typst.compile(
            folder / "document.typ",
            output=folder / f"document.{sys.argv[1]}",
            root=folder,
            package_path=folder,
            package_cache_path=folder,
            ppi=_PPI,
        )
    except Exception as error:  # whatever it is, it is the reason
        sys.stderr.write(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
