"""`dogent-tui search` and `dogent-tui fetch` as a person types them."""

import asyncio
import json

import pytest
import pytest_asyncio

from dogent_tui.cli import main
from tests.web.search_server import SearchServer

KEY = "sk-very-secret"


@pytest_asyncio.fixture
async def server(home):
    async with SearchServer() as server:
        folder = home / ".dogent"
        folder.mkdir()
        profiles = {
            "mine": {"provider": "brave", "api_key": KEY, "endpoint": server.url},
            "empty": {"provider": "brave", "api_key": "replace-me"},
        }
        (folder / "web.json").write_text(json.dumps({"profiles": profiles}), encoding="utf-8")
        yield server


@pytest.fixture
def typed(capsys, tmp_path):
    """Run the command in a thread of its own, beside the server, in an empty workspace."""

    async def typed(*arguments):
        status = await asyncio.to_thread(main, [*map(str, arguments), "--workspace", str(tmp_path)])
        out, err = capsys.readouterr()
        assert KEY not in out + err
        return status, out, err

    return typed


PAGES = {
    "web": {
        "results": [
            {"title": "Otters", "url": "https://a.example/", "description": "They \u001b[31mswim.", "page_age": "2026-05-01"},
            {"title": "More", "url": "https://b.example/", "description": ""},
        ]
    }
}


async def test_pages_are_listed_and_controls_are_shown(server, typed):
    server.answers(PAGES)
    status, out, err = await typed("search", "otters", "in", "rivers", "--profile", "mine", "-n", "2")
    assert (status, err) == (0, "")
    assert out == (" 1. Otters\n    https://a.example/\n    2026-05-01 · They ␛[31mswim.\n\n 2. More\n    https://b.example/\n")
    assert server.asked[0].params == {"q": "otters in rivers", "count": "2"}


async def test_json_is_what_the_model_gets(server, typed):
    server.answers({"results": [{"title": "O", "url": "https://a.example/", "properties": {"url": "https://i.example/o.jpg"}}]})
    status, out, _ = await typed("search", "otters", "--profile", "mine", "--mode", "image", "--json")
    found = json.loads(out)
    assert (status, found["provider"], found["profile"], found["mode"]) == (0, "brave", "mine", "image")
    assert found["results"][0]["image_url"] == "https://i.example/o.jpg"


async def test_the_workspace_names_the_profile(server, typed, tmp_path):
    (tmp_path / ".dogent").mkdir()
    (tmp_path / ".dogent" / "dogent.json").write_text('{"web_profile": "mine"}', encoding="utf-8")
    assert await typed("search", "otters") == (0, "Nothing was found for “otters”.\n", "")


async def test_what_is_wrong_names_the_file(server, typed):
    for arguments, words in [
        ((), ("No web profile is chosen", "~/.dogent/web.json")),
        (("--profile", "empty"), ("no API key", "api_key of the profile empty in ~/.dogent/web.json")),
        (("--profile", "mien"), ("There is no profile mien", 'Did you mean "mine"?')),
        (("--profile", "mine", "-n", "11"), ("Ask for 1 to 10.",)),
    ]:
        status, out, err = await typed("search", "otters", *arguments)
        assert (status, out) == (1, "")
        assert err.startswith("dogent-tui: ")
        assert all(word in err for word in words)
    assert server.asked == []


@pytest.mark.parametrize("command", ["search", "fetch"])
def test_wrong_usage(command, capsys):
    assert main([command, "x", "--workspace", "/nowhere"]) == 2
    with pytest.raises(SystemExit) as caught:
        main([command])
    assert caught.value.code == 2
    assert f"usage: dogent-tui {command}" in capsys.readouterr().err
