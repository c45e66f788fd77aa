"""Searching, provider by provider, on stand-ins of their APIs; what fails, and in which words."""

import asyncio
import json
import socket

import msgspec
import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.web.model import WebError
from dogent_tui.web.profiles import WebProfile
from dogent_tui.web.search.model import ImageResult, Query, WebResult
from dogent_tui.web.search.providers import PROVIDERS, endpoint_of, provider_of
from dogent_tui.web.search.searcher import Searcher
from tests.web.search_server import SearchServer

KEY = "sk-very/secret+key"
FILE = "~/.dogent/web.json"

# Fields as the public documentation of each provider shows them, cut down to what a search is
# about.
WEB_ANSWERS = {
    "google_cse": {
        "kind": "customsearch#search",
        "items": [
            {
                "title": "Otters &amp; rivers",
                "link": "https://a.example/otters",
                "snippet": "An <b>otter</b>\nlives\u00a0here.",
                "pagemap": {
                    "metatags": [
                        {"viewport": "x"},
                        {"article:published_time": "2026-05-01T08:00:00Z"},
                    ]
                },
            },
            {"title": "Second", "link": "https://b.example/", "snippet": "More.", "pagemap": {}},
        ],
    },
    "bing": {
        "_type": "SearchResponse",
        "webPages": {
            "value": [
                {
                    "name": "Otters & rivers",
                    "url": "https://a.example/otters",
                    "snippet": "An otter lives here.",
                    "datePublished": "2026-05-01T08:00:00Z",
                },
                {"name": "Second", "url": "https://b.example/", "snippet": "More."},
            ]
        },
    },
    "brave": {
        "type": "search",
        "web": {
            "results": [
                {
                    "title": "Otters &amp; rivers",
                    "url": "https://a.example/otters",
                    "description": "An <strong>otter</strong> lives here.",
                    "age": "May 1, 2026",
                    "page_age": "2026-05-01T08:00:00Z",
                },
                {"title": "Second", "url": "https://b.example/", "description": "More."},
            ]
        },
    },
    "tavily": {
        "query": "otters",
        "results": [
            {
                "title": "Otters & rivers",
                "url": "https://a.example/otters",
                "content": "An otter lives here.",
                "published_date": "2026-05-01T08:00:00Z",
                "score": 0.9,
            },
            {"title": "Second", "url": "https://b.example/", "content": "More.", "score": 0.8},
        ],
    },
    "searxng": {
        "query": "otters",
        "results": [
            {
                "title": "Otters & rivers",
                "url": "https://a.example/otters",
                "content": "An otter lives here.",
                "publishedDate": "2026-05-01T08:00:00Z",
                "engine": "x",
            },
            {
                "title": "Second",
                "url": "https://b.example/",
                "content": "More.",
                "publishedDate": None,
            },
        ],
    },
}
IMAGE_ANSWERS = {
    "google_cse": {
        "items": [
            {
                "title": "Otter",
                "link": "https://i.example/o.jpg",
                "image": {
                    "contextLink": "https://a.example/otters",
                    "thumbnailLink": "https://t.example/o.jpg",
                    "width": 800,
                    "height": 600,
                },
            }
        ]
    },
    "bing": {
        "value": [
            {
                "name": "Otter",
                "contentUrl": "https://i.example/o.jpg",
                "hostPageUrl": "https://a.example/otters",
                "thumbnailUrl": "https://t.example/o.jpg",
                "width": 800,
                "height": 600,
            }
        ]
    },
    "brave": {
        "type": "images",
        "results": [
            {
                "type": "image_result",
                "title": "Otter",
                "url": "https://a.example/otters",
                "thumbnail": {"src": "https://t.example/o.jpg"},
                "properties": {"url": "https://i.example/o.jpg", "width": 800, "height": 600},
            }
        ],
    },
    "tavily": {
        "results": [],
        "images": [
            {"url": "https://i.example/o.jpg", "description": "Otter"},
            "https://i.example/p.jpg",
        ],
    },
    "searxng": {
        "results": [
            {
                "title": "Otter",
                "url": "https://a.example/otters",
                "img_src": "//i.example/o.jpg",
                "thumbnail_src": "https://t.example/o.jpg",
                "resolution": "800 x 600",
            }
        ]
    },
}
IMAGE = ImageResult(
    "Otter",
    "https://i.example/o.jpg",
    "https://a.example/otters",
    "https://t.example/o.jpg",
    800,
    600,
)


@pytest_asyncio.fixture
async def server():
    async with SearchServer() as server:
        yield server


