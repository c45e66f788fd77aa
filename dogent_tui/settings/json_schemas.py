"""The JSON Schemas of the configuration files, with which editors complete keys and mark mistakes.

They are files in the package, so that a ``$schema`` can point there; `make schemas` generates them
from the models.
"""

from pathlib import Path

NAMES = ("claude", "web", "vision", "dogent", "home")
"""The available schemas. `dogent` is for the file of a folder, `home` for the user's own of the
same name.
"""


def schema_file(name: str) -> Path:
    """Return the path of the schema `name` in the package."""
    return Path(__file__).resolve().parents[1] / "schemas" / f"{name}.schema.json"
