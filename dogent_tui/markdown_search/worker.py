"""The process that searches a workspace, so that a slow pattern does not block the application.

It reads one `Request` per line from standard input and writes one `Answer` per line. Matches are
counted by forked children, one per processor. It ends with its parent: at the end of its input, or
when a request takes too long.
"""

import signal
import sys

import msgspec

from dogent_tui.language import tr
from dogent_tui.markdown_search.content_search import search_content
from dogent_tui.markdown_search.file_names import find_files
from dogent_tui.markdown_search.match_counter import LIMIT_S
from dogent_tui.markdown_search.model import (
    Answer,
    Failed,
    FindFiles,
    ListTree,
    MarkdownSearchError,
    Request,
)
from dogent_tui.markdown_search.tree import list_tree
from dogent_tui.processes import python_command


def main() -> None:
    """Answer requests until the input ends."""
    for line in sys.stdin.buffer:
        signal.alarm(LIMIT_S)  # the parent would have ended this process earlier, unless it is gone
        answer = msgspec.json.encode(_answer(msgspec.json.decode(line, type=Request)))
        signal.alarm(0)
        sys.stdout.buffer.write(answer + b"\n")
        sys.stdout.buffer.flush()


def _answer(request: Request) -> Answer:
    try:
        if isinstance(request, FindFiles):
            return find_files(request)
        return list_tree(request) if isinstance(request, ListTree) else search_content(request)
    except MarkdownSearchError as error:
        return Failed(error.message, error.remedy)
    except (MemoryError, RecursionError, OSError) as error:
        return Failed(
            tr("The workspace could not be searched: {error}.", error=type(error).__name__),
            tr("Narrow the search."),
        )


def worker_command() -> list[str]:
    """Return the command that starts this process."""
    return python_command("dogent_tui.markdown_search.worker")
