"""`dogent-tui analyze` as a user types it."""

import asyncio
import io
import json

import pytest

from dogent_tui.cli import main
from dogent_tui.subcommands import analyze as command
from dogent_tui.subcommands.terminal import Terminal, run_command
from tests.vision.conftest import KEY, SEEN
from tests.vision.media_files import mp4


@pytest.fixture
def film(tmp_path, provider, write_profiles):
    own = {"provider": "openai", "model": "m", "base_url": provider.url, "api_key": KEY}
    write_profiles(**{"glm-4.6v": {**own, "provider": "glm-4.6v"}, "other": own})
    path = tmp_path / "film.mp4"
    path.write_bytes(mp4())
    return path


class Screen(io.StringIO):
    def isatty(self):
        return True


async def run(*arguments, out=None):
    """Run it in a thread, since it has an event loop of its own."""
    out, err = out or io.StringIO(), io.StringIO()
    terminal = Terminal(io.StringIO(), out, err)
    status = await asyncio.to_thread(
        run_command, "analyze", [str(each) for each in arguments], terminal
    )
    return status, out.getvalue(), err.getvalue()


async def test_what_is_seen_is_text_or_json(film, provider):
    provider.say(json.dumps(SEEN))
    assert await run(film) == (0, "A red square.\n\nTags: square, red\n\nText:\nHello\n", "")
    provider.say(json.dumps(SEEN))
    status, out, _ = await run(film, "--json", "--type", "video", "--profile", "other")
    assert (status, json.loads(out)) == (0, SEEN)
    assert provider.requests[1][2]["model"] == "m"


async def test_the_workspace_names_the_profile(film, provider, tmp_path):
    (tmp_path / ".dogent").mkdir()
    (tmp_path / ".dogent" / "dogent.json").write_text('{"vision_profile": "other"}')
    provider.say(json.dumps({**SEEN, "text": "", "tags": []}))
    assert (await run(film, "--workspace", tmp_path))[1] == "A red square.\n"
    assert provider.requests[0][2]["model"] == "m"


async def test_a_terminal_is_not_told_what_to_do_by_a_picture(film, provider):
    provider.say(json.dumps({**SEEN, "text": "\x1b]0;title\x07"}))
    assert "␛]0;title␇" in (await run(film, out=Screen()))[1]


def analyze(capsys, *arguments):
    status = main(["analyze", *map(str, arguments)])
    return status, *capsys.readouterr()


def test_what_goes_wrong_is_one_sentence_and_status_1(capsys, tmp_path):
    (tmp_path / "a.png").write_text("API_KEY=secret")
    status, out, err = analyze(capsys, tmp_path / "a.png")
    assert (status, out) == (1, "")
    assert err.startswith("dogent-tui: The vision profile glm-4.6v has no key. Set ")
    assert err.count("\n") == 1


def test_wrong_usage(capsys, tmp_path):
    assert analyze(capsys, tmp_path, "--workspace", tmp_path / "none")[0] == 2
    for arguments in ([], ["a", "--type", "sound"]):
        with pytest.raises(SystemExit) as raised:
            main(["analyze", *arguments])
        assert raised.value.code == 2


def test_interrupted(capsys, tmp_path, monkeypatch):
    def interrupted(coroutine):
        coroutine.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(command.asyncio, "run", interrupted)
    (tmp_path / "a.png").touch()
    assert analyze(capsys, tmp_path / "a.png")[0] == 14
