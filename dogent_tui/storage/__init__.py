"""What lies on disk: where things are, atomic files, history, drafts, sessions and their logs.

The language of the interface (`language.py`) is settled by `cli.py` before any room is imported, as
constants hold messages too, and our own processes are started with it (`processes.python_command`).
``tr("…")`` looks a message up in `locale/`, which `make messages` keeps in step;
`tests/test_language.py` proves that it is whole, and that no error, warning or finding is worded
without it. Tools are described to the model, and answer it, in English; but what is said once to
both the user and the model (an error, a reason of the policy, the user's answers) is in the user's
language. What a program compares or keeps is never a translated word: codes, kinds of grants, names
of findings in the doctor's JSON.
"""
