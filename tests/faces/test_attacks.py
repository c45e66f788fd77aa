"""Requests that the server must refuse, each with nothing done: nobody else gets in, and nothing
widens what is allowed.
"""

import asyncio
import json
import os
import socket
import uuid
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from dogent_tui.agent.session import SessionOptions
from dogent_tui.errors import DogentError, UsageError
from dogent_tui.faces.http import serve
from dogent_tui.faces.page.routes import PageCode
from tests.e2e.scripted_api import ScriptedApi
from tests.faces.conftest import IN_ONE_LOOP, Served, serving

pytestmark = [IN_ONE_LOOP, pytest.mark.slow, pytest.mark.thorough]

READ = "mcp__dogent__read_markdown_file"


def body(text: str = "hello", **more: Any) -> dict[str, Any]:
    message = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": text}]}
    return {"id": uuid.uuid4().hex, "messages": [message], "trigger": "submit-message", **more}


def tree(root: Path) -> dict[str, bytes]:
    """Return what the files below `root` hold, without ours and the CLI's, which come and go as
    the server works.
    """
    found: dict[str, bytes] = {}
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name not in (".dogent", ".cache", ".claude")]
        files = [name for name in files if not name.startswith(".claude")]
        found |= {f"{folder}/{name}": Path(folder, name).read_bytes() for name in files}
    return found


