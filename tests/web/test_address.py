"""The guard: which addresses may be talked to, and that nothing leads past it."""

import ipaddress
import re
import socket
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp.abc import AbstractResolver
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.web.address import Allowed, host_and_port, place_of
from dogent_tui.web.fetch import Fetcher
from dogent_tui.web.model import WebError

PUBLIC = [
    "1.1.1.1",
    "93.184.216.34",
    "2606:4700::1111",
    "2a00:1450:4001:80b::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]
NOT_PUBLIC = re.split(
    r"\s+",
    """
    0.0.0.0 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255
    192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255
    :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1
    64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 64:ff9b:0:1::808:808
    ::ffff:0:127.0.0.1 100::1 2001::1 2001:db8::1 2002:7f00:1::1
    3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1""".strip(),  # noqa: E501
)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_may_be_talked_to(address: str) -> None:
    assert place_of(address) == "public"
    assert Allowed().permits("example.com", 443, address)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_other_addresses_may_not(address: str) -> None:
    assert place_of(address) != "public"
    assert not Allowed().permits("example.com", 443, address)


@given(st.ip_addresses())
def test_every_address_has_a_place(address: Any) -> None:
    assert place_of(address) == place_of(str(address))
    if place_of(address) == "public":
        assert (
            address.version == 4
            or address.ipv4_mapped
            or any(
                address in ipaddress.ip_network(network) for network in ("2000::/3", "64:ff9b::/96")
            )
        )


BYPASSES = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "127.0.0.1.",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.b.localhost",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[0:0:0:0:0:ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[::ffff:0:127.0.0.1]",
    "[127.0.0.1]",
    "[v1.localhost]",
    "[::1%25lo]",
    "00",
    "0x0",
    "1.0x7f",
    "4294967297",
    "127。0。0。1",
    "१२७.0.0.1",
    "ⓛocalhost",
    "lo\u00adcalhost",
    "127.0.0.1\u200b",
    "localhost。",
    "[2001:0:7f00:1::1]",
    "[2002:7f00:1::]",
    "①②⑦.⓪.⓪.①",
    "１２７。0。0。1",
    "169.254.169.254",
    "[fe80::1%25lo]",
    "user@127.0.0.1",
    "example.com@127.0.0.1",
    "127.0.0.1\\@example.com",
    "%31%32%37.0.0.1",
    "127.0.0.1%2f.example.com",
    "\t127.0.0.1",
]


@pytest.mark.parametrize("host", BYPASSES)
async def test_no_way_of_writing_leads_to_this_machine(
    host: str, make_fetcher: Callable[..., Fetcher], site: Any
) -> None:
    fetcher = make_fetcher(allow=[])
    for url in (f"http://{host}:{site.port}/", f"http://{host}/"):
        with pytest.raises(WebError) as caught:
            await fetcher.fetch(url)
        assert caught.value.code in {"private_address", "bad_url"}
    assert not site.asked


def test_exactly_the_hosts_that_were_named_are_allowed() -> None:
    allowed = Allowed.of(["wiki.corp", "10.0.0.7:8080", "[fd00::1]"])
    assert allowed.permits("wiki.corp", 443, "10.1.1.1")
    assert allowed.permits("wiki.corp", 80, "127.0.0.1")
    assert allowed.permits("10.0.0.7", 8080, "10.0.0.7")
    assert allowed.permits("other.example", 80, "fd00::1")
    assert not allowed.permits("10.0.0.7", 80, "10.0.0.7")
    assert not allowed.permits("other.corp", 443, "10.1.1.1")
    assert not allowed.permits("sub.wiki.corp", 443, "10.1.1.1")


def test_a_name_never_leads_to_metadata_services_and_nothing_to_nobody() -> None:
    allowed = Allowed.of(["wiki.corp", "0.0.0.0", "224.0.0.1", "169.254.169.254"])
    assert not Allowed.of(["wiki.corp"]).permits("wiki.corp", 80, "169.254.169.254")
    assert allowed.permits("169.254.169.254", 80, "169.254.169.254")
    assert not allowed.permits("0.0.0.0", 80, "0.0.0.0")
    assert not allowed.permits("224.0.0.1", 80, "224.0.0.1")


