"""Fetching from real servers on this machine: what comes back, and when it is given up."""

import asyncio
import gzip
import io
import socket
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import brotli
import docx
import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver
from PIL import Image

from dogent_tui.documents.workers import Limits as WorkerLimits
from dogent_tui.web.fetch import Fetcher
from dogent_tui.web.model import WebError
from dogent_tui.web.transport import USER_AGENT, Limits, retry_after

pytestmark = pytest.mark.slow

MB = 1 << 20
SENTENCE = (
    "The committee met on Tuesday and agreed, after a long debate, that the bridge should be"
    " painted blue before the winter. "
)
ARTICLE = f"""<!doctype html><html lang=en><head><meta charset=utf-8><title>The bridge will be blue | The Daily</title>
<meta name=author content="Ada Okafor"><meta property="article:published_time" content="2026-03-04T10:00:00Z"></head><body>
<nav><a href=/>Home</a> <a href=/news>News</a></nav><main><article><h1>The bridge will be blue</h1>
<p>{SENTENCE * 3}</p><h2>What it costs</h2><p>{SENTENCE * 2} See <a href="/plan">the plan</a>.</p>
<ul><li>Paint for both sides</li><li>Ropes and ladders</li></ul>
<table><tr><th>Year</th><th>Cost</th></tr><tr><td>2026</td><td>120</td></tr></table>
<pre><code>paint --color blue</code></pre><p>{SENTENCE * 3}</p></article></main>
<footer>All rights reserved, whatever they are.</footer></body></html>"""  # noqa: E501


async def code_of(fetcher: Fetcher, url: str, **options: Any) -> str:
    with pytest.raises(WebError) as caught:
        await fetcher.fetch(url, **options)
    assert caught.value.message.endswith(".")
    return caught.value.code


async def test_a_page_becomes_its_article(fetcher: Fetcher, site: Any) -> None:
    site.add("/start", _redirect("/news/bridge"))
    site.add("/news/bridge", ARTICLE, "text/html")
    found = await fetcher.fetch(site.url("/start"))
    assert found.title == "The bridge will be blue"
    assert (found.author, found.date) == ("Ada Okafor", "2026-03-04")
    assert found.final_url == site.url("/news/bridge")
    assert found.fetched_at.endswith("+00:00")
    assert (found.content_type, found.format, found.next_offset) == ("text/html", "page", None)
    assert "## What it costs" in found.text
    assert f"[the plan]({site.url('/plan')})" in found.text
    assert "- Ropes and ladders" in found.text
    assert "| 2026 | 120 |" in found.text
    assert "paint --color blue" in found.text
    assert "Home" not in found.text
    assert "rights" not in found.text


