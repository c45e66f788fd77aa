"""The shapes of data: records that do not change once they are made, and JSON objects.

ADR 5 says why records are msgspec structs.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias, dataclass_transform

import msgspec

Json: TypeAlias = Mapping[str, Any]
"""A JSON object, to be read."""

JsonDict: TypeAlias = dict[str, Any]
"""A JSON object, to be made or changed."""


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, frozen=True):
    """A record that does not change: ``class Place(Record): path: str``. `msgspec.structs.replace`
    makes another.
    """
