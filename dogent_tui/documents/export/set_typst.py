"""Sets ``document.typ`` of the folder it stands in as ``document.pdf``, or what its argument names:
a program of its own, as typst cannot be interrupted.
"""

import resource
import sys
from pathlib import Path

_MOST_MEMORY = 3 << 30
_PPI = 288.0
"""Pixels to the inch of a picture."""


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
