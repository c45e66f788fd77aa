"""Each provider, on a server of ours that answers as its public reference says, and everything
that can go wrong on the way.
"""

import asyncio
import base64

import pytest
from aiohttp import web

from dogent_tui.vision.look import look_at
from dogent_tui.vision.model import Analysis, VisionError
from tests.vision.conftest import KEY, SEEN
from tests.vision.media_files import animation, mp4, opened, picture

ANSWER = '{"summary": "A red square.", "tags": ["square", "red"], "text": "Hello"}'
EXPECTED = Analysis("A red square.", ("square", "red"), "Hello")


@pytest.fixture
def look(provider, write_profiles, dot, tmp_path):
    """Look at a file with the profile `mine`, which leads to our server."""

    async def look(content=b"", kind="openai", path="/v1", media_type=None, **profile):
        write_profiles(
            mine={
                "provider": kind,
                "model": "m",
                "base_url": provider.url + path,
                "api_key": KEY,
                **profile,
            }
        )
        file = tmp_path / "file"
        file.write_bytes(content or mp4())
        return await look_at(file, "mine", dot, media_type)

    return look


@pytest.fixture
def refused(look):
    async def refused(*arguments, **options):
        with pytest.raises(VisionError) as caught:
            await look(*arguments, **options)
        said = str(caught.value)
        assert KEY not in said
        assert caught.value.__cause__ is None
        return caught.value.code, said

    return refused


@pytest.mark.parametrize("path", ["/api/paas/v4", "/api/paas/v4/", "/api/paas/v4/chat/completions"])
async def test_glm_gets_data_urls_and_a_question(provider, look, path):
    provider.say(ANSWER)
    provider.say(f"\n<|begin_of_box|>{ANSWER}<|end_of_box|>")
    assert (
        await look(
            picture("GIF"),
            "glm-4.6v",
            path,
            extra={"thinking": {"type": "disabled"}, "model": "other", "stream": True},
        )
        == EXPECTED
    )
    assert await look(mp4(), "glm-4.6v", path) == EXPECTED
    (address, headers, body), (_, _, film) = provider.requests
    assert address == "/api/paas/v4/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["thinking"], body["stream"]) == ("m", {"type": "disabled"}, False)
    shown, words = body["messages"][0]["content"]
    assert shown["type"] == "image_url"
    start, _, data = shown["image_url"]["url"].partition(",")
    assert start == "data:image/png;base64"
    assert opened(base64.b64decode(data)).size == (60, 40)
    assert '"summary"' in words["text"]
    shown, _ = film["messages"][0]["content"]
    assert shown == {
        "type": "video_url",
        "video_url": {"url": "data:video/mp4;base64," + base64.b64encode(mp4()).decode()},
    }


async def test_openai_and_what_is_compatible(provider, look):
    provider.say(f"```json\n{ANSWER}\n```")
    provider.replies.append(
        {"choices": [{"message": {"content": [{"type": "text", "text": ANSWER}]}}]}
    )
    assert await look(animation()) == EXPECTED
    assert await look(mp4()) == EXPECTED
    (address, _, body), (_, _, film) = provider.requests
    assert address == "/v1/chat/completions"
    assert "an animation of 5 frames" in body["messages"][0]["content"][1]["text"]
    assert film["messages"][0]["content"][0]["type"] == "video_url"


@pytest.mark.parametrize("path", ["", "/v1", "/v1/messages"])
async def test_anthropic_gets_the_picture_as_a_source(provider, look, path):
    provider.replies.append(
        {
            "type": "message",
            "stop_reason": "end_turn",
            "content": [{"type": "text", "text": ANSWER}],
        }
    )
    assert await look(picture("JPEG"), "anthropic", path) == EXPECTED
    ((address, headers, body),) = provider.requests
    assert address == "/v1/messages"
    assert headers["x-api-key"] == KEY
    assert headers["anthropic-version"] == "2023-06-01"
    assert "Authorization" not in headers
    assert body["max_tokens"] > 1000
    source = body["messages"][0]["content"][0]["source"]
    assert (source["type"], source["media_type"]) == ("base64", "image/jpeg")
    assert opened(base64.b64decode(source["data"])).size == (60, 40)


async def test_who_takes_no_videos_is_not_sent_one(provider, refused, dot):
    code, said = await refused(mp4(), "anthropic", "")
    assert (code, "accepts none" in said, provider.requests) == ("unsupported", True, [])
    code, said = await refused(mp4(), base_url="https://api.openai.com/v1")
    assert (code, "accepts none" in said) == ("unsupported", True)


async def test_a_text_is_not_sent_whatever_it_is_called(provider, refused):
    for media_type in (None, "image", "video"):
        code, said = await refused(b"API_KEY=secret", media_type=media_type)
        assert (code, "Nothing was sent." in said) == ("not_media", True)
    assert provider.requests == []


def error(status, message="", **headers):
    return web.json_response(
        {"error": {"code": "1000", "message": message}}, status=status, headers=headers
    )