def profile(provider, endpoint="", **more):
    values = {"api_key": KEY, "cse_id": "engine", "timeout_s": 5.0, **more}
    return WebProfile(provider, name="mine", endpoint=endpoint, file=FILE, **values)


async def failure(searcher, words="otters", **more):
    with pytest.raises(WebError) as caught:
        await searcher.search(words, **more)
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(caught.value)
    assert caught.value.__cause__ is None
    return caught.value


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_pages_come_in_one_shape_whoever_found_them(server, provider):
    server.answers(WEB_ANSWERS[provider])
    found = await Searcher(profile(provider, server.url)).search("  otters\n and rivers ", count=2)
    assert (found.provider, found.profile, found.query, found.mode) == (
        provider,
        "mine",
        "otters and rivers",
        "web",
    )
    assert found.results == (
        WebResult(
            "Otters & rivers",
            "https://a.example/otters",
            "An otter lives here.",
            "2026-05-01T08:00:00Z",
        ),
        WebResult("Second", "https://b.example/", "More."),
    )
    assert msgspec.to_builtins(found)["results"][1] == {
        "title": "Second",
        "url": "https://b.example/",
        "snippet": "More.",
    }


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_images_come_in_one_shape_whoever_found_them(server, provider):
    server.answers(IMAGE_ANSWERS[provider])
    found = await Searcher(profile(provider, server.url)).search("otters", mode="image")
    if provider == "tavily":  # it says less
        assert found.results == (
            ImageResult("Otter", "https://i.example/o.jpg"),
            ImageResult("", "https://i.example/p.jpg"),
        )
    else:
        assert found.results == (IMAGE,)


async def test_each_is_asked_in_its_own_way(server):
    for provider in PROVIDERS:
        for mode in ("web", "image"):
            await Searcher(profile(provider, f"{server.url}/")).search("otters", mode=mode, count=3)
    (
        google,
        google_images,
        bing,
        bing_images,
        brave,
        brave_images,
        tavily,
        tavily_images,
        searx,
        searx_images,
    ) = server.asked
    assert google.path == "/customsearch/v1"
    assert google.params == {"key": KEY, "cx": "engine", "q": "otters", "num": "3"}
    assert google_images.params["searchType"] == "image"
    assert (bing.path, bing_images.path) == ("/search", "/images/search")
    assert (bing.params["q"], bing.params["count"], bing.headers["Ocp-Apim-Subscription-Key"]) == (
        "otters",
        "3",
        KEY,
    )
    assert (brave.path, brave_images.path) == ("/web/search", "/images/search")
    assert (brave.params, brave.headers["X-Subscription-Token"]) == (
        {"q": "otters", "count": "3"},
        KEY,
    )
    assert (tavily.method, tavily.path, tavily.headers["Authorization"]) == (
        "POST",
        "/search",
        f"Bearer {KEY}",
    )
    assert tavily.body == {"query": "otters", "max_results": 3, "search_depth": "basic"}
    assert tavily_images.body["include_images"]
    assert (searx.path, searx.params) == (
        "/search",
        {"q": "otters", "format": "json", "categories": "general"},
    )
    assert searx_images.params["categories"] == "images"
    assert all(KEY not in str(asked.params) for asked in server.asked[2:])


async def test_searxng_needs_no_key(server):
    await Searcher(profile("searxng", f"{server.url}/search", api_key="")).search("otters")
    assert server.asked[0].path == "/search"
    assert "Authorization" not in server.asked[0].headers


async def test_each_result_comes_once_and_no_more_than_were_asked_for(server):
    twice = {"title": "A", "url": "https://a.example/", "content": "x"}
    others = [{"title": str(n), "url": f"https://a.example/{n}", "content": ""} for n in range(20)]
    server.answers({"results": [twice, twice, *others]})
    found = await Searcher(profile("searxng", server.url)).search("otters", count=10)
    assert [result.title for result in found.results] == ["A", *map(str, range(9))]


async def test_what_is_no_result_is_passed_over_and_controls_are_shown(server):
    good = {"title": "\x1b[31mred\u202e", "url": "https://a.example/", "content": 5}
    wrong = [
        None,
        7,
        [],
        {},
        {"url": 5},
        {"url": "javascript:alert(1)"},
        {"url": "https://a b"},
        {"url": "https://\x1b.example/"},
    ]
    server.answers({"results": [*wrong, good]})
    found = await Searcher(profile("searxng", server.url)).search("otters")
    assert found.results == (WebResult("␛[31mred⟦U+202E⟧", "https://a.example/", ""),)


