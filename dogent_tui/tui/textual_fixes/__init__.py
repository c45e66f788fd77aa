"""What Textual 8.2 does otherwise than the application needs: each module goes when it is mended
there.

* `driver.py`: invalid UTF-8 ends the reading of keys (github.com/Textualize/textual/issues/6456);
  a paste is read as keys, a full pipe or a SIGSTOP leaves the terminal unread (no issue known).
* `terminal_keys.py`: Shift+Enter of some terminals is a plain Enter
  (github.com/Textualize/textual/issues/5667).
* `colorless.py`: NO_COLOR gives grays (github.com/Textualize/textual/issues/2829).
* `timers.py`: a one-shot timer of a busy application may never fire (no issue known).
* `literal_area.py`: undoing two edits at once looks for the cursor in a line that is gone (no
  issue known).
* `immediate_keys.py`: a binding lets the next key overtake the one that opens a line (by design).
* `fast_render.py`: a faster way to draw (by design).
"""
