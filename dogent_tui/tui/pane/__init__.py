"""The document pane: a document beside the conversation, which follows the file on the disk and
lets the user select lines.

**The open document.** `/open PATH` shows a `DocumentPane` beside the conversation from 110 columns
on; in a narrower window one covers the other (`ConversationLayout.show_pane`). `PaneController`
opens it, checks the file once a second and after every tool result, and keeps the attachments of
the next prompt consistent with the selection. A Markdown file is split into parts by scanning its
lines (`text.py`). Only visible parts are drawn (`rows.py`, based on `transcript/rows.py` and its
`Viewport`), by the transcript's Markdown renderer, which reports the source lines of each drawn
line (`markdown_lines`). Thus a megabyte opens in about 100 ms of CPU time, and a selection on the
screen (a paragraph, an item, a line of code) corresponds to lines of the file. These are sent as
`"lines": "10-40"` of an attachment; a user can also type `@path:10-40`. Changes since the last run
began are marked in the margin (`changes/sequence_match.py`). The path of the document is the
default of `propose_document_change` (`Libraries.open_document`). Documents of other formats are
read part by part from the `DocumentLibrary` (`reading.py`) and have no lines; a search
(`transcript/matches.py`, as in the conversation) reads them to their end.

**Live documents.** What the agent writes is shown automatically from 140 columns on
(`pane/live_documents.py`). The SDK delivers the JSON of a Write in pieces; `StreamedWrite` parses
the part received so far (`pydantic_core.from_json`), and `DocumentDelta` carries the new text. The
pane is updated at most ten times a second, and only when something arrives: a document written by
the agent needs no timer, because events and the return of the focus trigger the checks. The pane
follows the end of the text until the user scrolls, and goes to each edit. A document opened by the
user is never replaced, and one that the user closed stays closed until F3. `Results`
(`tui/results/`) lists what was written and exported; replaying a log gives the same list, which is
why an export by the user is an event too (`DocumentExported`).
"""
