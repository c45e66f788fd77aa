"""The states of the fault matrix: how one gets there, how one sees that one is there, and what
Esc takes away.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from dogent_tui.offline.messages_api import MessagesRequest, ReplyStream
from tests.e2e.terminal import eventually

if TYPE_CHECKING:
    from tests.faults.stage import Stage

SECOND = "then quagga"
"""The prompt that is on its way, or was, when the fault comes."""
FILES = 150
"""How many files a command changes whose layer is committed."""
OLD, NEW = "old\n" * 2_000, "new\n" * 3_000
_LETTERS = "abcdefghij klmnop 中文 éü"
_QUESTION = {"id": "who", "question": "Who reads it?", "options": ["the board", "visitors"]}
_UI_REQUEST = "mcp__dogent__ui_request"


async def _nothing(stage: "Stage") -> None:
    pass


async def _typing(stage: "Stage") -> None:
    async def type_on() -> None:
        while True:
            stage.type_key(stage.draw.choice(_LETTERS))
            await asyncio.sleep(0.04)

    stage.background(type_on())
    await stage.terminal.until(lambda: len(stage.typed_on_screen()) > 5, "what is typed")


async def _connecting(stage: "Stage") -> None:
    stage.api.script(_endless)
    await stage.send(SECOND)


async def _streaming(stage: "Stage") -> None:
    stage.api.script(_endless)
    await stage.send(SECOND)
    await stage.terminal.until(lambda: last_word(stage.terminal.text()) > 2, "the stream")


async def _tool(stage: "Stage") -> None:
    if stage.row.victim == "worker":
        stage.api.call("mcp__dogent__read_document", {"path": "long.pdf", "offset": 900_000})
        await stage.send(SECOND)
        await eventually(stage.workers, "the worker")
        return
    stage.api.call("Bash", {"command": "echo begun > begun.md; tail -f /dev/null"})
    await stage.send(SECOND)
    await eventually(
        lambda: any(_name(process) == "tail" for process in stage.terminal.processes()),
        "the command",
    )


async def _permission(stage: "Stage") -> None:
    stage.api.call("Bash", {"command": "rm keep.md"})
    await stage.send(SECOND)
    await stage.terminal.wait_for("Delete keep.md", "Deny")


async def _form(stage: "Stage") -> None:
    stage.api.call(
        _UI_REQUEST, {"type": "clarification", "title": "First", "questions": [_QUESTION]}
    )
    await stage.send(SECOND)
    await stage.terminal.wait_for("Send the answers")


async def _outline(stage: "Stage") -> None:
    stage.api.call(
        _UI_REQUEST,
        {"type": "outline_edit", "title": "The outline", "outline_text": "# Report\n\n## Visits\n"},
    )
    await stage.send(SECOND)
    await stage.terminal.wait_for("Visits", "a Accept")


async def _review(stage: "Stage") -> None:
    proposal = {"path": "keep.md", "new_content": "kept\n\nand more\n", "summary": "More"}
    stage.api.call("mcp__dogent__propose_document_change", proposal)
    await stage.send(SECOND)
    await stage.terminal.wait_for("and more", "a Accept")


async def _commit(stage: "Stage") -> None:
    for number in range(FILES):
        (stage.root / f"part{number}.md").write_text(OLD, encoding="utf-8")
    change = f"for i in $(seq 0 {FILES - 1}); do head -c {len(NEW)} new.txt > part$i.md; done"
    (stage.root / "new.txt").write_text(NEW, encoding="utf-8")
    stage.api.call("Bash", {"command": change})
    await stage.send(SECOND)
    await eventually(lambda: stage.changed_parts() > 0, "the first file of the commit")


async def _export(stage: "Stage") -> None:
    await stage.send("/export notes.md pdf")
    await stage.terminal.wait_for("Esc stops it")
    await eventually(stage.workers, "a process that exports")


async def _rewind(stage: "Stage") -> None:
    await stage.send("/rewind")
    await stage.terminal.wait_for("Rewind to before which prompt?")
    for words in ("What should be restored?", "Rewind to before “"):
        await stage.terminal.press_until(
            "\r", lambda words=words: words in stage.terminal.text(), words
        )
    await asyncio.sleep(0.6)  # nothing else says that it takes keys
    stage.terminal.type("\r")


async def _closing(stage: "Stage") -> None:
    await stage.send("/exit")


class State(NamedTuple):
    """A state. `reach` gets there from an application at rest; `asks` is on the screen for as long
    as something is asked.

    `runs`: the agent is at work there.
    """

    reach: Callable[["Stage"], Awaitable[None]]
    asks: str = ""
    runs: bool = False


STATE: Mapping[str, State] = {
    "idle": State(_nothing),
    "typing": State(_typing),
    "connecting": State(_connecting, runs=True),
    "streaming": State(_streaming, runs=True),
    "tool": State(_tool, runs=True),
    "permission": State(_permission, asks="Allow once"),
    "form": State(_form, asks="Send the answers"),
    "outline": State(_outline, asks="a Accept"),
    "review": State(_review, asks="a Accept"),
    "commit": State(_commit, runs=True),
    "export": State(_export),
    "rewind": State(_rewind),
    "closing": State(_closing),
}


def last_word(text: str) -> int:
    """Return the number of the last whole word of the stream in `text`, 0 if there is none."""
    return max((int(number) for number in re.findall(r"\bw(\d+)\b[ \n]", text + "\n")), default=0)


async def _endless(request: MessagesRequest) -> AsyncGenerator[bytes, None]:
    stream = ReplyStream(request)
    yield stream.start()
    yield stream.open()
    for number in range(1, 3_000):
        yield stream.add(f"w{number} ")
        await asyncio.sleep(0.03)
    yield stream.close()
    yield stream.finish()


def _name(process) -> str:
    import psutil

    with suppress(psutil.Error):
        return process.name()
    return ""
