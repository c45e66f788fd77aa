"""The JSON Schemas of the configuration files, generated from the models, with which editors
complete keys and mark mistakes.

They are files in the package, so that a ``$schema`` can point there; `make schemas` regenerates
them.
"""

import ast
import inspect
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.settings.config_check import SCHEMA_KEY
from dogent_tui.settings.config_models import PROFILE_MODELS, secret_keys
from dogent_tui.settings.values import HomeSettings, WorkspaceSettings
from dogent_tui.storage.files import json_text

DRAFT = "https://json-schema.org/draft/2020-12/schema"
"""The dialect that msgspec writes (https://jcristharif.com/msgspec/jsonschema.html)."""

_TITLES: Mapping[str, str] = {
    "claude": "Models: ~/.dogent/claude.json of dogent-tui",
    "web": "Web search: ~/.dogent/web.json of dogent-tui",
    "vision": "Vision: ~/.dogent/vision.json of dogent-tui",
    "dogent": "The settings of a folder: .dogent/dogent.json of dogent-tui",
    "home": "Your settings for all folders: ~/.dogent/dogent.json of dogent-tui",
}

_REFERENCE = " env:NAME reads it from the environment, keyring:NAME from the system's keyring."

NAMES = tuple(_TITLES)
"""The available schemas. `dogent` is for the file of a folder, `home` for the user's own of the
same name.
"""


def schema_file(name: str) -> Path:
    """Return the path of the schema `name` in the package."""
    return Path(__file__).resolve().parents[1] / "schemas" / f"{name}.schema.json"


def schema_text(name: str) -> str:
    """Return the schema `name` as the JSON text of its file."""
    if name in ("dogent", "home"):
        properties = _properties(WorkspaceSettings if name == "dogent" else HomeSettings)
    else:
        profile = {"type": "object", "properties": _properties(PROFILE_MODELS[f"{name}.json"])}
        about = "The profiles by name. Their keys are never shown."
        properties = {
            "profiles": {"description": about, "type": "object", "additionalProperties": profile}
        }
    whole = {
        "$schema": DRAFT,
        "title": _TITLES[name],
        "type": "object",
        "properties": {SCHEMA_KEY: {"type": "string"}, **properties},
    }
    return json_text(whole)


def write_schemas() -> None:
    """Write all schemas to the package: `make schemas`, after a model was changed."""
    for name in NAMES:
        schema_file(name).parent.mkdir(exist_ok=True)
        schema_file(name).write_text(schema_text(name), encoding="utf-8")


def _properties(model: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the keys of `model`, each with its type and description."""
    schemas = msgspec.json.schema(model)["$defs"][model.__name__]["properties"]
    [defined] = ast.parse(inspect.getsource(model)).body
    properties: dict[str, Any] = {}
    for field, words in pairwise(defined.body if isinstance(defined, ast.ClassDef) else ()):
        match field, words:
            case ast.AnnAssign(ast.Name(key)), ast.Expr(ast.Constant(str(about))):
                about = inspect.cleandoc(about).replace("\n", " ")
                about += _REFERENCE if key in secret_keys(model) else ""
                properties[key] = {**schemas[key], "description": about}
    return properties
