"""Everything Textual.

`tui/textual_fixes/driver.py` reads the terminal in place of Textual's reader, which turns a paste
with an ESC in it into keys and ends over a byte that is not UTF-8. `tui/key_hints.py` replaces
Textual's footer, whose widgets cost a sixth of the first paint.

The first paint is the prompt, the status bar and the keys; `ConversationLayout.bring`
(`tui/conversation_layout.py`) brings the transcript after it, and the attachments, the search and
every other screen come when they are first wanted. The screen is the application's default screen
(an empty one under it was laid out and styled for nothing), its styles are the application's own
(those that a screen brings along have all styles parsed a second time), and `/new` shows another
session on the same screen. Records that are made before the first paint are `msgspec` structs: a
dataclass takes over a millisecond to make, a struct a thirtieth of that, and there are over eighty.
What a style name of the transcript looks like is a table (`transcript/palette.py`), not component
classes, which a change of theme would match again one by one; where the theme is the terminal's own
colors, which cannot be mixed, the table says it in attributes. `tests/test_imports.py` names what
must not be there at the first paint.

Between the frames. `tui/garbage.py` holds Python's collections back and makes small ones once a
second: one of 20,000 objects took 20 ms in the middle of a change of theme.
`tui/textual_fixes/timers.py` calls back after a while; Textual's one-shot timers skip their only
tick where the process is held up as they start, and the transcript, which waited for one of a
millisecond, stood still.

In `tui/`: `terminal_app.py` opens the application in the terminal, `app.py` puts the parts
together, `sessions/current.py` starts, follows and exchanges the session that is shown,
`screens/conversation.py` composes the widgets and is the one place where events reach them,
`conversation_layout.py` what is above the prompt and how it fits into the window, `transcript/` is
the one widget that draws the conversation, `prompt/` and `attachments/` are what their names say
(`attachments/controller.py` keeps sidebar and the prompt's chips in line, `prompt/controller.py`
has what was typed done), `questions/` is the queue of permission questions and what one shows
(`screens/permission.py` draws it), `clarification/` the form for the agent's own questions
(`screens/clarification.py`; what may be asked, and the message that answers it, is
`agent/ui_requests.py`), `outline/` and `screens/outline.py` the outline editor, `todos.py` the plan
above the prompt, `colorless.py` what NO_COLOR asks for, `rewinding/` going back to an earlier
prompt, `help_pages.py` the keys of every place, `sessions/` the list of conversations and what one
is written to a file as (`screens/sessions.py`), `screens/history_table.py` the table of
`/show history`, `status.py` the status bar, `commands/` the commands, family by family. What a
screen shows comes from plain models (`transcript/model.py`, `prompt/model.py`,
`attachments/model.py`, `questions/model.py`, `Status`) that tests drive without a screen.

What screens have in common. `dialog.py` is the frame of every dialog, its list (`ChoiceList`) and
a list with a line to search it (`FinderScreen`); `screens/choice.py` asks for one of a few answers,
`screens/forms.py` for lines to type, `screens/editor.py` is under the editors of outlines and
reviews, and `painted.py` under each widget that draws lines.
"""
