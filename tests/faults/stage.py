"""One row of the matrix: the application in its terminal, the fault, and all that is looked at
afterwards.
"""

import asyncio
import json
import random
import re
import signal
import tempfile
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from dogent_tui.offline.messages_api import ReplyText
from tests.e2e.conftest import EMPTY, Dogent
from tests.e2e.scripted_api import ScriptedApi
from tests.e2e.terminal import CTRL_C, ESCAPE, Terminal, eventually
from tests.faults.disk import Disk
from tests.faults.network import Network
from tests.faults.rows import Row
from tests.faults.states import FILES, NEW, OLD, SECOND, STATE, last_word
from tests.faults.strikes import strike

FIRST, NOTED, AGAIN = "remember zebra", "Noted zebra.", "Here again."
SIZE = (100, 30)
AFTER_S = 2.0
"""After this time nothing that the application started may live."""
ESCAPE_S = 5.0
"""A machine that others use too: what takes longer is a failure, what takes less is a figure in
the report.
"""
_UNSAVED_KEYS = 3
"""Keys that may be on the screen and not on the disk: 50 ms at 25 keys a second, and one on its
way.
"""

_AT_REST = re.compile(r"\b(ready|not connected)\b")


class Report:
    """The outcome of a row. Serialises to a line of JSON."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.broke: list[str] = []
        self.screen = ""
        self.figures: dict[str, float] = {}
        self.left: list[str] = []
        """What is in the temporary folder at the end."""

    def line(self) -> str:
        """Return it as JSON."""
        said = {
            "row": self.row,
            "broke": self.broke,
            "figures": self.figures,
            "left": self.left,
            "screen": self.screen,
        }
        return json.dumps(said)


class Stage:
    """What a row has around it. Use `play`."""

    terminal: Terminal

    def __init__(self, row: Row, folder: Path) -> None:
        self.row = row
        self.draw = random.Random(row.seed)
        self.report = Report(row)
        self.disk = Disk(row, folder)
        self.root, self.home, self.temporary = (
            self.disk.folder / "workspace",
            self.disk.folder / "home",
            folder / "tmp",
        )
        self.api = ScriptedApi()
        self.end_by_kill = self.draw.random() < 0.5
        self._tasks: list[asyncio.Task[None]] = []
        self._typed = ""

    # ── What states and faults work with ──────────────────────────────────────────────────────────

    def broke(self, what: str) -> None:
        """Note what broke, with what is on the screen."""
        self.report.broke.append(what)
        self.report.screen = self.report.screen or self.terminal.text()

    def background(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something happen until the fault has come."""
        self._tasks.append(asyncio.create_task(work))

    async def send(self, text: str) -> None:
        """Send a prompt, or run a command."""
        self.terminal.type(text)
        await self.terminal.wait_for(text)
        self.terminal.type("\r")

    def type_key(self, key: str) -> None:
        """Type a letter of the draft."""
        self._typed += key
        self.terminal.type(key)

    def typed_on_screen(self) -> str:
        """Return as much of what was typed as is on the screen."""
        shown = _flat(self.terminal.text())
        return next(
            (
                self._typed[:end]
                for end in range(len(self._typed), 0, -1)
                if _flat(self._typed[:end]) in shown
            ),
            "",
        )

    def clis(self) -> list[psutil.Process]:
        """The CLI."""
        return [
            one
            for one in self.terminal.processes()
            if any(word.endswith("/claude") for word in _words(one)[:1])
        ]

    def launchers(self) -> list[psutil.Process]:
        """The resident starter of commands: the parent of the rooms."""
        return [
            one
            for one in self._children()
            if any("wall/starter.py" in word for word in _words(one))
        ]

    def workers(self) -> list[psutil.Process]:
        """What else the application started itself, but for what watches over its end."""
        known = {*self.clis(), *self.launchers()}
        return [one for one in self._children() if one not in known and _words(one)[0] != "/bin/sh"]

    def _children(self) -> list[psutil.Process]:
        with suppress(psutil.Error):
            return [
                one for one in psutil.Process(self.terminal.process.pid).children() if _words(one)
            ]
        return []

    def changed_parts(self) -> int:
        """How many files of the commit are there as the command left them; notes those that are
        neither.
        """
        changed = 0
        for number in range(FILES):
            text = (self.root / f"part{number}.md").read_text(encoding="utf-8")
            changed += text != OLD
        return changed

    async def end_endpoint(self) -> None:
        """Have nobody listen where the endpoint was."""
        self.network.upstream = 9
        self.network.become("cut")
        await self.api.__aexit__(None, None, None)

    async def begin_endpoint(self) -> None:
        """Have the endpoint again, on another port."""
        await self.api.__aenter__()
        self.network.upstream = _port(self.api)

    def answers(self) -> None:
        """Have every request answered from now on."""
        self.api.unscript()
        self.answers_after_script()

    def answers_after_script(self) -> None:
        """Have what is not scripted answered, each prompt with a word of its own."""
        self.api.otherwise(lambda request: (ReplyText(_heard(request.last_user_text())),))

    @property
    def _spoiled(self) -> bool:
        return self.row[1:3] == ("disk", "garbage")

    # ── The row ───────────────────────────────────────────────────────────────────────────────────

    async def play(self) -> Report:
        """Play the row to its end and return the result."""
        await asyncio.to_thread(self._furnish)
        try:
            async with self.api, Network(_port(self.api), self.draw) as self.network:
                self.answers()
                dogent = Dogent(_Way(self.network.base_url, self.api.token), self.root, self.home)
                (self.home / ".dogent" / "claude.json").chmod(0o600)
                await self._before(dogent)
                if self.disk.is_broken:
                    await asyncio.to_thread(self.disk.repair)
                if self._spoiled:
                    self._spoil()
                await self._after(dogent)
                self._look_at_disk()
        finally:
            await asyncio.to_thread(self.disk.unmount)
        return self.report

    def _furnish(self) -> None:
        self.disk.mount()
        for folder in (self.root, self.home, self.temporary):
            folder.mkdir()
        (self.root / "keep.md").write_text("kept\n", encoding="utf-8")
        paragraphs = "\n\n".join(f"Paragraph {number} of *some* words." for number in range(4_000))
        (self.root / "notes.md").write_text(f"# Notes\n\n{paragraphs}\n", encoding="utf-8")
        if (self.row.state, self.row.victim) == ("tool", "worker"):
            _write_long_pdf(self.root / "long.pdf")

    async def _before(self, dogent: Dogent) -> None:
        """Get to the state, strike, and look at what is there while and after."""
        state, connecting = STATE[self.row.state], self.row.state == "connecting"
        async with dogent.open(
            size=SIZE, ready=not connecting, TMPDIR=str(self.temporary)
        ) as self.terminal:
            if connecting:
                await self.terminal.wait_for(EMPTY)
            else:
                self.api.call(
                    "Write", {"file_path": str(self.root / "made.md"), "content": "made\n"}
                )
                self.api.say(NOTED)
                self.answers_after_script()
                await self.send(FIRST)
                await self.terminal.wait_for(NOTED, "ready")
            await state.reach(self)
            await asyncio.sleep(self.draw.uniform(0, 0.4))
            self._expect()
            known = self.terminal.processes()
            if self.disk.is_broken:
                await asyncio.to_thread(self.disk.sync)
            heal = await strike(self)
            self._stop_background()
            await self._live_on(heal)
            await self._end(known)

    def _expect(self) -> None:
        """Note what is on the screen, which must not be lost."""
        text = self.terminal.text()
        # what was streamed of an unfinished reply is dropped, and comes again
        retried = self.row.victim in ("endpoint", "network")
        self._shown_word = 0 if retried else last_word(text)
        self._shown_typed = self.typed_on_screen()
        taken_back = self.row.state == "rewind"
        self._shown_prompts = [
            prompt for prompt in (FIRST, SECOND) if f"▌ {prompt}" in text and not taken_back
        ]

    @property
    def _app_ends(self) -> bool:
        return self.row.state == "closing" or (self.row.victim, self.row.fault) in (
            ("application", "kill"),
            ("terminal", "kill"),
        )

    async def _live_on(self, heal: Any) -> None:
        """Press Esc while the fault lasts, have it pass, and send another prompt."""
        if self._app_ends:
            await heal()
            return
        if self._is_asked_later:
            self._stop_background()
            await self._rest()
            await self.send(SECOND)
            self._shown_prompts.append(SECOND)
            await asyncio.sleep(self.draw.uniform(0.2, 3.0))
        blind = self.row.victim in ("application", "terminal")
        if blind:
            await heal()
        await self._escape()
        starts = self.row.state == "connecting"  # the process of the agent needs room to start
        if not blind and (starts or self.row[1:3] != ("disk", "full")):
            await heal()
        if self.row.state == "rewind":  # it puts the prompt back when it is done
            with suppress(AssertionError):
                await self.terminal.until(
                    lambda: f"› {FIRST}" in self.terminal.text(), "the end of the rewind", 5
                )
        await self._rest()
        self.answers()
        await self._ask("and now okapi")
        self._shown_prompts += [] if self.disk.is_broken else ["and now okapi"]
        if self.row[1:3] == ("disk", "full"):  # what is said while it lasts is kept, too
            await heal()
            await self.terminal.wait_without("not saved")

    @property
    def _is_asked_later(self) -> bool:
        """Whether the agent is asked only while the fault lasts: where nobody asks, an endpoint
        cannot fail.
        """
        return self.row.state in ("idle", "typing") and self.row.victim in ("endpoint", "network")

    def _stop_background(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _escape(self) -> None:
        """Press Esc, or where it does nothing a letter, and note how long it takes until one
        sees what it did.
        """
        state = STATE[self.row.state]
        if state.asks:
            await asyncio.sleep(1.2)  # a question takes no key from a user who was typing
        key, seen = self._what_escape_does()
        began = time.monotonic()
        while time.monotonic() - began < ESCAPE_S and not self.terminal.ended:
            self.terminal.type(key)
            with suppress(AssertionError):
                await self.terminal.until(
                    seen, "Esc", 1.0 if time.monotonic() - began < 2 else ESCAPE_S
                )
            self.report.figures["esc_s"] = round(time.monotonic() - began, 3)
            if seen():
                return
        self.broke(f"not within {ESCAPE_S:g} s: what Esc does")

    def _what_escape_does(self) -> tuple[str, Callable[[], bool]]:
        """Return the key, and what is seen once it has done its work."""
        state = STATE[self.row.state]
        if self.row.state == "export":
            return ESCAPE, lambda: "Esc stops it" not in self.terminal.text()
        if state.runs or self._is_asked_later:
            return ESCAPE, self._at_rest
        if state.asks:
            return ESCAPE, lambda: state.asks not in self.terminal.text()
        marks = self.terminal.text().count("~")
        return "~", lambda: self.row.state == "rewind" or self.terminal.text().count("~") > marks

    def _at_rest(self) -> bool:
        return any(_AT_REST.search(line) for line in self.terminal.text().split("\n")[-3:])

    async def _rest(self) -> None:
        """Leave whatever is asked, and have an empty prompt before an agent at rest."""
        for _ in range(40):
            text = self.terminal.text()
            if self.terminal.ended:
                raise AssertionError("The application has ended")
            if "Rewind to before" in text or "What should be restored?" in text:
                self.terminal.type(ESCAPE)
            elif (
                EMPTY in text
                and self._at_rest()
                and "keeps waiting" not in text
                and "F2" not in text
            ):
                return
            elif "Allow once" in text:
                self.terminal.type("\r")
            elif "F2" in text and EMPTY in text:
                self.terminal.type("\x1bOQ")
            elif "a Accept" in text:
                self.terminal.type("R\r" if "Review of" in text else "a")
            elif "^X" in text or "Ctrl+X" in text:
                self.terminal.type("\x18\x18")
            elif "›" in text and EMPTY not in text:
                self.terminal.type(CTRL_C)
            await asyncio.sleep(0.7)
        raise AssertionError("The application does not come to rest")

    async def _ask(self, prompt: str) -> None:
        """Send another prompt, and look at what the model is told with it."""
        word, asked = prompt.split()[-1], len(self.api.requests)
        await self.send(prompt)
        answer = _heard(prompt)

        def said() -> bool:
            """An agent that had not started before the disk broke can't: that is said."""
            below = self.terminal.text().rpartition(prompt)[2]
            refused = self.disk.is_broken and "Make the disk writable" in below
            return (answer in self.terminal.text() or refused) and self._at_rest()

        await self.terminal.until(said, f"the answer to “{prompt}”")
        if answer in self.terminal.text():
            self._told(word, asked)

    async def _end(self, known: list[psutil.Process]) -> None:
        """End the application where it has not ended, and see that nothing outlives it."""
        known = (
            list({*known, *self.terminal.processes()})
            if self.terminal.process.returncode is None
            else known
        )
        if not self._app_ends:
            if self.end_by_kill:
                self.terminal.signal(signal.SIGKILL)
            else:
                self.terminal.type("/exit\r")
        try:
            await asyncio.wait_for(self.terminal.process.wait(), 15)
        except TimeoutError:
            self.broke("the application does not end")
            self.terminal.signal(signal.SIGKILL)
            await self.terminal.process.wait()
        began = time.monotonic()
        try:
            await eventually(lambda: not self._left(known), "no process left", AFTER_S)
        except AssertionError:
            left = [f"{' '.join(_words(one))[:90]}" for one in self._left(known)]
            self.broke(f"still alive after {AFTER_S:g} s: {left}")
        self.report.figures["alive_s"] = round(time.monotonic() - began, 3)

    def _left(self, known: list[psutil.Process]) -> list[psutil.Process]:
        found = set()
        for process in {*known, *self.terminal.processes()}:
            with suppress(psutil.Error):
                if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                    found.add(process)
        return list(found)

    # ── Afterwards ────────────────────────────────────────────────────────────────────────────────

    async def _after(self, dogent: Dogent) -> None:
        """Take the conversation up again: what was seen is there, and the model knows of it."""
        self.answers()
        recorded = any((self.home / ".dogent" / "state" / "sessions").rglob("*.jsonl"))
        arguments = ["--continue"] if recorded else []
        async with dogent.open(
            *arguments, size=(100, 50), ready=False, TMPDIR=str(self.temporary)
        ) as self.terminal:
            asks = STATE[self.row.state].asks
            await self.terminal.until(
                lambda: self._at_rest() or (asks and asks in self.terminal.text()),
                "the application again",
            )
            self._look_at_screen()
            await self._rest()
            await self._ask("at last gnu")
            self.terminal.type("/exit\r")
            await self.terminal.exited()

    def _look_at_screen(self) -> None:
        text = _flat(self.terminal.text())
        for prompt in self._shown_prompts:
            if prompt not in text:
                self.broke(f"a prompt that was shown is gone: {prompt}")
        if last_word(self.terminal.text()) < self._shown_word:
            self.broke(f"shown w{self._shown_word}, kept w{last_word(self.terminal.text())}")
        if self._shown_typed and self._app_ends:
            kept = self.typed_on_screen()
            self.report.figures["keys_lost"] = len(self._shown_typed) - len(kept)
            if len(self._shown_typed) - len(kept) > _UNSAVED_KEYS:
                self.broke(f"typed and lost: “{self._shown_typed[len(kept) :]}”")

    def _told(self, word: str, asked: int) -> None:
        """What the model is told with the request that holds `word`."""
        requests = [
            request for request in self.api.requests[asked:] if word in request.last_user_text()
        ]
        if not requests:
            self.broke(f"no request holds “{word}”")
            return
        said = str(requests[-1].messages)
        if self.row.state == "rewind":
            return
        stopped = self.row.state == "connecting" and not self._app_ends  # before it was sent
        expected = [prompt for prompt in self._shown_prompts if not stopped or prompt != SECOND]
        expected += [NOTED] if FIRST in expected else []
        expected += [_heard("okapi")] if "and now okapi" in expected else []
        for words in expected:
            if words not in said:
                self.broke(f"the model is not told of “{words}” with “{word}”")
        if self._shown_word and f"w{self._shown_word}" not in said:
            self.broke(
                f"the model is not told of “w{self._shown_word}”, which was shown, with “{word}”"
            )
        calls = {call.id for message in requests[-1].messages for call in message.tool_calls}
        if calls != {
            result.tool_use_id
            for message in requests[-1].messages
            for result in message.tool_results
        }:
            self.broke("a call without a result is sent to the model")

    def _spoil(self) -> None:
        """What a power cut leaves in files that were just written."""
        files = [
            *(self.home / ".dogent" / "state").rglob("*.jsonl"),
            self.root / ".dogent" / "history.json",
        ]
        for file in files:
            if file.is_file() and "claude" not in file.parts:
                with file.open("ab") as spoiled:
                    spoiled.write(
                        self.draw.choice(
                            [b'{"type": "text_fin', b"\0" * 3_000, b"\xff\xfe\x00 no JSON", b"{}["]
                        )
                    )

    def _look_at_disk(self) -> None:
        """Every file is whole, and nothing lies where nothing belongs."""
        files = [file for file in (*self.root.rglob("*"), *self.home.rglob("*")) if file.is_file()]
        if not self._spoiled:
            for file in files:
                self._look_at_file(file)
        for file in self.root.glob("part*.md"):
            if file.read_text(encoding="utf-8") not in (OLD, NEW):
                self.broke(f"damaged: {file.name}")
        allowed = {
            "keep.md",
            "notes.md",
            "notes.pdf",
            "made.md",
            "new.txt",
            "long.pdf",
            "begun.md",
            ".dogent",
        }
        strays = [
            each.name
            for each in self.root.iterdir()
            if each.name not in allowed and not each.name.startswith("part")
        ]
        if strays:
            self.broke(f"strays in the workspace: {strays}")
        if (self.root / "keep.md").read_text(encoding="utf-8") != "kept\n":
            self.broke("keep.md was changed without an answer")
        jobs = list((self.home / ".dogent" / "state" / "wall").glob("*/jobs/*"))
        if jobs:
            self.broke(f"layers left behind: {len(jobs)}")
        self.report.left = sorted(
            {re.sub(r"[0-9a-f-]{4,}", "…", each.name) for each in self.temporary.iterdir()}
        )

    def _look_at_file(self, file: Path) -> None:
        name = file.relative_to(self.disk.folder)
        # the CLI reads over what it could not write
        if file.suffix in (".json", ".jsonl") and "claude" not in file.parts:
            text = file.read_bytes()
            for number, line in enumerate(
                text.split(b"\n") if file.suffix == ".jsonl" else [text], 1
            ):
                if line.strip() and not _is_json(line):
                    self.broke(f"{name}, line {number} is no JSON: {line[:60]!r}")
        if file.suffix == ".tmp" or ".broken-" in file.name:
            self.broke(f"left behind: {name}")


class _Way:
    """Where the endpoint is found: what a profile is made of."""

    def __init__(self, base_url: str, token: str) -> None:
        self.base_url = base_url
        self.token = token


async def play(row: Row) -> Report:
    """Play a row. Whatever it cannot get through is a failure of the row."""
    stage = Stage(row, Path(tempfile.mkdtemp(prefix="dogent-faults-")))
    began = time.monotonic()
    try:
        await asyncio.wait_for(stage.play(), 150)
    except (AssertionError, TimeoutError, OSError, psutil.Error) as error:
        words = str(error).split("\n", 1)
        stage.report.broke.append(f"{type(error).__name__}: {words[0]}")
        if not stage.report.screen and hasattr(stage, "terminal"):
            stage.report.screen = stage.terminal.text()
    stage.report.figures["row_s"] = round(time.monotonic() - began, 1)
    return stage.report


def _flat(text: str) -> str:
    """Return what is said without line breaks and blanks, so that a wrapped line is found."""
    lines = (line.split("▏")[0] for line in text.split("\n"))
    return " ".join(" ".join(lines).split()).replace("▌ ", "")


def _words(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return process.cmdline()
    return []


def _heard(prompt: str) -> str:
    return next(
        (f"Heard of the {animal}." for animal in ("gnu", "okapi") if animal in prompt), AGAIN
    )


def _port(api: ScriptedApi) -> int:
    return int(api.base_url.rpartition(":")[2])


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _write_long_pdf(path: Path) -> None:
    import pymupdf

    with pymupdf.open() as pdf:
        for number in range(1_500):
            page = pdf.new_page()
            page.insert_text((72, 72), f"Page {number}. " + "Some words. " * 6)
        pdf.save(path)
