"""`python -m dogent_tui` is `dogent-tui`."""

import sys

from dogent_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
