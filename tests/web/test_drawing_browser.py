"""Pages that their scripts fill, in a real browser: what they show, and what they may ask for."""

from typing import Any

import pytest
from aiohttp import web

from dogent_tui.documents.export.browser import find_browsers
from dogent_tui.web.fetch import Fetcher

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not find_browsers(), reason="No browser is here."),
]

WORDS = (
    "The committee agreed on Tuesday, after a long debate, that the bridge should be painted blue"
    " before winter comes. "
)


def app(script: str) -> str:
    return (
        "<!doctype html><title>Bridge</title><body><div"
        f" id=root></div><script>{script}</script></body>"
    )


async def test_a_page_that_its_script_fills_has_a_text(fetcher: Fetcher, site: Any) -> None:
    site.add("/data.json", f'{{"text": "{WORDS * 3}"}}', "application/json")
    script = (
        "fetch('/data.json').then(found => found.json()).then(data => "
        "{ root.attachShadow({mode: 'open'}).innerHTML = '<article><h1>Bridge</h1><p>' + data.text"
        " + '</p></article>' })"
    )
    found = await fetcher.fetch(site.add("/app", app(script), "text/html"))
    assert found.text.count("painted blue") == 3
    assert (await fetcher.fetch(site.url("/app"))).text == found.text
    assert [request.path for request in site.asked] == ["/app", "/data.json"]


@pytest.mark.thorough
async def test_a_script_reaches_no_other_host_and_no_other_page(
    fetcher: Fetcher, site: Any
) -> None:
    async def taken(request: web.Request) -> web.Response:
        return web.Response(text="taken", headers={"Access-Control-Allow-Origin": "*"})

    site.add("/taken", taken)
    other = site.url("/taken").replace("127.0.0.1", "localhost")
    script = (
        "const said = []; const say = word => { said.push(word); root.textContent = said.join('"
        f" ') + ' {WORDS}' }};fetch('{other}').then(() => say('reached'), () =>"
        " say('refused'));fetch('/taken', {method: 'POST', body: 'x'}).then(() => say('posted'),"
        f" () => say('unposted'));const socket = new WebSocket('ws://{site.host}/taken');"
        " socket.onopen = () => say('opened');say(typeof RTCPeerConnection); new Image().src ="
        " '/taken?image';"
    )
    found = await fetcher.fetch(site.add("/app", app(script), "text/html"))
    assert "refused" in found.text
    assert "unposted" in found.text
    assert "undefined" in found.text
    assert "opened" not in found.text
    assert [request.path for request in site.asked] == ["/app"]


@pytest.mark.thorough
async def test_a_page_that_goes_elsewhere_stays_as_it_came(fetcher: Fetcher, site: Any) -> None:
    site.add("/elsewhere", f"<p>{WORDS}", "text/html")
    found = await fetcher.fetch(site.add("/app", app("location = '/elsewhere'"), "text/html"))
    assert "painted blue" not in found.text
    assert [request.path for request in site.asked] == ["/app"]
