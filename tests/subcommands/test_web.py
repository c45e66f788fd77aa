"""`dogent-tui search` and `dogent-tui fetch` as a user types them."""

import asyncio
import io
import json

import pytest
import pytest_asyncio
from PIL import Image

from dogent_tui.cli import main
from tests.web.search_server import SearchServer

pytestmark = pytest.mark.slow

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
            {
                "title": "Otters",
                "url": "https://a.example/",
                "description": "They \u001b[31mswim.",
                "page_age": "2026-05-01",
            },
            {"title": "More", "url": "https://b.example/", "description": ""},
        ]
    }
}


async def test_pages_are_listed_and_controls_are_shown(server, typed):
    server.answers(PAGES)
    status, out, err = await typed(
        "search", "otters", "in", "rivers", "--profile", "mine", "-n", "2"
    )
    assert (status, err) == (0, "")
    assert (
        out
        == " 1. Otters\n    https://a.example/\n    2026-05-01 · They ␛[31mswim.\n\n 2. More\n   "
        " https://b.example/\n"
    )
    assert server.asked[0].params == {"q": "otters in rivers", "count": "2"}


async def test_json_is_what_the_model_gets(server, typed):
    server.answers(
        {
            "results": [
                {
                    "title": "O",
                    "url": "https://a.example/",
                    "properties": {"url": "https://i.example/o.jpg"},
                }
            ]
        }
    )
    status, out, _ = await typed(
        "search", "otters", "--profile", "mine", "--mode", "image", "--json"
    )
    found = json.loads(out)
    assert (status, found["provider"], found["profile"], found["mode"]) == (
        0,
        "brave",
        "mine",
        "image",
    )
    assert found["results"][0]["image_url"] == "https://i.example/o.jpg"


async def test_the_workspace_names_the_profile(server, typed, tmp_path):
    (tmp_path / ".dogent").mkdir()
    (tmp_path / ".dogent" / "dogent.json").write_text('{"web_profile": "mine"}', encoding="utf-8")
    assert await typed("search", "otters") == (0, "No results for “otters”.\n", "")


async def test_what_is_wrong_names_the_file(server, typed):
    for arguments, words in [
        ((), ("No web profile is chosen", "~/.dogent/web.json")),
        (
            ("--profile", "empty"),
            ("no API key", "api_key of the profile empty in ~/.dogent/web.json"),
        ),
        (("--profile", "mien"), ("There is no profile mien", 'Did you mean "mine"?')),
        (("--profile", "mine", "-n", "11"), ("Ask for 1 to 10.",)),
    ]:
        status, out, err = await typed("search", "otters", *arguments)
        assert (status, out) == (1, "")
        assert err.startswith("dogent-tui: ")
        assert all(word in err for word in words)
    assert server.asked == []


@pytest.mark.parametrize("command", ["search", "fetch"])
def test_wrong_usage(command, capsys, tmp_path):
    assert main([command, "x", "--workspace", str(tmp_path / "none")]) == 2
    with pytest.raises(SystemExit) as caught:
        main([command])
    assert caught.value.code == 2
    assert f"usage: dogent-tui {command}" in capsys.readouterr().err


PAGE = (
    "<html><head><title>Otters</title></head><body><article><h1>Otters</h1><p>They swim in rivers"
    " all day long, and they hold hands while they sleep so that nobody drifts"
    " away.</p></article></body></html>"
)


async def test_a_page_of_this_machine_is_fetched_only_on_purpose(server, typed):
    server.answers(PAGE, Content_Type="text/html; charset=utf-8")
    page = f"{server.url}/otters"
    status, out, err = await typed("fetch", page)
    assert (status, out) == (1, "")
    assert (
        "If you do mean that address, add --private, or add it to web_allow_hosts in"
        " ~/.dogent/dogent.json." in err
    )
    assert server.asked == []
    status, out, err = await typed("fetch", page, "--private")
    assert (status, err) == (0, "")
    assert out.startswith("# Otters\n\nThey swim in rivers all day long")
    by_name = await typed("fetch", page.replace("127.0.0.1", "localhost"), "--private")
    assert by_name == (0, out, "")
    found = json.loads((await typed("fetch", page, "--private", "--json"))[1])
    assert (found["url"], found["title"], found["image"]) == (page, "Otters", None)


async def test_a_page_begins_with_what_it_says_of_itself(server, typed):
    said = (
        "<meta name=author content='Ada Okafor'><meta property='article:published_time'"
        " content='2026-03-04'>"
    )
    body = PAGE.replace("</head>", f"{said}</head>").replace(
        "Otters", "Otters [all] in <i>rivers</i>"
    )
    server.answers(body.replace("They swim", "They swim and swim. " * 60), Content_Type="text/html")
    _, out, _ = await typed("fetch", server.url, "--private", "--max-chars", "500")
    assert out.startswith("# Otters \\[all\\] in rivers\n\nAda Okafor · 2026-03-04\n\nThey swim")
    _, out, _ = await typed("fetch", server.url, "--private", "--offset", "500")
    assert "# Otters" not in out
    server.answers(
        "<html><title>Otters</title><h1>Otters</h1><ul><li><a href=/a>one</a><li><a"
        " href=/b>two</a></ul></html>",
        Content_Type="text/html",
    )
    _, out, err = await typed("fetch", server.url, "--private")
    assert out.count("# Otters") == 1
    assert "The article" in err


async def test_a_page_continues_where_it_is_told_and_an_image_is_saved(server, typed, tmp_path):
    server.answers("one line of text\n" * 200, Content_Type="text/plain")
    _, out, err = await typed("fetch", server.url, "--private", "--max-chars", "1000")
    assert len(out) <= 1001
    assert "continue with --offset " in err
    picture = io.BytesIO()
    Image.new("RGB", (8, 6), "navy").save(picture, "PNG")
    server.answers(picture.getvalue(), Content_Type="image/png")
    status, out, err = await typed(
        "fetch", f"{server.url}/o.png", "--private", "--filename", "../otter"
    )
    (saved,) = (tmp_path / "images").iterdir()
    assert (status, out) == (0, f"![otter](images/{saved.name})\n")
    assert f"Saved as {saved} (png, 8 × 6 pixels)." in err
    server.answers(PAGE, Content_Type="text/html")
    assert (await typed("fetch", server.url, "--private", "--mode", "image"))[0] == 1
    assert [path.name for path in (tmp_path / "images").iterdir()] == [saved.name]
