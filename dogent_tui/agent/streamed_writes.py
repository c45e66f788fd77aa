"""The text of a Write call while the model is still writing it: its input arrives as pieces of
JSON.
"""

WRITE = "Write"
"""The tool whose input is a whole text."""

_STEP = 64
_SHARE = 50
"""New input is parsed once it is longer than both `_STEP` characters and a share of all before:
parsing starts from the beginning each time, so a megabyte is parsed about a hundred times and not
once per word.
"""


class StreamedWrite:
    """The input of one call, as far as it has arrived. `path` is empty until it is known."""

    def __init__(self, tool_use_id: str) -> None:
        self.tool_use_id = tool_use_id
        self.path = ""
        self._pieces: list[str] = []
        self._come = 0
        self._read = 0
        self._told = 0

    def add(self, piece: str) -> str:
        """Add the next `piece` of the JSON. Return what is new of the text, often nothing."""
        self._pieces.append(piece)
        self._come += len(piece)
        return self.rest() if self._come - self._read >= max(_STEP, self._read // _SHARE) else ""

    def rest(self) -> str:
        """Return what is new of the text."""
        from pydantic_core import from_json  # imported on use: it takes a tenth of the SDK's time

        self._read = self._come
        self._pieces = ["".join(self._pieces)]
        try:
            fields = from_json(self._pieces[0], allow_partial="trailing-strings")
        except ValueError:  # nothing yet, or not JSON: the call itself will report it
            return ""
        path, text = (
            (fields.get("file_path"), fields.get("content"))
            if isinstance(fields, dict)
            else (None, None)
        )
        if (
            not isinstance(path, str)
            or not isinstance(text, str)
            or list(fields)[-1] == "file_path"
        ):  # possibly truncated
            return ""
        self.path = path
        new, self._told = text[self._told :], max(self._told, len(text))
        return new
