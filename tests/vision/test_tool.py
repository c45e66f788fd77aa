"""The tool analyze_media: what the model gets for what it writes."""

import asyncio
import json

import pytest
from aiohttp import web

from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.vision import STOP, vision_tools
from tests.vision.conftest import KEY, SEEN
from tests.vision.media_files import mp4


@pytest.fixture
def analyze(tmp_path, provider, write_profiles):
    """Call the tool in a workspace; returns its text and whether it is an error."""
    root = tmp_path / "w"
    root.mkdir()
    (root / "film.mp4").write_bytes(mp4())
    (root / "photo.png").write_text("API_KEY=secret")
    write_profiles(
        **{"glm-4.6v": {"provider": "glm-4.6v", "base_url": provider.url, "api_key": KEY}}
    )
    (tool,) = vision_tools(Libraries(Workspace(root), WorkspaceSettings()))

    async def call(**payload):
        answer = await tool.handler(payload)
        (content,) = answer["content"]
        return content["text"], answer["is_error"]

    return call


async def test_the_answer_is_strict_json(analyze, provider, tmp_path):
    for path in ("film.mp4", f"{tmp_path}/w/film.mp4", f"file://{tmp_path}/w/film.mp4"):
        provider.say(json.dumps(SEEN))
        text, is_error = await analyze(path=path, media_type="video")
        assert (json.loads(text), is_error) == (SEEN, False)
    assert provider.requests[0][2]["model"] == "glm-4.6v"


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({}, "the input is not right"),
        ({"path": 3}, "the input is not right"),
        ({"path": "film.mp4", "media_type": "audio"}, "the input is not right"),
        ({"path": "film.mp4", "media_type": "image"}, "it is a video (mp4)"),
        ({"path": "photo.png"}, "text, despite its name"),
        ({"path": "missing.png"}, "There is no file"),
        ({"path": ""}, "is a folder"),
    ],
)
async def test_what_is_wrong_is_an_error_that_says_what(analyze, provider, payload, words):
    text, is_error = await analyze(**payload)
    assert (is_error, words in text, STOP in text) == (True, True, False)
    assert provider.requests == []


async def test_what_the_user_corrects_counts_at_once(analyze, provider, write_profiles, tmp_path):
    write_profiles(**{"glm-4.6v": {"provider": "glm-4.6v", "api_key": "replace-me"}})
    text, is_error = await analyze(path="film.mp4")
    assert is_error
    assert '"api_key" of glm-4.6v in ~/.dogent/vision.json' in text
    assert text.endswith(STOP)
    write_profiles(
        other={"provider": "openai", "model": "m", "base_url": provider.url, "api_key": KEY}
    )
    assert "There is no profile glm-4.6v" in (await analyze(path="film.mp4"))[0]
    (tmp_path / "w" / ".dogent").mkdir()
    (tmp_path / "w" / ".dogent" / "dogent.json").write_text('{"vision_profile": "other"}')
    provider.say(json.dumps(SEEN))
    assert not (await analyze(path="film.mp4"))[1]


async def test_of_many_at_once_a_few_are_asked_about(analyze, provider):
    asked, go = [], asyncio.Event()

    async def wait(request):
        asked.append(request)
        await go.wait()
        return web.json_response({"choices": [{"message": {"content": json.dumps(SEEN)}}]})

    provider.replies.extend([wait] * 6)
    calls = [asyncio.create_task(analyze(path="film.mp4")) for _ in range(6)]
    async with asyncio.timeout(60):
        while len(asked) < 3:
            await asyncio.sleep(0.01)
    assert len(asked) == 3
    go.set()
    assert [is_error for _, is_error in await asyncio.gather(*calls)] == [False] * 6


def test_the_schema_is_that_of_the_specification(tmp_path):
    (tool,) = vision_tools(Libraries(Workspace(tmp_path), WorkspaceSettings()))
    schema = tool.schema
    assert set(schema["properties"]) == {"path", "media_type"}
    assert schema["required"] == ["path"]