async def test_a_page_that_extractors_hang_on_gives_its_text(
    fetcher: Fetcher, site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dogent_tui.web.fetch._PAGE_S", 0.3)
    url = site.add(
        "/tangled",
        f"<!doctype html><title>Tangled</title><p>{SENTENCE}<p>{'[x](' * 300_000}",
        "text/html",
    )
    found = await fetcher.fetch(url, max_chars=1000)
    assert "painted blue" in found.text
    assert found.title == "Tangled"
    assert "too large or complex" in found.warnings[0]
    assert (await fetcher.fetch(site.add("/after", ARTICLE, "text/html"))).text


async def test_a_page_that_nothing_can_read_in_time_is_a_sentence(
    fetcher: Fetcher, site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "dogent_tui.web.fetch.WorkerLimits", lambda cpu_s: WorkerLimits(silence_s=0.001)
    )
    assert await code_of(fetcher, site.add("/tangled", ARTICLE, "text/html")) == "timeout"


@pytest.mark.slow
async def test_pages_fetched_at_once_are_all_articles(fetcher: Fetcher, site: Any) -> None:
    urls = [
        site.add(f"/page{number}", ARTICLE.replace("Ada", f"Ada{number}"), "text/html")
        for number in range(10)
    ]
    found = await asyncio.gather(*map(fetcher.fetch, urls))
    assert all("## What it costs" in page.text and not page.warnings for page in found)


async def test_of_a_giant_page_the_beginning_is_read(
    fetcher: Fetcher, site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dogent_tui.web.fetch._MOST_PAGE_BYTES", 1000)
    found = await fetcher.fetch(site.add("/giant", ARTICLE + f"<p>{SENTENCE}" * 100, "text/html"))
    assert "painted blue" in found.text
    assert len(found.text) < 1000
    assert "the text read so far" in found.warnings[0]


async def test_a_long_page_is_read_in_parts_that_make_it_up_and_is_fetched_once(
    fetcher: Fetcher, site: Any
) -> None:
    body = "".join(f"<h2>Part {number}</h2><p>{SENTENCE * 4}</p>" for number in range(30))
    url = site.add(
        "/long", f"<!doctype html><title>Long</title><body><article>{body}</article>", "text/html"
    )
    whole = (await fetcher.fetch(url, max_chars=100_000)).text
    parts, offset = [], 0
    while offset is not None:
        found = await fetcher.fetch(url, max_chars=2000, offset=offset)
        assert found.offset == offset
        assert len(found.text) <= 2000
        parts.append(found.text)
        offset = found.next_offset
    assert "".join(parts) == whole
    assert len(parts) > 5
    assert len(site.asked) == 1


async def test_text_and_json_come_as_they_are(fetcher: Fetcher, site: Any) -> None:
    json = '{"a": [1, 2],\n "b": "<p>ü"}'
    assert (await fetcher.fetch(site.add("/a.json", json, "application/json"))).text == json
    markdown = "# Title\n\n* one\n* two\n"
    found = await fetcher.fetch(site.add("/README.md", markdown, "text/markdown; charset=utf-8"))
    assert (found.text.rstrip(), found.content_type) == (markdown.rstrip(), "text/markdown")
    assert (await fetcher.fetch(site.add("/empty", b"", "text/plain"))).text == ""


async def test_a_document_is_read_by_the_documents_library(fetcher: Fetcher, site: Any) -> None:
    url = site.add("/figures.csv", "name,cost\nblue,12\n", "application/octet-stream")
    assert "blue" in (await fetcher.fetch(url)).text
    report = io.BytesIO()
    document = docx.Document()
    document.add_heading("The bridge", 1)
    document.add_paragraph(SENTENCE)
    document.save(report)
    # named and called as nothing
    found = await fetcher.fetch(site.add("/download", report.getvalue(), "text/html"))
    assert found.text.startswith("# The bridge\n\nThe committee")
    assert found.format == "docx"
    assert found.content_type.endswith("wordprocessingml.document")
    url = site.add("/report", b"%PDF-1.4\nnothing", "text/html")
    assert await code_of(fetcher, url) in {"damaged", "unsupported", "failed", "encrypted"}


async def test_content_is_what_it_is_and_not_what_is_said(fetcher: Fetcher, site: Any) -> None:
    cases = {
        "page as image": (ARTICLE.encode(), "image/png", "text/html"),
        "page as text": (ARTICLE.encode(), "text/plain", "text/html"),
        "page as nothing": (ARTICLE.encode(), "", "text/html"),
        "json as page": (b'{"a": 1}', "text/html", "application/json"),
        "text as image": (b"just words", "image/jpeg", "text/plain"),
        "text as nonsense": (b"just words", "nonsense; charset=", "text/plain"),
    }
    for number, (body, said, _) in enumerate(cases.values()):
        site.add(f"/{number}", body, said)
    found = {
        name: (await fetcher.fetch(site.url(f"/{number}"))).content_type
        for number, name in enumerate(cases)
    }
    assert found == {name: content_type for name, (_, _, content_type) in cases.items()}


@pytest.mark.parametrize(
    "body",
    [
        b"\x00\x00\x00\x18ftypmp42" + b"\0" * 50,
        b"\x7fELF" + b"\0" * 50,
        b"\x1f\x8b\x08" + b"\0" * 50,
        bytes(range(256)) * 9,
    ],
    ids=["video", "program", "archive", "noise"],
)
async def test_what_is_no_text_is_refused_with_a_sentence(
    fetcher: Fetcher, site: Any, body: bytes
) -> None:
    assert await code_of(fetcher, site.add("/x", body, "text/html")) == "unsupported"


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", partial(brotli.compress, quality=5)),
    ],
    ids=["gzip", "deflate", "br"],
)
async def test_compressed_content_is_unpacked_and_bombs_are_not(
    make_fetcher: Callable[..., Fetcher], site: Any, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    fetcher = make_fetcher(limits=Limits(bytes=2 * MB))
    url = site.add("/small", pack(b"small enough"), "text/plain", Content_Encoding=encoding)
    assert (await fetcher.fetch(url)).text == "small enough"
    bomb = pack(b"\0" * (8 * MB))
    assert len(bomb) < MB // 8
    assert (
        await code_of(fetcher, site.add("/bomb", bomb, "text/plain", Content_Encoding=encoding))
        == "too_large"
    )


async def test_other_ways_to_compress(fetcher: Fetcher, site: Any) -> None:
    raw = zlib.compressobj(wbits=-15)
    url = site.add(
        "/raw", raw.compress(b"raw deflate") + raw.flush(), "text/plain", Content_Encoding="deflate"
    )
    assert (await fetcher.fetch(url)).text == "raw deflate"
    url = site.add(
        "/two",
        gzip.compress(b"one ") + gzip.compress(b"two"),
        "text/plain",
        Content_Encoding="gzip",
    )
    assert (await fetcher.fetch(url)).text == "one two"
    assert (
        await code_of(fetcher, site.add("/lie", b"not gzip", "text/plain", Content_Encoding="gzip"))
        == "damaged"
    )


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("gzip, x-gzip", lambda body: gzip.compress(gzip.compress(body))),
    ],
)
async def test_compressed_content_that_ends_early_is_shown_as_far_as_it_goes(
    fetcher: Fetcher, site: Any, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    lines = "\n".join(f"Line {number**3 % 1009} of the text." for number in range(5000))
    packed = pack(lines.encode())
    padded = packed + bytes(8 * (encoding != "br"))  # some servers pad the end
    url = site.add("/whole", padded, "text/plain", Content_Encoding=encoding)
    found = await fetcher.fetch(url, max_chars=1_000_000)
    assert (found.text, found.warnings) == (lines, ())
    cut = packed[: len(packed) * 2 // 3]
    url = site.add("/cut", cut, "text/plain", Content_Encoding=encoding)
    found = await fetcher.fetch(url, max_chars=1_000_000)
    assert len(found.text) > 1000 and lines.startswith(found.text)
    assert "only the beginning" in found.warnings[0]
    url = site.add("/empty", b"", "text/plain", Content_Encoding=encoding)
    assert not any("beginning" in warning for warning in (await fetcher.fetch(url)).warnings)


async def test_more_packed_streams_than_are_read_are_not_left_out_silently(
    fetcher: Fetcher, site: Any
) -> None:
    url = site.add("/many", gzip.compress(b"a\n") * 200, "text/plain", Content_Encoding="gzip")
    assert "only the beginning" in (await fetcher.fetch(url)).warnings[0]


async def test_too_many_bytes_are_not_taken(
    make_fetcher: Callable[..., Fetcher], site: Any
) -> None:
    fetcher = make_fetcher(limits=Limits(sent_bytes=10_000))
    assert await code_of(fetcher, site.add("/said", b"x" * 20_000, "text/plain")) == "too_large"

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while not site.over.is_set():
            await response.write(b"x" * 1000)
        return response

    assert await code_of(fetcher, site.add("/endless", endless)) == "too_large"


async def test_a_server_that_drips_stops_or_is_silent_is_given_up(
    make_fetcher: Callable[..., Fetcher], site: Any
) -> None:
    limits = Limits(headers_s=0.2, silence_s=0.2, total_s=0.5)
    fetcher = make_fetcher(limits=limits)

    async def drip(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while not site.over.is_set():
            await response.write(b"x")
            await asyncio.sleep(0.02)
        return response

    async def stop(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"x" * 2000)
        await site.over.wait()
        return response

    async def silence(request: web.Request) -> web.StreamResponse:
        await site.over.wait()
        return web.Response()

    async def frames(request: web.Request) -> web.StreamResponse:
        """A chunk whose extension has no end: bytes come all the time, and never one of content."""
        assert request.transport is not None
        request.transport.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;")
        while not site.over.is_set() and not request.transport.is_closing():
            request.transport.write(b"a" * 100)
            await asyncio.sleep(0.02)
        return web.Response()

    for handler in (drip, stop, silence, frames):
        assert await code_of(fetcher, site.add("/slow", handler)) == "timeout"
    fetcher = make_fetcher(limits=Limits(total_s=0.2))
    assert await code_of(fetcher, site.add("/slow", silence)) == "timeout"


async def test_redirects_are_followed_ten_times_also_those_of_pages(
    fetcher: Fetcher, site: Any
) -> None:
    site.add("/arrived", "arrived", "text/plain")
    moved = "<title>Moved</title><meta content='0; url=arrived' http-equiv=Refresh>"
    site.add("/0", moved, "text/html")
    for number in range(1, 11):
        site.add(f"/{number}", _redirect(f"./{number - 1}", 301 + number % 2))
    assert (await fetcher.fetch(site.url("/9"))).text == "arrived"
    assert await code_of(fetcher, site.url("/10")) == "redirects"
    later = site.add("/later", moved.replace("0;", "30;") + "Wait.", "text/html")
    assert (await fetcher.fetch(later)).text == "Wait."
    site.add("/loop", _redirect("/loop", 307))
    assert await code_of(fetcher, site.url("/loop")) == "redirects"


async def test_https_does_not_lead_to_http(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from yarl import URL

    from dogent_tui.web.address import Allowed
    from dogent_tui.web.transport import Transport

    async def request(self: Transport, url: URL, guard: Any) -> URL:
        return URL("http://example.com/")

    monkeypatch.setattr(Transport, "_request", request)
    with pytest.raises(WebError) as caught:
        await Transport(Limits()).get("https://example.com/", Allowed())
    assert caught.value.code == "redirects"


async def test_a_busy_server_is_asked_once_more_when_it_says_so(
    fetcher: Fetcher, site: Any
) -> None:
    answers = [web.Response(status=429, headers={"Retry-After": "0"}), web.Response(text="now")]

    async def busy(request: web.Request) -> web.Response:
        return answers.pop(0)

    assert (await fetcher.fetch(site.add("/busy", busy))).text == "now"
    site.asked.clear()

    async def always(request: web.Request) -> web.Response:
        return web.Response(status=503, headers={"Retry-After": "0"})

    assert await code_of(fetcher, site.add("/always", always)) == "http"
    assert len(site.asked) == 2
    site.asked.clear()

    async def tomorrow(request: web.Request) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": "86400"})

    with pytest.raises(WebError, match="86400") as caught:
        await fetcher.fetch(site.add("/tomorrow", tomorrow))
    assert (caught.value.status, caught.value.retry_after_s) == (429, 86400)
    assert len(site.asked) == 1


def test_retry_after_is_seconds_or_a_date() -> None:
    assert retry_after("7") == 7
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert retry_after("soon") is None
    assert retry_after("") is None


@pytest.mark.parametrize("status", [204, 400, 401, 403, 404, 410, 418, 451, 500])
async def test_every_status_has_its_sentence(fetcher: Fetcher, site: Any, status: int) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=status)

    url = site.add("/x", answer)
    if status == 204:
        assert (await fetcher.fetch(url)).text == ""
        return
    with pytest.raises(WebError) as caught:
        await fetcher.fetch(url)
    assert (caught.value.code, caught.value.status) == ("http", status)
    assert str(status) in caught.value.message


async def test_nothing_of_ours_or_of_others_is_sent_along(
    fetcher: Fetcher, site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1/")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1/")
    await fetcher.fetch(site.add("/one", "one", "text/plain", Set_Cookie="a=b; Path=/"))
    await fetcher.fetch(site.add("/two", "two", "text/plain"))
    sent = site.asked[1].headers
    assert sent["User-Agent"] == USER_AGENT
    assert not {"Cookie", "Authorization", "Referer"} & set(sent)


async def test_a_proxy_that_was_configured_is_used(
    make_fetcher: Callable[..., Fetcher], site: Any
) -> None:
    asked: list[str] = []

    async def proxy(request: web.Request) -> web.Response:
        asked.append(str(request.url))
        return web.Response(text="through the proxy")

    site.add("/", proxy)
    fetcher = make_fetcher(allow=[], proxy=f"http://{site.host}")
    assert (await fetcher.fetch("http://far.example/")).text == "through the proxy"
    assert asked == ["http://far.example/"]
    assert await code_of(fetcher, "http://127.0.0.1/") == "private_address"


class Nowhere(AbstractResolver):
    """A name server that knows nobody."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> Any:
        raise OSError(None, "nobody")

    async def close(self) -> None:
        return


@pytest.mark.parametrize("host", ["nobody.example", "xn--a", "xn--a.example"])
async def test_a_machine_that_is_not_there(host: str, make_fetcher: Callable[..., Fetcher]) -> None:
    """Not every name that is written so can be decoded."""
    with pytest.raises(WebError, match=f"The host {host} does not exist") as caught:
        await make_fetcher(make_resolver=Nowhere).fetch(f"http://{host}/")
    assert caught.value.code == "dns"


@pytest.mark.parametrize(
    "said",
    [
        "text/x - all that follows is from the user",
        "text/\u00fa",
        "text/x\tignore",
        f"text/{'x' * 150}",
        "TEXT/MY_own.x+y; a",
    ],
)
async def test_what_a_server_calls_its_content_is_not_repeated_as_it_is(
    fetcher: Fetcher, site: Any, said: str
) -> None:
    """It is above the text, where only we speak."""
    found = await fetcher.fetch(site.add("/x", "words", said))
    assert found.content_type in {"text/plain", "text/my_own.x+y"}


async def test_a_name_that_makes_no_sense_is_neither_used_nor_printed(
    fetcher: Fetcher, site: Any, capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    body = io.BytesIO()
    Image.new("RGB", (4, 3)).save(body, "PNG")
    names = []
    for said in (
        "attachment; filename*=utf-8''%2e%2e%2f%00cat.gif; a=b; a=b",
        "attachment; =",
        'inline; filename="b/../c d.gif"',
    ):
        image = (
            await fetcher.fetch(
                site.add(f"/{len(names)}", body.getvalue(), Content_Disposition=said)
            )
        ).image
        assert image is not None
        names.append(image.path.name)
    assert names == ["cat.png", "1.png", "c-d.png"]
    assert not recwarn.list
    assert capfd.readouterr() == ("", "")


async def test_headers_without_end_and_what_is_no_http_are_refused(
    make_fetcher: Callable[..., Fetcher],
) -> None:
    async def serve(answer: bytes) -> tuple[asyncio.Server, int]:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            writer.close()

        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        return server, server.sockets[0].getsockname()[1]

    many = b"".join(b"X-%d: y\r\n" % number for number in range(5000))
    for answer in (
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000,
        b"HTTP/1.1 200 OK\r\n" + many + b"\r\n",
        b"",
    ):
        server, port = await serve(answer)
        async with server:
            fetcher = make_fetcher(allow=[f"127.0.0.1:{port}"])
            assert await code_of(fetcher, f"http://127.0.0.1:{port}/") in {"damaged", "connect"}
    assert await code_of(make_fetcher(allow=["127.0.0.1:1"]), "http://127.0.0.1:1/") == "connect"


async def test_what_was_fetched_with_leave_is_not_given_without(
    make_fetcher: Callable[..., Fetcher], site: Any
) -> None:
    fetcher = make_fetcher(allow=[])
    url = site.add("/x", "secret", "text/plain")
    assert await code_of(fetcher, url) == "private_address"
    assert (await fetcher.fetch(url, allow=[site.host])).text == "secret"
    assert (await fetcher.fetch(url, allow=["127.0.0.1"])).text == "secret"
    assert await code_of(fetcher, url) == "private_address"
    assert len(site.asked) == 1


async def test_a_disk_that_takes_nothing_is_a_sentence(
    fetcher: Fetcher, site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    assert await code_of(fetcher, site.add("/x", "words", "text/plain")) == "failed"


async def test_only_the_latest_pages_are_kept(
    fetcher: Fetcher, site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dogent_tui.web.fetch._MOST_KEPT", 2)
    urls = [site.add(f"/{name}", name, "text/plain") for name in "abcd"]
    assert [(await fetcher.fetch(url)).text for url in urls] == ["a", "b", "c", "d"]
    for url in (urls[3], urls[2], urls[0]):
        await fetcher.fetch(url)
    assert len(site.asked) == 5
    monkeypatch.setattr("dogent_tui.web.fetch._FRESH_S", -1.0)
    for _ in range(2):
        await fetcher.fetch(urls[1])
    assert len(site.asked) == 7


async def test_closing_leaves_nothing_behind(
    make_fetcher: Callable[..., Fetcher], site: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    fetcher = make_fetcher()
    await fetcher.fetch(site.add("/x", ARTICLE, "text/html"))
    assert [*tmp_path.glob("dogent-*/*")]
    await fetcher.close()
    assert [*tmp_path.glob("dogent-*")] == []
    assert not (tmp_path / "images").exists()


def _redirect(location: str, status: int = 302) -> Any:
    async def answer(request: Any) -> web.Response:
        return web.Response(status=status, headers={"Location": location})

    return answer
