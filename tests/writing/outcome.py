"""What a model did with a task of writing: its calls, the files before and after, what it said
and asked.
"""

import re

import msgspec

WRITES = ("Write", "Edit", "MultiEdit", "propose_document_change")
READS = ("Read", "read_document", "read_markdown_file", "analyze_media")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:['’.,-][^\W_]+)*")
_NOTE = re.compile(r"^\[\^[^\]]+\]:.*$", re.MULTILINE)
_MARKS = re.compile(r"\[\^[^\]]+\]|^#+ |^[-*|>] |[*_`|]", re.MULTILINE)


class Call(msgspec.Struct, frozen=True):
    """A tool call: the tool's own name, the file that it names as seen from the workspace, and a
    few words of its input.
    """

    tool: str
    path: str = ""
    about: str = ""
    is_error: bool = False


class Outcome(msgspec.Struct, frozen=True):
    """What came of a task. `before` and `after` are the texts of the files by path; what is no text
    is there as its size.

    `proposed` are the texts that were proposed or written after the user had rejected something.
    `status`: of the last run.
    """

    task: str
    model: str
    status: str
    said: str
    questions: int
    calls: tuple[Call, ...]
    before: dict[str, str]
    after: dict[str, str]
    proposed: tuple[str, ...] = ()
    cost_usd: float | None = None
    seconds: float = 0.0
    tokens: int = 0

    @property
    def written(self) -> set[str]:
        """The files that are new, changed or gone, without those of the application's own
        folder.
        """
        paths = {
            path
            for path in {*self.before, *self.after}
            if self.before.get(path) != self.after.get(path)
        }
        return {path for path in paths if not path.startswith(".dogent/")}


def words_of(text: str) -> list[str]:
    """Return the words of a Markdown text, each Chinese character as one; without notes and
    marks.
    """
    return _WORD.findall(_MARKS.sub(" ", _NOTE.sub("", text)))
