"""`propose_document_change`: the model proposes a text for a document, and the user reviews it hunk
by hunk.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from dogent_tui.changes.reviewed import Reviewed
from dogent_tui.errors import DogentError
from dogent_tui.sources.ledger import Ledger
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.server import Tool, ToolFailure, typed_tool

NAME = "propose_document_change"

DESCRIPTION = """\
Propose a change of a document: the user reviews it hunk by hunk, and what they accept is written.
Give the whole text of the file, changed only where you mean to. The answer says what became of each
hunk: accepted, edited or rejected, with comments."""

PATH = "The file; may be new. Default: the document that the user has open."

UNDECIDED = "The user did not decide about this change. Nothing was written."

Review = Callable[[Reviewed, str], Awaitable[str | None]]
"""Presents a proposal and its text to the user and waits: returns the outcome in words, None if no
one decided.
"""


NOTHING_OPEN = "Nothing was proposed: the user has no document open. Name the file in path."


class _Input(msgspec.Struct, kw_only=True):
    path: Annotated[str, Meta(description=PATH)] = ""
    new_content: str
    summary: Annotated[str, Meta(description="What changed and why, briefly.")]


Approved = Callable[[Mapping[str, Any]], Path | None]
"""Returns the real path that was approved for a call with this input, None if there was nothing to
approve.
"""


def propose_document_change_tool(
    libraries: Libraries, review: Review, approved: Approved, ledger: Ledger
) -> Tool:
    """Return the tool. It writes nothing itself. Outside the workspace it proposes only for
    `approved` paths.

    A proposal changes what the model last saw of a file according to the `ledger`: later changes
    are merged.
    """
    workspace = libraries.workspace

    def opened_for(wanted: _Input, path: str, place: Path | None) -> Reviewed:
        real = workspace.absolute(path).resolve()
        seen = ledger.content(real)
        return Reviewed.open(
            workspace,
            path,
            wanted.new_content,
            wanted.summary,
            base=... if seen is None else seen,
            approved=place,
            unsaved=libraries.unsaved.get(real),
        )

    async def propose(wanted: _Input, payload: Mapping[str, Any]) -> str:
        path = wanted.path or libraries.open_document
        if not path:
            raise ToolFailure(NOTHING_OPEN)
        try:
            opened = await asyncio.to_thread(opened_for, wanted, path, approved(payload))
        except DogentError as error:
            raise ToolFailure(f"Nothing was proposed. {error}") from error
        if not opened.change.hunks and not opened.change.is_new:
            raise ToolFailure(
                f"{opened.change.name} holds this text already: nothing was proposed."
            )
        outcome = await review(opened, wanted.new_content)
        if outcome is None:
            raise ToolFailure(UNDECIDED)
        return outcome

    return typed_tool(NAME, DESCRIPTION, _Input, propose, "Nothing was proposed")
