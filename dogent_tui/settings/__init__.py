"""What the user wants: settings, profiles with their keys, trust, and what a folder brings along.

Configuration files have models: `config_models.py` for profiles, `WorkspaceSettings` and
`HomeSettings` in `values.py`. `config_check.py` validates a file against its model and names line
and key; `make schemas` generates the schemas in `dogent_tui/schemas` (kept up to date by a test).
`secrets.py` resolves `env:` and `keyring:` references when a profile is read, and nowhere else.
`known_secrets.py` knows what a log or a report must not contain; `agent/doctor.py` examines every
file with the same checks without changing any.

What a folder brings along. `trust.py` (`FolderTrust`) knows what this home created or trusted. A
part in which nothing would be used (`trust_inventory.py`) is not asked about, and not trusted with
the others. `make_own_folder` is the only function that creates `.dogent`: it records that. The
launcher omits the constraints and the language from the system prompt unless the folder is trusted,
so that a face that never asks is safe. `tui/trust_question.py` asks before the first `submit`;
trusting makes `AgentService.renew` restart the process, in which nothing has been said yet. Trust
never affects `setting_sources`.

Our own writes to files of the workspace are planned first (`own_files.py`): the question shows the
plan, and if the file has changed since, it is planned and asked again. They, `/outline` and “save
as” only write with `storage.files.write_checked`, which writes a file only if it is unchanged since
it was read. `tui/questions/own_writes.py` (`write_own`) asks the same policy and the same question,
through `RequestController.ask`, because the service is not involved; such a request has no
`tool_use_id`.
"""
