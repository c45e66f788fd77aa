"""The Textual application.

**First paint.** The first paint shows the prompt, the status bar and the key hints.
`ConversationLayout.bring` (`tui/conversation_layout.py`) adds the transcript afterwards;
attachments, search and every other screen are imported on first use. The screen is the
application's default screen, because an empty one below it would be laid out and styled for
nothing. Its styles belong to the application, because styles that a screen brings along cause all
styles to be parsed again. `/new` shows another session on the same screen. Records created before
the first paint are `msgspec` structs: defining a dataclass takes more than a millisecond, a struct
a thirtieth of that, and there are more than eighty. The appearance of each style name in the
transcript comes from a table (`transcript/palette.py`) rather than from component classes, which a
change of theme would match again one by one. For the theme of the terminal's own colors, which
cannot be blended, the table uses attributes. `tests/test_imports.py` lists what must not be
imported before the first paint.

**Replaced parts of Textual.** `tui/textual_fixes/driver.py` reads the terminal instead of Textual's
reader, which turns a paste containing ESC into keys and stops at a byte that is not UTF-8;
`harmless.py` draws no control character that an input line holds.
`tui/key_hints.py` replaces Textual's footer, whose widgets cost a sixth of the first paint.

**Between frames.** `tui/garbage.py` postpones Python's garbage collections and runs small ones once
a second: one of 20,000 objects took 20 ms in the middle of a change of theme.
`tui/textual_fixes/timers.py` provides one-shot timers; Textual's skip their only tick if the
process is delayed while they start, which left the transcript waiting forever for a timer of one
millisecond.

**Where things are.** `terminal_app.py` runs the application in the terminal. `app.py` connects the
parts. `sessions/current.py` starts, follows and replaces the session that is shown.
`screens/conversation.py` composes the widgets and is the only place where events reach them.
`conversation_layout.py` arranges what is above the prompt. `transcript/` is the one widget that
draws the conversation. `prompt/` and `attachments/` hold the prompt and the attachments;
`attachments/controller.py` keeps the sidebar and the prompt's chips consistent,
`prompt/controller.py` handles what was typed. `questions/` is the queue of permission questions and
their content (drawn by `screens/permission.py`). `clarification/` is the form for the agent's own
questions (`screens/clarification.py`); what may be asked, and the message with the answers, is
defined in `agent/ui_requests.py`. `outline/` and `screens/outline.py` are the outline editor,
`todos.py` the plan above the prompt, `colorless.py` the handling of NO_COLOR, `rewinding/` the
return to an earlier prompt, `help_pages.py` the keys of every screen, `sessions/` the list of
conversations and their export (`screens/sessions.py`), `screens/history.py` the prompts of Ctrl+R
and `/show history`, `status.py` the status bar, and `commands/` the commands by family. Screens
show plain models (`transcript/model.py`, `prompt/model.py`, `attachments/model.py`,
`questions/model.py`, `Status`), which tests drive without a screen.

**What screens share.** `dialog.py` is the frame of every dialog, its list (`ChoiceList`), and a
list with a search line (`FinderScreen`). `screens/choice.py` asks for one of a few answers,
`screens/forms.py` for typed lines (`text_line.py`). `screens/editor.py` is the base of the outline
and review editors, and `painted.py` the base of every widget that draws lines.
"""
