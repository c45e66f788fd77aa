"""Differences between Textual 8.2 and what the application needs; each module can be removed once
it is fixed there.

* `driver.py`: invalid UTF-8 ends the reading of keys (github.com/Textualize/textual/issues/6456); a
  paste is read as keys, the joiners of an emoji are left out, a full pipe or a SIGSTOP leaves the
  terminal unread, the last of several sizes in a moment is not the one that is drawn (no known
  issue).
* `terminal_keys.py`: Shift+Enter of some terminals is a plain Enter
  (github.com/Textualize/textual/issues/5667).
* `colorless.py`: NO_COLOR produces grays (github.com/Textualize/textual/issues/2829).
* `timers.py`: a one-shot timer of a busy application may never fire (no known issue).
* `literal_area.py`: undoing two edits at once looks for the cursor in a line that no longer exists
  (no known issue).
* `keys_in_turn.py`: a key goes to the widget that had the focus before the last key acted (by
  design).
* `option_list.py`: Page Up in a list without a size is a KeyError (no known issue).
* `fast_render.py`: faster drawing (by design).
"""
