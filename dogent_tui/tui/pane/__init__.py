"""The document pane: a document beside the conversation, which follows the file and lets lines of
it be chosen.

The open document
-----------------

`/open PATH` puts a `DocumentPane` (`tui/pane/`) beside the conversation, from 110 columns on; in a
narrower window one covers the other (`ConversationLayout.show_pane`). `PaneController` opens it,
looks at the file once a second and after every tool result, and keeps what goes with the next
prompt in line with what is chosen. A Markdown file is cut into parts by a scan of its lines
(`text.py`); only the parts in sight are drawn (`rows.py` on `transcript/rows.py` and its
`Viewport`), by the transcript's Markdown, which says of each drawn line where it comes from
(`sourced_lines`). So a megabyte opens in about 100 ms of CPU, and what is chosen on the screen, a
paragraph, an item, a line of code, has lines in the file. These travel as `"lines": "10-40"` of an
attachment; a user can type `@path:10-40` as well. What changed since the last run began is marked
in the margin (`changes/sequence_match.py`). Its path is the default of `propose_document_change`
(`Libraries.open_document`). Any other document comes from the `DocumentLibrary`, part by part, as
in the preview, and has no lines.

What the agent writes is shown there by itself, from 140 columns on (`pane/live_documents.py`). The
SDK tells the JSON of a Write in pieces; `StreamedWrite` reads the part that has come
(`pydantic_core.from_json`), and `DocumentDelta` carries what is new of the text. The pane is
brought in line at most ten times a second, and not at all while nothing comes: a document that the
agent wrote has no timer, events and the return of the focus say when to look. Its end is followed
until the user scrolls; an edit is gone to. A document that the user opened is never replaced, and
what they closed stays closed until F3. `Results` (`tui/results/`) is the list of what was written
and exported; replaying a log gives the same, for which an export by hand is an event of its own
(`DocumentExported`).
"""
