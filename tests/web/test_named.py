"""Private hosts that the user named: what counts as naming one, and what an approval is worth."""

import socket

import pytest

from dogent_tui.web.named import NamedHosts


@pytest.fixture
def names(monkeypatch):
    """A name server of our own."""
    known = {
        "wiki.corp": ["10.1.2.3"],
        "both.example": ["93.184.216.34", "127.0.0.1"],
        "public.example": ["93.184.216.34"],
    }

    def look_up(host, port, **_):
        if host not in known:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in known[host]
        ]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


@pytest.mark.parametrize(
    ("prompt", "url"),
    [
        ("Read http://192.168.1.5/status, please.", "http://192.168.1.5/other"),
        ("Sum up https://Wiki.Corp:8443/a?b#c", "https://wiki.corp/"),
        ("what does 10.0.0.7 say?", "http://10.0.0.7/"),
        ("open localhost:3000", "http://localhost:3000/"),
        ("is localhost up", "http://localhost/"),
        ("look at nas:5000/files", "http://nas:5000/files"),
        ("see http://nas/files", "http://nas/"),
        ("see [fd00::1]:8080", "http://[fd00::1]:8080/"),
        ("see http://[fd00:0::1]/", "http://[fd00::1]/"),
        ("请读取http://wiki.corp/页面，谢谢", "http://wiki.corp/"),
        ("请看http://192.168.1.5。", "http://192.168.1.5/"),
        ("(http://intranet.local/a).", "http://intranet.local/"),
        ("http://me:pw@wiki.corp/", "http://wiki.corp/"),
    ],
)
def test_what_names_a_host(prompt, url):
    hosts = NamedHosts()
    assert not hosts.named(url)
    hosts.heard(prompt)
    assert hosts.named(url)
    hosts.heard("And now something else.")
    assert hosts.named(url)


@pytest.mark.parametrize(
    ("prompt", "url"),
    [
        ("Compare the wiki with our notes", "http://wiki/"),
        ("Read http://192.168.1.5/", "http://192.168.1.55/"),
        ("Read http://192.168.1.5/", "http://1.168.1.5/"),
        ("Read http://example.com/?u=x", "http://x/"),
        ("mail me@wiki.corp", "http://wiki.corp/"),
        ("Read https://evil-localhost/", "http://localhost/"),
        ("", "http://127.0.0.1/"),
        ("Read http://127.0.0.1/", "no address at all"),
        ("Read http://127.0.0.1/", "http://0x7f.1/"),
    ],
)
def test_what_does_not(prompt, url):
    hosts = NamedHosts()
    hosts.heard(prompt)
    assert not hosts.named(url)


def test_of_a_very_long_prompt_the_beginning_and_the_end_count():
    hosts = NamedHosts()
    hosts.heard(
        "Read http://first.corp/\n" + "http://pasted.corp/ " * 10_000 + "\nand http://last.corp/"
    )
    hosts.heard("\n".join(f"h{number}.example" for number in range(3000)))
    hosts.heard("And http://now.corp/")
    # a thousand are kept
    assert [hosts.named(f"http://{name}.corp/") for name in ("first", "last", "now")] == [
        False,
        False,
        True,
    ]
    hosts.heard(
        "http://first.corp/ "
        + "x" * 100_000
        + " http://middle.corp "
        + "x" * 100_000
        + " http://last.corp/"
    )
    assert [hosts.named(f"http://{name}.corp/") for name in ("first", "middle", "last")] == [
        True,
        False,
        True,
    ]


def test_a_name_is_looked_up_only_where_the_user_named_it(names):
    hosts = NamedHosts()
    assert hosts.leads_inside("http://wiki.corp/") is None
    hosts.heard("http://wiki.corp http://both.example http://public.example http://gone.example")
    assert hosts.leads_inside("http://wiki.corp/") is True
    assert hosts.leads_inside("http://both.example/") is True
    assert hosts.leads_inside("http://public.example/") is False
    assert hosts.leads_inside("http://gone.example/") is None
    behind_proxy = NamedHosts(look_up=False)
    behind_proxy.heard("http://wiki.corp")
    assert behind_proxy.leads_inside("http://wiki.corp/") is None


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        ("http://127.0.0.1:8080/", True),
        ("http://[::1]/", True),
        ("http://[::ffff:10.0.0.1]/", True),
        ("http://169.254.169.254/latest", True),
        ("http://localhost/", True),
        ("http://a.localhost/", True),
        ("http://93.184.216.34/", False),
        ("https://example.com/", None),
        ("file:///etc/passwd", None),
        ("http://2130706433/", None),
        ("", None),
    ],
)
def test_what_the_address_itself_tells(url, inside):
    assert NamedHosts().leads_inside(url) is inside


def test_what_the_settings_allow_is_not_asked_about(names):
    hosts = NamedHosts(["wiki.corp", "10.1.2.3:8080", "localhost:3000"])
    hosts.heard("http://wiki.corp")
    assert hosts.leads_inside("http://wiki.corp/") is False
    assert hosts.leads_inside("http://10.1.2.3:8080/") is False
    assert hosts.leads_inside("http://10.1.2.3/") is True
    assert hosts.leads_inside("http://localhost:3000/") is False
    assert hosts.leads_inside("http://localhost:3001/") is True


def test_an_approval_holds_for_its_address_until_the_next_call_of_it():
    hosts = NamedHosts()
    assert hosts.approved("http://wiki.corp/a") == ()
    hosts.approve("http://wiki.corp/a")
    assert hosts.approved("http://wiki.corp/a") == ("wiki.corp:80", "wiki.corp:443")
    assert hosts.approved("http://wiki.corp/b") == ()
    hosts.approve("http://[fd00::1]:8080/")
    assert hosts.approved("http://[fd00::1]:8080/") == ("[fd00::1]:8080",)
    hosts.withdraw("http://wiki.corp/a")
    assert hosts.approved("http://wiki.corp/a") == ()
    hosts.approve("nonsense://")
    assert hosts.approved("nonsense://") == ()
