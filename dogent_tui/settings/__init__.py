"""What the user wants: settings, profiles with their keys, trust, and what a folder brings along.

Configuration files have models: `config_models.py` for profiles, `WorkspaceSettings` and
`HomeSettings` in `values.py`. `config_check.py` holds a file against its model and names line and
key; `json_schemas.py` makes the schemas in `dogent_tui/schemas` from them (`make schemas`, which a
test holds in step). `secrets.py` follows `env:` and `keyring:` references where a profile is read,
and nowhere else. `suspected_secrets.py` knows what a report must not hold; `agent/doctor_files.py`
looks at every file with the same checks and changes none.

What a folder brings along. `trust.py` (`FolderTrust`) knows what this home made or trusted. A part
in which nothing would be used (`trust_inventory.py`) is not asked about, and not trusted with the
others. `make_own_folder` is the one way in which we make `.dogent`: it records that. The launcher
leaves the constraints and the language out of the system prompt unless the folder is trusted, so
that a face that never asks is safe. `tui/trust_question.py` asks before the first `submit`;
trusting has `AgentService.renew` start the process again, in which nothing was said yet. Trust
never reaches `setting_sources`.

Our own writes to files of the workspace are planned and then made (`own_files.py`): the question
shows the plan, and where the file changed since, it is planned and asked again. They, `/outline`
and “save as” write by `storage.files.write_checked` alone, which writes what is still as it was
read and nothing else. `tui/questions/own_writes.py` (`write_own`) asks the same policy and puts the
same question, through `RequestController.ask`, because the service knows nothing of it; such a
request has no `tool_use_id`.
"""
