"""What is stored on disk: paths, atomic files, history, drafts, sessions and their logs.

The interface language (`language.py`) is set by `cli.py` before any package is imported, because
constants contain messages too; our own processes are started with it (`processes.python_command`).
``tr("…")`` looks a message up in `locale/`, which `make messages` keeps up to date;
`tests/test_language.py` proves that it is complete and that every error, warning and finding uses
it. Tools are described to the model, and answer it, in English; whatever is said once to both the
user and the model (an error, a reason of the policy, the user's answers) is in the user's language.
Programs never compare or store translated words: codes, kinds of grants and names of findings in
the doctor's JSON are not translated.
"""
