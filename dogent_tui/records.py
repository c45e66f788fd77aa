"""Base types for data: immutable records and JSON objects.

ADR 5 explains why records are msgspec structs.
"""

import json
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar, dataclass_transform

import msgspec

Json: TypeAlias = Mapping[str, Any]
"""A read-only JSON object."""

JsonDict: TypeAlias = dict[str, Any]
"""A JSON object that may be modified."""

Kind = TypeVar("Kind")


def at(value: Any, kind: type[Kind], *path: str | int) -> Kind:
    """Return the value at `path` in the JSON `value`, an empty `kind` if there is none."""
    for key in path:
        try:
            value = value[key]
        except (LookupError, TypeError):
            return kind()
    return value if isinstance(value, kind) else kind()


def to_json(value: Any) -> str:
    """Return `value` as one line of JSON with non-ASCII characters, the `type` of an event
    first.
    """
    try:
        return msgspec.json.encode(value, enc_hook=str).decode()
    except UnicodeEncodeError:
        # a file name that is not UTF-8: a lone surrogate, which JSON can represent and UTF-8 cannot
        return json.dumps(msgspec.to_builtins(value, enc_hook=str))


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, frozen=True):
    """An immutable record: ``class Place(Record): path: str``. `msgspec.structs.replace` makes a
    modified copy.
    """


class Private(Record):
    """A record that holds a key, which must not appear in logs and tracebacks."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"