@pytest.mark.parametrize(
    ("reply", "code", "words"),
    [
        (
            error(401, f"bad key {KEY}"),
            "key",
            'rejects the key (HTTP 401): bad key ••••. Fix "api_key" of mine in ~/.dogent',
        ),
        (error(403), "key", "rejects the key for this model (HTTP 403). Fix"),
        (error(402, "no money"), "quota", "requires payment (HTTP 402): no money."),
        (
            error(404, "no such model."),
            "config",
            'no such model. Fix "base_url" or "model" of mine',
        ),
        (error(413), "too_large", '"max_side"'),
        (error(429, "slow down", **{"Retry-After": "17"}), "quota", "Try again in 17 seconds"),
        (error(429, **{"Retry-After": "soon\x1b"[:4]}), "quota", "Try again later"),
        (
            error(400, "no\n\x1b[31mimages"),
            "http",
            'no ␛[31mimages. Check "model", "base_url" and "extra" of mine',
        ),
        (error(500, "boom"), "http", "has a server problem (HTTP 500): boom. Try again later."),
        (web.Response(status=503, text="<html>"), "http", "(HTTP 503). Try again later."),
        (
            web.Response(status=302, headers={"Location": "http://127.0.0.1:1/"}),
            "http",
            "which is not followed with a key (HTTP 302)",
        ),
        (web.Response(status=204), "http", "rejected the request (HTTP 204)"),
        (web.json_response({"error": {"message": "late"}}), "http", "returned an error: late"),
        (web.Response(text="<html>hello"), "bad_answer", "not a JSON object"),
        (web.json_response([1]), "bad_answer", "not a JSON object"),
        (web.json_response({}), "bad_answer", "did not answer like openai"),
        (web.json_response({"choices": []}), "bad_answer", "did not answer like openai"),
        (
            web.json_response({"choices": [{"message": None}]}),
            "bad_answer",
            "did not answer like openai",
        ),
        (
            web.json_response({"choices": [{"message": {"content": None}}]}),
            "bad_answer",
            "Its answer starts: nothing",
        ),
        (
            web.json_response({"choices": [{"message": {"content": ANSWER[:-1]}}]}),
            "bad_answer",
            "Its answer starts: {",
        ),
        (
            web.json_response(
                {"choices": [{"finish_reason": "length", "message": {"content": "{"}}]}
            ),
            "too_long",
            "cut off",
        ),
        (
            web.json_response({"choices": [{"message": {"content": None, "refusal": "no"}}]}),
            "refused",
            "declined",
        ),
        (
            web.json_response(
                {"choices": [{"finish_reason": "sensitive", "message": {"content": ""}}]}
            ),
            "refused",
            "declined",
        ),
        (web.Response(body=b"x" * (2 << 20)), "too_long", "sent an answer larger than 1 MB"),
    ],
)
async def test_what_goes_wrong_is_a_sentence_and_asked_once(provider, refused, reply, code, words):
    provider.replies.append(reply)
    found, said = await refused()
    assert found == code
    assert words in said
    assert "\x1b" not in said
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ({"stop_reason": "max_tokens", "content": [{"type": "text", "text": "{"}]}, "too_long"),
        ({"stop_reason": "refusal", "content": []}, "refused"),
        ({"content": "x"}, "bad_answer"),
        ({"content": [{"type": "thinking", "thinking": ANSWER}]}, "bad_answer"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "http"),
    ],
)
async def test_what_anthropic_can_answer_instead(provider, refused, reply, code):
    provider.replies.append(reply)
    assert (await refused(picture(), "anthropic"))[0] == code


@pytest.mark.slow
async def test_a_server_that_does_not_answer_is_given_up(provider, refused):
    done = asyncio.Event()

    async def silence(_request):
        await done.wait()
        return web.Response()

    provider.replies.append(silence)
    code, said = await refused(timeout_s=1)
    done.set()
    assert (
        code,
        'did not answer within 1 seconds. Try again later, or raise "timeout_s"' in said,
    ) == ("timeout", True)


async def test_who_stops_waiting_leaves_no_request_behind(provider, look):
    gone = asyncio.Event()

    async def wait(request):
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    provider.replies.append(wait)
    looking = asyncio.create_task(look())
    await provider.arrived.wait()
    looking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await looking
    await asyncio.wait_for(gone.wait(), 60)


async def test_a_server_that_breaks_off_or_is_not_there(provider, refused):
    async def cut(request):
        request.transport.close()
        return web.Response()

    provider.replies.append(cut)
    code, said = await refused()
    assert (code, "was lost" in said) == ("connect", True)
    code, said = await refused(base_url="http://127.0.0.1:1")
    assert (code, "cannot be reached" in said) == ("connect", True)
    code, said = await refused(base_url=f"https://{provider.url.removeprefix('http://')}")
    assert code == "tls"


async def test_the_next_look_asks_again(provider, look):
    for _ in range(2):
        provider.say(ANSWER)
        assert await look() == EXPECTED
    assert len(provider.requests) == 2
    assert SEEN["text"] == EXPECTED.text


async def test_a_reason_of_another_type_is_no_reason(provider, look):
    provider.replies.append(
        {"choices": [{"message": {"content": ANSWER}, "finish_reason": ["length"]}]}
    )
    assert await look(picture("PNG")) == EXPECTED