@pytest.mark.parametrize(
    "entry",
    [
        "",
        "*",
        "*.corp",
        "10.0.0.0/8",
        "http://wiki.corp/",
        "wiki corp",
        "a@b",
        "2130706433",
        "0x7f.1",
    ],
)
def test_what_is_no_exact_host_allows_nothing(entry: str) -> None:
    assert host_and_port(entry) is None
    assert Allowed.of([entry]) == Allowed()


class Answers(AbstractResolver):
    """A name server that answers with one list of addresses after the other."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> Any:
        addresses = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [
            {"hostname": host, "host": a, "port": port, "family": family, "proto": 0, "flags": 0}
            for a in addresses
        ]

    async def close(self) -> None:
        return


async def test_a_public_name_with_a_private_address_is_refused(
    make_fetcher: Callable[..., Fetcher], site: Any
) -> None:
    fetcher = make_fetcher(allow=[], make_resolver=lambda: Answers(["93.184.216.34", "127.0.0.1"]))
    with pytest.raises(WebError, match=r"evil\.example") as caught:
        await fetcher.fetch(f"http://evil.example:{site.port}/")
    assert caught.value.code == "private_address"
    assert caught.value.host == "evil.example"
    assert "127.0.0.1" in caught.value.addresses
    assert not site.asked


async def test_an_answer_that_changes_after_it_was_looked_at_is_refused(
    make_fetcher: Callable[..., Fetcher], site: Any
) -> None:
    resolver = Answers(["127.0.0.1"], ["10.9.8.7"])
    url = site.add("/", "hello", "text/plain").replace("127.0.0.1", "wiki.corp")
    fetcher = make_fetcher(allow=[], make_resolver=lambda: resolver)
    assert (await fetcher.fetch(url, allow=["wiki.corp"])).text == "hello"
    with pytest.raises(WebError) as caught:  # what was allowed once, is asked for again
        await fetcher.fetch(url)
    assert caught.value.code == "private_address"
    assert caught.value.addresses == ("10.9.8.7",)


async def test_the_socket_itself_is_judged(
    make_fetcher: Callable[..., Fetcher], site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where the name server's answer got past the first look."""
    from dogent_tui.web import guarded_connector

    async def unseen(
        self: Any, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> Any:
        return await self._inner.resolve(host, port, family)

    monkeypatch.setattr(guarded_connector._GuardedResolver, "resolve", unseen)
    fetcher = make_fetcher(allow=[], make_resolver=lambda: Answers(["127.0.0.1"]))
    with pytest.raises(WebError) as caught:
        await fetcher.fetch(f"http://evil.example:{site.port}/")
    assert caught.value.code == "private_address"
    assert not site.asked


async def test_a_redirect_is_judged_like_a_request(
    fetcher: Fetcher, site: Any, other_site: Any
) -> None:
    secret = other_site.add("/secret", "secret", "text/plain")
    for location in (
        secret,
        secret.replace("127.0.0.1", "localhost"),
        f"//{other_site.host}/secret",
    ):
        site.add("/away", _redirect(location))
        with pytest.raises(WebError) as caught:
            await fetcher.fetch(site.url("/away"))
        assert caught.value.code == "private_address"
    for location in (
        "file:///etc/passwd",
        "ftp://example.com/",
        "http://user:word@example.com/",
        "javascript:1",
    ):
        site.add("/away", _redirect(location))
        with pytest.raises(WebError) as caught:
            await fetcher.fetch(site.url("/away"))
        assert caught.value.code == "bad_url"
    assert not other_site.asked


def _redirect(location: str, status: int = 302) -> Any:
    from aiohttp import web

    async def answer(request: Any) -> web.Response:
        return web.Response(status=status, headers={"Location": location})

    return answer
