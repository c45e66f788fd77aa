"""The settings in the interface: rows of values, each belonging to a file, written together when
saved.

The screens edit a draft (`tui/settings/draft.py`): the files as they are, with changes by file and
path. `save.py` writes the files after one question about all that exist (`may_save`), because the
policy's diff would show keys next to the change. Afterwards the session is reopened if it is empty
or if the model changed (`CurrentSession.change_profile`: the process that holds the conversation
ends before another resumes it). `agent/profile_check.py` tests a profile; `agent/unanswered.py`
finds out why an endpoint gave no answer, by asking once more. The key of a binding with an
`id` is configurable (`tui/keymap.py`).
"""
