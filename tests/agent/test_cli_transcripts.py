"""What the CLI keeps of a session: no key stays in it, whoever ended the session."""

import base64
import json
import os
import stat
import subprocess
import uuid
from urllib.parse import quote

import pytest

from dogent_tui.agent.cli_transcripts import claude_config_dir, clear_keys, clear_keys_of_dead

KEY = 'sk-"quoted"-钥匙-123'


@pytest.fixture
def transcript():
    path = claude_config_dir() / "projects" / "-w" / f"{uuid.uuid4()}.jsonl"
    path.parent.mkdir(parents=True)
    for file in (path, path.with_suffix("") / "subtask.jsonl"):
        file.parent.mkdir(exist_ok=True)
        entries = [{"uuid": "1", "text": f"before {KEY} after"}, {"uuid": "2", "text": "other"}]
        file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def texts(path):
    return [json.loads(line)["text"] for line in path.read_text().splitlines()]


def test_keys_are_taken_out_of_every_file_of_a_session(transcript):
    clear_keys(transcript.stem, [KEY, "another-key"])
    for file in (transcript, transcript.with_suffix("") / "subtask.jsonl"):
        assert texts(file) == ["before •••• after", "other"]
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("before", ["", "a", "ab", "key: "])
def test_keys_in_other_spellings_are_taken_out(transcript, before):
    key = KEY.encode()
    spelled = [
        base64.b64encode(before.encode() + key + b" more").decode(),
        key.hex(),
        quote(KEY, safe=""),
    ]
    spelled.append(base64.urlsafe_b64encode(before.encode() + key).decode())
    transcript.write_text(
        "".join(json.dumps({"uuid": "1", "text": text}) + "\n" for text in spelled)
    )
    clear_keys(transcript.stem, [KEY])
    assert all("••••" in text and len(text) < 20 for text in texts(transcript))


def test_without_keys_the_text_stays_as_it_is(transcript):
    clear_keys(transcript.stem, [])
    assert texts(transcript) == [f"before {KEY} after", "other"]


def test_only_sessions_whose_application_died_are_cleared_by_the_next(transcript, tmp_path):
    process = subprocess.Popen(["true"])
    process.wait()
    for left, cleared in ((os.getpid(), False), (process.pid, True)):
        file = tmp_path / f"{transcript.stem}.{left}.1.md"
        file.touch()
        clear_keys_of_dead(tmp_path, {KEY})
        assert file.exists() is not cleared
        assert (KEY not in " ".join(texts(transcript))) is cleared