async def test_a_snippet_cannot_break_the_search(server):
    """Python makes no number of 5,000 digits."""
    server.answers(
        {
            "results": [
                {"title": "A", "url": "https://a.example/", "content": f"a &#{'1' * 5000}; b"}
            ]
        }
    )
    found = await Searcher(profile("searxng", server.url)).search("otters")
    assert found.results == (WebResult("A", "https://a.example/", "a \ufffd b"),)


KEYS = (
    "items", "title", "link", "image", "pagemap", "metatags", "webPages", "value", "name", "url",
    "web", "results", "properties",
    "thumbnail", "images", "img_src", "resolution", "width", "error", "errors", "details", "code",
    "reason", "message",
)  # fmt: skip
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner,
        max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner,
        max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(
    answer=st.dictionaries(st.sampled_from(KEYS), _JSON, max_size=6),
    mode=st.sampled_from(("web", "image")),
)
def test_no_answer_breaks_a_provider(answer, mode):
    for provider in PROVIDERS.values():
        for result in provider.results(answer, Query("x", mode)):
            assert result is None or isinstance(result, WebResult | ImageResult)
        for status in (400, 401, 403, 422, 429, 432, 500):
            assert provider.cause(status, answer)


# ── What a profile says ───────────────────────────────────────────────────────────────────────────


async def test_without_a_profile_it_says_what_to_do():
    error = await failure(Searcher(None))
    assert error.code == "no_profile"
    assert "web_profile" in error.remedy
    assert "~/.dogent/web.json" in error.remedy


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        (profile("brav"), "unknown_provider", ("brav", 'Did you mean "brave"?', "provider", FILE)),
        (profile(""), "unknown_provider", ("unknown provider", "searxng")),
        (profile("brave", api_key=""), "no_key", ("mine", "api_key", FILE)),
        (profile("google_cse", cse_id=""), "no_key", ("cse_id", FILE)),
        (profile("searxng"), "bad_endpoint", ("endpoint", FILE)),
        (profile("brave", "ftp://x.example"), "bad_endpoint", ("endpoint", "http://")),
        (profile("brave", "https://u:secret@x.example"), "bad_endpoint", ("password",)),
    ],
)
async def test_a_profile_that_is_not_complete_names_the_file_and_the_key(given, code, words):
    error = await failure(Searcher(given))
    assert error.code == code
    assert all(word in str(error) for word in words)


def test_the_default_endpoints_are_the_public_ones():
    for name, host in {
        "google_cse": "www.googleapis.com",
        "brave": "api.search.brave.com",
        "tavily": "api.tavily.com",
    }.items():
        found = provider_of(profile(name))
        assert endpoint_of(profile(name), found).startswith(f"https://{host}")


@pytest.mark.parametrize(
    ("words", "more"),
    [(" ", {}), ("x" * 3000, {}), ("x", {"count": 0}), ("x", {"count": 11})],
)
async def test_a_query_that_is_none(server, words, more):
    error = await failure(Searcher(profile("brave", server.url)), words, **more)
    assert error.code == "bad_query"
    assert server.asked == []


# ── What a provider refuses ───────────────────────────────────────────────────────────────────────

_REFUSALS = [
    (
        "google_cse",
        400,
        {
            "error": {
                "message": f"API key not valid: {KEY}",
                "details": [{"reason": "API_KEY_INVALID"}],
            }
        },
        "bad_key",
    ),
    (
        "google_cse",
        403,
        {"error": {"message": "Quota", "errors": [{"reason": "dailyLimitExceeded"}]}},
        "quota",
    ),
    (
        "google_cse",
        403,
        {"error": {"message": "The caller may not", "errors": [{"reason": "forbidden"}]}},
        "bad_key",
    ),
    (
        "bing",
        401,
        {"error": {"code": "401", "message": "Access denied due to invalid subscription key"}},
        "bad_key",
    ),
    (
        "bing",
        403,
        {"_type": "ErrorResponse", "errors": [{"code": "RateLimitExceeded", "message": "Over"}]},
        "quota",
    ),
    (
        "brave",
        422,
        {
            "type": "ErrorResponse",
            "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "Bad token"},
        },
        "bad_key",
    ),
    (
        "brave",
        422,
        {"error": {"code": "VALIDATION", "detail": "Unable to validate request parameter(s)"}},
        "http",
    ),
    ("brave", 403, {}, "bad_key"),
    ("tavily", 401, {"detail": {"error": "Unauthorized: missing or invalid API key."}}, "bad_key"),
    (
        "tavily",
        432,
        {"detail": {"error": "This request exceeds your plan's set usage limit."}},
        "quota",
    ),
    ("searxng", 500, {}, "http"),
]


