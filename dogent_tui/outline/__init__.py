"""Outlines: headings in a tree, parsed from Markdown, changed step by step, and written back.
Independent of screen and agent.

The outline editor
------------------

`OutlineScreen(OutlineTask(title, proposal, …))` is dismissed with the user's `Reply`; it knows
neither the session nor the disk. It edits `outline/edit_session.py`: an `Outline` (a flat list of
immutable headings with levels, so that each change replaces a slice, and undo keeps only those), an
`OutlineTree` (cursor, selection, folds: no content), and the `Changes` relative to the proposal.
Texts with headings are parsed with markdown-it's block rules and written back byte for byte; a list
is normalized level by level (`lists.py`). Numbers are removed from the titles only if counting
reproduces every one of them, and then follow the order. While the Markdown is typed, `RawMode`
updates the tree about eight times a second: long texts are parsed in a thread, and `RawEdit` makes
all of it one undo step. The preview is shown next to it from 120 columns on, the tree too from 160;
only one of them is ever edited. `/outline FILE.md` is the same screen over `storage/text_file.py`;
unsaved changes are kept by `DraftKeeper` (`tui/draft_keeper.py`) with the fingerprint of the file,
and restored while the file is unchanged, otherwise saved to a file of their own. Every action has a
key that every terminal sends: Ctrl+Enter only arrives with the kitty keyboard protocol, which
Textual requests at startup. `docs/outline/` shows a walkthrough, made by `python -m
tests.walkthrough`.
"""
