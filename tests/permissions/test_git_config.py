"""Of the user's own Git settings a command behind the wall knows what is harmless, and nothing
else.
"""

import subprocess

from dogent_tui.permissions.git_config import harmless_settings

_SETTINGS = r"""
[user]
	name = "A # B"   ; and a comment
	email = a@example.org
	signingkey = 1234
[core]
	autocrlf = input
	pager = touch pwned
	sshCommand = touch pwned
	hooksPath = /outside
[commit]
	gpgsign = true
	verbose = true
[branch "a \"b\""]
	rebase = true
[alias]
	st = !touch pwned
[credential "https://example.org"]
	helper = store
[http]
	extraHeader = Authorization: key
[url "https://me:key@example.org/"]
	insteadOf = https://example.org/
[remote "origin"]
	url = https://me:key@example.org/
[diff "x"]
	textconv = touch pwned
[include]
	path = more
[init]
	defaultBranch = main
"""


def test_what_runs_nothing_and_holds_no_key_is_known_inside_as_git_reads_it(tmp_path):
    path = tmp_path / "config"
    path.write_text(harmless_settings(_SETTINGS, str(tmp_path)))
    listed = subprocess.run(
        ["git", "config", "--file", path, "--list"], capture_output=True, text=True, check=True
    )
    assert listed.stdout.splitlines() == [
        "user.name=A # B", "user.email=a@example.org", "core.autocrlf=input", "commit.verbose=true",
        'branch.a "b".rebase=true',
        "init.defaultbranch=main",
    ]  # fmt: skip
