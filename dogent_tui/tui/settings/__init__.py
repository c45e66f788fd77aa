"""The settings as a user sees and changes them: rows of values, each in its file, written together
when they are saved.

The settings are a draft (`tui/settings/draft.py`): the files as they are, and changes by file and
path. The screens change it and write nothing; `save.py` writes the files when it is saved, the
folder's through `write_own`, the user's own by `write_home_values` after a question of its own
(`may_save`): the diff of the policy's would show the keys beside the change. Then the
session is opened again where nothing was said, or where the model was chosen
(`CurrentSession.change_profile`: the process that holds the conversation ends before another
resumes it). `agent/profile_check.py` checks a profile; `agent/unanswered.py` tells why an endpoint
gave no answer, by asking once more. A binding with an `id` is one whose key can be changed
(`tui/keymap.py`).
"""