async def sent(served: Served, request: bytes) -> bytes:
    """Send a request as it is, and return the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(served.url).port)
    writer.write(request)
    await writer.drain()
    answer = await asyncio.wait_for(reader.read(65_536), 60)
    writer.close()
    return answer


STRANGERS: list[tuple[int, dict[str, str]]] = [
    (401, {"authorization": ""}),
    (401, {"authorization": "Bearer wrong"}),
    (401, {"authorization": "Bearer "}),
    (401, {"authorization": "Basic dXNlcjpwYXNz"}),
    (403, {"host": "evil.example"}),
    (403, {"host": "127.0.0.1.evil.example"}),
    (403, {"host": "localhost.evil.example:80"}),
    (403, {"host": "[::2]"}),
    (403, {"origin": "https://evil.example"}),
    (403, {"origin": "null"}),
    (403, {"origin": "http://localhost.evil.example"}),
    (403, {"origin": "http://127.0.0.1:1"}),
    (415, {"content-type": "text/plain"}),
    (415, {"content-type": "application/x-www-form-urlencoded"}),
    (415, {"content-type": "multipart/form-data; boundary=x"}),
]


@pytest.mark.parametrize(("status", "changed"), STRANGERS)
async def test_strangers_are_refused(served: Served, status: int, changed: dict[str, str]) -> None:
    headers = {**served.headers, "content-type": "application/json", **changed}
    for path in (
        "/api/chat",
        "/api/chat/execute-tool",
        "/api/chat/x/approvals/y",
        "/api/chat/x/answers/y",
        "/api/chat/x/stop",
    ):
        async with served.http.post(
            served.url + path, data=json.dumps(body()), headers=headers
        ) as answer:
            is_seed = path.endswith("execute-tool")  # whose clients read {success, error}
            text = (await answer.json())["error"] if is_seed else await answer.text()
            assert (answer.status, answer.content_type == "text/plain") == (
                status,
                not is_seed,
            ), path
            assert text.endswith(".")
            assert "access-control-allow-origin" not in answer.headers
    assert not served.api.requests


@pytest.mark.parametrize("path", ["/api/chat/x/stream", "/api/chat/x", "/api/files?query="])
async def test_what_is_read_needs_the_token_and_not_in_the_address(
    served: Served, path: str
) -> None:
    joined = f"{served.url}{path}{'&' if '?' in path else '?'}token={served.token}"
    for headers in ({}, {"authorization": "Bearer x"}, {"cookie": f"token={served.token}"}):
        async with served.http.get(joined, headers=headers) as answer:
            assert answer.status == 401


async def test_a_preflight_of_a_strange_page_is_refused(served: Served) -> None:
    asked = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    async with served.http.options(f"{served.url}/api/chat", headers=asked) as answer:
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "wrong",
    [
        {"rootDirectory": "/"},
        {"rootDirectory": "/etc"},
        {"rootDirectory": "{root}/.."},
        {"rootDirectory": "{root}/leads-out"},
        {"rootDirectory": "{root}/missing"},
        {"rootDirectory": "{root}\x00/x"},
        {"filePath": "/etc/passwd"},
        {"filePath": "../outside.md"},
        {"filePath": "leads-out/x.md"},
        {"filePath": "../outside.md", "fileContent": "mine"},
    ],
)
async def test_places_outside_are_refused(served: Served, wrong: dict[str, str]) -> None:
    link = served.root / "leads-out"
    if not link.is_symlink():
        link.symlink_to(served.root.parent)
    given = {key: value.replace("{root}", str(served.root)) for key, value in wrong.items()}
    before = tree(served.root.parent)
    status, answer = await served.post("/api/chat", body(**given))
    assert (status, answer[-1]) == (403, "."), answer
    assert tree(served.root.parent) == before
    assert not served.api.requests


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"id": 1, "messages": []}',
        b'{"id": "x", "messages": []}',
        b'{"id": "", "messages": [{"role": "user"}]}',
        b'{"id": "x", "messages": [{"role": "system", "parts": []}]}',
        b'{"id": "x", "messages": [{"role": "user", "parts": [{"type": "file"}]}]}',
        b'{"id": "x", "messages": ["hello"]}',
        b"[" * 100_000,
        b'{"id": "' + b"x" * 1000 + b'", "messages": [{"role": "user", "parts": []}]}',
        b"\xff\xfe",
    ],
)
async def test_bodies_that_are_none_are_refused(served: Served, wrong: bytes) -> None:
    headers = {**served.headers, "content-type": "application/json"}
    async with served.http.post(f"{served.url}/api/chat", data=wrong, headers=headers) as answer:
        assert answer.status == 400
        assert (await answer.text()).endswith(".")


async def test_a_body_that_is_too_large_is_refused(served: Served) -> None:
    status, answer = await served.post("/api/chat", body("x" * (11 << 20)))
    assert (status, "10 MB" in answer) == (413, True)


async def test_execute_tool_runs_only_what_waits_and_once(served: Served) -> None:
    (served.root / "a.md").write_text("# A\n", encoding="utf-8")
    (served.root / "b.md").write_text("# B\n", encoding="utf-8")
    call = {
        "toolName": "readMarkdownFile",
        "parameters": {"filePath": str(served.root / "a.md"), "reason": "To see."},
    }
    assert (await served.post("/api/chat/execute-tool", call))[0] == 403  # nobody asked for it
    served.api.call(READ, {"path": "a.md", "reason": "To see."})
    served.api.say("Seen.")
    chat = uuid.uuid4().hex
    await served.chunks(chat, "read it")
    for other in (
        {**call, "toolName": "Bash", "parameters": {"command": "touch x"}},
        {**call, "toolName": "searchMarkdownContent"},
        {**call, "parameters": {**call["parameters"], "filePath": str(served.root / "b.md")}},
        {**call, "parameters": {**call["parameters"], "filePath": "../a.md"}},
        {**call, "parameters": {**call["parameters"], "reason": "Another."}},
        {**call, "parameters": {**call["parameters"], "offset": 1}},
        {**call, "rootDirectory": "/"},
    ):
        assert (await served.post("/api/chat/execute-tool", other))[0] == 403, other
    status, done = await served.post("/api/chat/execute-tool", call)
    assert (status, done["success"], done["data"]["content"]) == (200, True, "# A\n")
    assert (await served.post("/api/chat/execute-tool", call))[0] == 403  # it was run
    await served.rest_of(chat)


async def test_answers_to_what_is_not_asked_are_refused(served: Served) -> None:
    served.api.call(READ, {"path": "a.md", "reason": "To see."})
    served.api.say("Then not.")
    chat, other = uuid.uuid4().hex, uuid.uuid4().hex
    (served.root / "a.md").write_text("# A\n", encoding="utf-8")
    chunks = await served.chunks(chat, "read it")
    [asked] = [chunk["approvalId"] for chunk in chunks if chunk["type"] == "tool-approval-request"]
    for path, given in (
        (f"/api/chat/{other}/approvals/{asked}", {"approved": True}),
        (f"/api/chat/{chat}/approvals/0000", {"approved": True}),
        (f"/api/chat/{chat}/answers/{asked}", {"answers": {}}),
    ):
        status, answer = await served.post(path, given)
        assert (status, answer[-1]) == (409, "."), path
    for wrong in ({"approved": "yes"}, {"approved": True, "scope": "everything"}):
        assert (await served.post(f"/api/chat/{chat}/approvals/{asked}", wrong))[0] == 400
    assert (await served.post(f"/api/chat/{chat}/approvals/{asked}", {"approved": False}))[0] == 200
    assert (await served.post(f"/api/chat/{chat}/approvals/{asked}", {"approved": True}))[0] == 409
    await served.rest_of(chat)


async def test_what_an_editor_has_not_saved_is_not_written(served: Served) -> None:
    (served.root / "open.md").write_text("saved\n", encoding="utf-8")
    served.api.call(READ, {"path": "open.md", "reason": "To see."})
    served.api.say("Seen.")
    chat = uuid.uuid4().hex
    await served.chunks(chat, "read it", filePath="open.md", fileContent="unsaved\n")
    call = {
        "toolName": "readMarkdownFile",
        "parameters": {"filePath": "open.md", "reason": "To see."},
    }
    _, done = await served.post("/api/chat/execute-tool", call)
    assert done["data"]["content"] == "unsaved\n"
    assert (served.root / "open.md").read_text(encoding="utf-8") == "saved\n"
    await served.rest_of(chat)


async def test_the_code_of_the_page_opens_once() -> None:
    page = PageCode("token")
    code = page.code
    with pytest.raises(PermissionError):
        page.trade("guess")
    assert page.trade(code) == "token"
    for again in (code, ""):
        with pytest.raises(PermissionError):
            page.trade(again)


async def test_a_request_without_a_host_or_with_two_is_refused(served: Served) -> None:
    head = (
        "POST /api/chat HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length:"
        " 2\r\nConnection: close\r\n"
    )
    token = f"Authorization: Bearer {served.token}\r\n"
    for hosts in ("", "Host: evil.example\r\n", "Host: 127.0.0.1\r\nHost: evil.example\r\n"):
        answer = await sent(served, f"{head}{token}{hosts}\r\n{{}}".encode())
        assert answer.split()[1:2] in ([b"400"], [b"403"])


def request_of(start: str, *headers: str, body: bytes = b"") -> bytes:
    """Return a request byte by byte. ``PORT`` and ``TOKEN`` in it are filled in by `sent`."""
    lines = [start, *headers, "Connection: close"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


HOST, AUTH, JSON = (
    "Host: 127.0.0.1:PORT",
    "Authorization: Bearer TOKEN",
    "Content-Type: application/json",
)
SMALL = json.dumps(
    {"id": "x", "messages": [{"role": "user", "parts": [{"type": "text", "text": "hello"}]}]}
).encode()
LENGTH = f"Content-Length: {len(SMALL)}"
POST = "POST /api/chat HTTP/1.1"

HALF = SMALL.replace(b"hello", b"\\ud800")
REST = (AUTH, JSON, LENGTH)


def code_of(body: bytes, *more: str) -> bytes:
    """Return a request that trades a code for the token."""
    return request_of(
        "POST /api/session HTTP/1.1", HOST, *more, JSON, f"Content-Length: {len(body)}", body=body
    )


HOSTILE: list[tuple[str, bytes, set[int]]] = [
    ("a host with a user in it", request_of(POST, "Host: 127.0.0.1:PORT@evil.example", *REST,
        body=SMALL), {400, 403}),
    ("a host that is no address", request_of(POST, "Host: [::1", *REST, body=SMALL), {400, 403}),
    ("a port that is none", request_of(POST, "Host: 127.0.0.1:99999", *REST, body=SMALL), {400,
        403}),
    ("a port of letters", request_of(POST, "Host: 127.0.0.1:abc", *REST, body=SMALL), {400, 403}),
    ("loopback as a number", request_of(POST, "Host: 2130706433", *REST, body=SMALL), {403}),
    ("loopback in short", request_of(POST, "Host: 127.1", *REST, body=SMALL), {403}),
    ("any address", request_of(POST, "Host: 0.0.0.0:PORT", *REST, body=SMALL), {403}),
    ("a name with a dot behind it", request_of(POST, "Host: localhost.:PORT", *REST, body=SMALL),
        {403}),
    ("the page by another name", request_of("GET / HTTP/1.1", "Host: evil.example"), {403}),
    ("the address of another host", request_of("GET http://evil.example/ HTTP/1.1",
        "Host: evil.example"), {403}),
    ("its own origin on another port", request_of(POST, HOST, "Origin: http://127.0.0.1:1", *REST,
        body=SMALL), {403}),
    ("its own origin by TLS", request_of(POST, HOST, "Origin: https://127.0.0.1:PORT", *REST,
        body=SMALL), {403}),
    ("an empty origin", request_of(POST, HOST, "Origin: ", *REST, body=SMALL), {403}),
    ("its own behind another", request_of(POST, HOST, "Origin: http://evil#http://127.0.0.1", *REST,
        body=SMALL), {403}),
    ("the code from a strange page", code_of(b"{}", "Origin: null"), {403}),
    ("a code that is a guess", code_of(b'{"code": "x"}'), {403}),
    ("a code that is no text", code_of(b'{"code": 1}'), {400}),
    ("no code", code_of(b"{}"), {403}),
    ("a token that is no ASCII", request_of(POST, HOST, "Authorization: Bearer \xe9\xff", JSON,
        LENGTH, body=SMALL), {401}),
    ("the token twice", request_of(POST, HOST, "Authorization: Bearer TOKEN TOKEN", JSON, LENGTH,
        body=SMALL), {401}),
    ("a method that is not served", request_of("PUT /api/chat HTTP/1.1", HOST, *REST, body=SMALL),
        {405}),
    ("deletion", request_of("DELETE /api/chat/x HTTP/1.1", HOST, AUTH), {405}),
    ("a path with its slash twice", request_of("GET //api/files HTTP/1.1", HOST), {404}),
    ("a path that is encoded", request_of("GET /%61pi/files HTTP/1.1", HOST), {401}),
    ("a path back", request_of("GET /page.js/../api/files HTTP/1.1", HOST), {401, 404}),
    ("the source beside the page", request_of("GET /page.js/../../http.py HTTP/1.1", HOST), {404}),
    ("the source, encoded", request_of("GET /..%2fhttp.py HTTP/1.1", HOST), {404}),
    ("a name cut by a null", request_of("GET /page.js%00.html HTTP/1.1", HOST), {400, 404}),
    ("two lengths", request_of(POST, HOST, AUTH, JSON, "Content-Length: 2", LENGTH, body=SMALL),
        {400}),
    ("a length and chunks", request_of(POST, HOST, AUTH, JSON, LENGTH, "Transfer-Encoding: chunked",
        body=b"0\r\n\r\n"), {400}),
    ("a body that is not compressed", request_of(POST, HOST, AUTH, JSON, "Content-Encoding: gzip",
        LENGTH, body=SMALL), {400}),
    ("half a character", request_of(POST, HOST, AUTH, JSON, f"Content-Length: {len(HALF)}",
        body=HALF), {400}),
    ("two objects", request_of(POST, HOST, AUTH, JSON, "Content-Length: 4", body=b"{}{}"), {400}),
    ("a header without end", request_of(POST, HOST, AUTH, "X-Long: " + "x" * 100_000), {400, 431}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "statuses"),
    [(asked, statuses) for _, asked, statuses in HOSTILE],
    ids=[name for name, _, _ in HOSTILE],
)
async def test_nothing_comes_of_hostile_requests(
    served: Served, asked: bytes, statuses: set[int]
) -> None:
    before = tree(served.root.parent)
    port = str(urlsplit(served.url).port)
    answer = await sent(
        served, asked.replace(b"PORT", port.encode()).replace(b"TOKEN", served.token.encode())
    )
    head, _, said = answer.partition(b"\r\n\r\n")
    assert int(head.split()[1]) in statuses, answer
    assert b"access-control-allow-origin" not in head.lower()
    assert served.token.encode() not in said
    assert b"Traceback" not in said
    assert tree(served.root.parent) == before
    assert not served.api.requests


async def test_a_body_that_grows_when_it_is_unpacked_is_refused(served: Served) -> None:
    packed = zlib.compress(b'{"id": "x", "messages": "' + b"x" * (64 << 20) + b'"}', 9)
    headers = {**served.headers, "content-type": "application/json", "content-encoding": "deflate"}
    async with served.http.post(f"{served.url}/api/chat", data=packed, headers=headers) as answer:
        assert answer.status in (400, 413)
    assert not served.api.requests


@pytest.mark.parametrize(
    "wrong",
    [
        {"filePath": "a\0b"},
        {"filePath": "x" * 5000, "fileContent": "mine"},
        {"rootDirectory": "."},
        {"rootDirectory": "~"},
        {"rootDirectory": "\ud800"},
        {"model": "../../x"},
        {"model": ["offline"]},
        {"messages": [{"role": "user", "parts": {"text": "x"}}]},
        {"messages": [{"role": "user", "parts": [{"type": "text", "text": ["x"]}]}]},
        {
            "messages": [
                {
                    "role": "assistant",
                    "parts": [
                        {"state": "approval-responded", "approval": {"id": "x", "approved": True}}
                    ],
                }
            ]
        },
        {"messages": [{"role": "tool", "parts": []}]},
        {"trigger": {"x": 1}},
        {"fileContent": 5, "filePath": "a.md"},
    ],
)
async def test_fields_that_are_wrong_are_refused(served: Served, wrong: dict[str, Any]) -> None:
    before = tree(served.root.parent)
    status, answer = await served.post("/api/chat", {**body(), **wrong})
    assert status in (400, 403, 409), answer
    assert answer.endswith(".")
    assert tree(served.root.parent) == before
    assert not served.api.requests


async def test_an_approval_can_not_be_more_than_was_asked(served: Served) -> None:
    """A scope that the question does not offer is refused, and so is an answer to another chat's
    question in a message.
    """
    (served.root / "a.md").write_text("# A\n", encoding="utf-8")
    served.api.call(READ, {"path": "a.md", "reason": "To see."})
    chat, other = uuid.uuid4().hex, uuid.uuid4().hex
    chunks = await served.chunks(chat, "read it")
    [asked] = [chunk["approvalId"] for chunk in chunks if chunk["type"] == "tool-approval-request"]
    served.api.say("Another chat.")
    await served.chunks(other, "hello")
    stolen = {
        "role": "assistant",
        "parts": [{"state": "approval-responded", "approval": {"id": asked, "approved": True}}],
    }
    assert (await served.post("/api/chat", {**body(), "id": other, "messages": [stolen]}))[0] == 200
    assert len(served.api.requests) == 2
    assert "data-permission" in await served.rest_of(chat)  # it waits as before
    await served.post(f"/api/chat/{chat}/stop", {})


async def test_slow_bodies_hold_nobody_up(served: Served) -> None:
    port = urlsplit(served.url).port
    head = (
        f"{POST}\r\nHost:"
        f" 127.0.0.1:{port}\r\n{AUTH.replace('TOKEN', served.token)}\r\n{JSON}\r\nContent-Length:"
        " 999\r\n\r\n{"
    )
    slow = [await asyncio.open_connection("127.0.0.1", port) for _ in range(50)]
    for _, writer in slow:
        writer.write(head.encode())
    served.api.say("At once.")
    chunks = await served.chunks(uuid.uuid4().hex, "hello")
    assert any(chunk.get("delta") == "At once." for chunk in chunks)
    for _, writer in slow:
        writer.close()


async def test_too_many_requests_are_refused_for_a_while(tmp_path: Path) -> None:
    statuses = set[int]()
    async with ScriptedApi() as api, serving(tmp_path, api) as served:
        while 429 not in statuses:
            stops = (served.post("/api/chat/x/stop", {}) for _ in range(20))
            statuses |= {status for status, _ in await asyncio.gather(*stops)}
    assert statuses == {409, 429}


async def test_a_port_that_is_taken_is_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(DogentError, match=f"The port {port} can't be used: .* --port"):
            serve(tmp_path, SessionOptions(), port, (), lambda *_: None)


async def test_a_profile_that_does_not_exist_is_refused_before_a_page_asks(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no profile nope"):
        serve(tmp_path, SessionOptions("nope"), 0, (), lambda *_: pytest.fail("it serves"))
