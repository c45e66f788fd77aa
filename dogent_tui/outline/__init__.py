"""Outlines: headings in a tree, read from Markdown, changed step by step, and written back. Knows
no screen and no agent.

The outline editor
------------------

`OutlineScreen(OutlineTask(title, proposal, …))` is dismissed with the user's `Reply`; it knows
neither the session nor the disk. `outline/edit_session.py` is what it edits: an `Outline` (a flat
row of immutable headings with levels, so that each change is one exchange of a slice, and undo
keeps only those), an `OutlineTree` (cursor, selection, folds: no content), and the `Changes`
against the proposal. Texts with headings are found by markdown-it's block rules and written back
byte for byte; a list is normalised level by level (`lists.py`). Numbers are taken off the titles
only where counting gives every one of them, and then follow the order. While the Markdown is typed,
`RawMode` has the tree follow it some eight times a second: long texts are read in a thread, and
`RawEdit` makes all of it one step of undo. The preview stays beside it from 120 columns, the tree
too from 160; only one of them is ever edited. `/outline FILE.md` is the same screen over
`storage/text_file.py`; what is not saved yet is kept by `DraftKeeper` (`tui/draft_keeper.py`) with
the fingerprint of the file, and comes back while the file is still that one, else it is kept in a
file of its own. Every action has a key that every terminal sends: Ctrl+Enter arrives only where the
kitty keyboard protocol is spoken, which Textual asks for at the start. `docs/outline/` shows a walk
through it, made by `python -m tests.walkthrough`.
"""