@pytest.mark.parametrize(("provider", "status", "body", "code"), _REFUSALS)
async def test_what_is_refused_names_what_to_change_and_never_the_key(
    server, provider, status, body, code
):
    server.answers(body, status)
    error = await failure(Searcher(profile(provider, server.url)))
    assert error.code == code
    assert str(status) in error.message
    if status < 500:
        assert "mine" in error.remedy
        assert FILE in error.remedy
    said = json.dumps(body)
    if "key not valid" in said:
        assert "It says: “API key not valid: ••••”." in error.message


async def test_too_many_requests_say_how_long_to_wait(server):
    server.answers({}, 429, Retry_After="17")
    error = await failure(Searcher(profile("tavily", server.url)))
    assert (error.code, error.status, error.retry_after_s) == ("http", 429, 17.0)
    assert "in 17 seconds" in error.remedy
    server.answers({}, 429, X_RateLimit_Remaining="0, 1500", X_RateLimit_Reset="1, 1419704")
    assert (await failure(Searcher(profile("brave", server.url)))).retry_after_s == 1.0
    server.answers({}, 429)
    error = await failure(Searcher(profile("brave", server.url)))
    assert error.retry_after_s is None
    assert "Search again later" in error.remedy


@pytest.mark.parametrize("status", [404, 410])
async def test_bings_own_endpoint_is_retired_and_another_one_only_wrong(
    server, monkeypatch, status
):
    server.answers("Gone", status)
    other = await failure(Searcher(profile("bing", server.url)))
    assert (other.code, other.status) == ("http", status)
    ours = msgspec.structs.replace(PROVIDERS["bing"], endpoint=server.url)
    monkeypatch.setitem(PROVIDERS, "bing", ours)
    for named in ("", f"{server.url}/", f"{server.url}/search"):
        error = await failure(Searcher(profile("bing", named)))
        assert error.code == "retired"
        assert "retired" in error.message
        assert "brave" in error.remedy


async def test_searxng_whose_engines_failed_found_nothing_for_a_reason(server):
    server.answers(
        {
            "results": [],
            "unresponsive_engines": [["brave", "too many requests"], ["duckduckgo", "CAPTCHA"]],
        }
    )
    error = await failure(Searcher(profile("searxng", server.url)))
    assert "brave: too many requests, duckduckgo: CAPTCHA" in error.message
    server.answers({"results": [], "unresponsive_engines": []})
    assert not (await Searcher(profile("searxng", server.url)).search("otters")).results


async def test_searxng_without_json_says_which_setting_that_is(server):
    server.answers("<h1>Forbidden</h1>", 403)
    error = await failure(Searcher(profile("searxng", server.url)))
    assert "search.formats" in error.remedy


@pytest.mark.parametrize(
    "body", ["<html>Log in</html>", "[]", "null", "", b"\xff\xfe", "[" * 100_000]
)
async def test_an_answer_that_is_not_the_json_of_the_api(server, body):
    server.answers(body)
    error = await failure(Searcher(profile("brave", server.url)))
    assert error.code == "bad_answer"
    assert FILE in error.remedy


async def test_a_redirect_is_not_followed_with_the_key(server):
    server.answers("", 302, Location=f"{server.url}/elsewhere")
    assert (await failure(Searcher(profile("brave", server.url)))).code == "http"
    assert len(server.asked) == 1


async def test_an_answer_without_end_is_cut(server):
    server.answers(b"{" + b" " * (5 << 20))
    assert (await failure(Searcher(profile("brave", server.url)))).code == "too_large"


async def test_a_provider_that_does_not_answer():
    never = asyncio.Event()

    async def silent(_reader, writer):
        await never.wait()
        writer.close()

    listening = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with listening:
        port = listening.sockets[0].getsockname()[1]
        error = await failure(
            Searcher(profile("brave", f"http://127.0.0.1:{port}", timeout_s=0.05))
        )
        never.set()
    assert error.code == "timeout"
    assert "timeout_s of the profile mine" in error.remedy


async def test_a_provider_that_is_not_there_or_hangs_up():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        error = await failure(
            Searcher(profile("searxng", f"http://127.0.0.1:{taken.getsockname()[1]}"))
        )
    assert error.code == "connect"
    assert "Check that it is running, and the endpoint of the profile mine" in error.remedy

    async def hang_up(_reader, writer):
        writer.close()

    listening = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with listening:
        error = await failure(
            Searcher(profile("brave", f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"))
        )
    assert error.code == "connect"


async def test_a_connection_that_is_not_safe(server):
    # which speaks no TLS
    error = await failure(Searcher(profile("brave", server.url.replace("http:", "https:"))))
    assert error.code == "tls"
    assert "endpoint of the profile mine" in error.remedy
