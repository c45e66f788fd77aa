"""The Markdown files of one workspace: a process handles one request at a time, and is killed if it
takes too long.
"""

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from dogent_tui.language import tr
from dogent_tui.markdown_search.markdown_file import MarkdownFile, read_markdown
from dogent_tui.markdown_search.model import (
    IGNORED_FOLDERS,
    Answer,
    Failed,
    FindFiles,
    FoundContent,
    FoundFiles,
    FoundTree,
    ListTree,
    MarkdownSearchError,
    Request,
    Scope,
    SearchContent,
)
from dogent_tui.markdown_search.worker import worker_command
from dogent_tui.processes import end_tree, talk_process
from dogent_tui.storage.paths import Workspace
from dogent_tui.wall.own import walled

LIMIT_S = 20.0
"""Seconds after which a search is aborted."""
_IDLE_S = 300.0
_CHUNK = 262_144
_PASSED_ON = ("PATH", "HOME", "LANG", "XDG_CONFIG_HOME", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""The environment variables passed to the process: no keys. Git's global ignore file is in the home
folder.
"""

_Found = TypeVar("_Found", FoundFiles, FoundContent, FoundTree)


class MarkdownLibrary:
    """Reads, finds and searches the Markdown files of `workspace`."""

    def __init__(
        self,
        workspace: Workspace,
        ignored: Sequence[str] = (),
        private: Sequence[Path] = (),
        unsaved: Mapping[Path, str] = {},
    ) -> None:
        """Create a library.

        Args:
            ignored: Folders to leave out: names, or paths relative to the root that contain a
                ``/``.
            private: Folders that are never searched.
            unsaved: Unsaved texts of an editor, read instead of the files.
        """
        self._unsaved = unsaved
        self._workspace = workspace
        self._private = tuple(private)
        own = [os.path.realpath(folder) for folder in private]
        self._hidden = [folder for folder in own if Path(folder).is_relative_to(workspace.root)]
        hidden = [os.path.relpath(folder, workspace.root) for folder in self._hidden]
        self._scope = Scope(
            str(workspace.root),
            (
                *IGNORED_FOLDERS,
                *filter(None, map(str.strip, ignored)),
                *(f"/{folder}" for folder in hidden),
            ),
        )
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._retiring: asyncio.TimerHandle | None = None

    async def read(self, path: str) -> MarkdownFile:
        """Return a file, relative to the workspace or absolute. Raises MarkdownSearchError."""
        file = await asyncio.to_thread(read_markdown, self._workspace, path, self._private)
        text = self._unsaved.get(self._workspace.root / file.path)
        return (
            file
            if text is None
            else msgspec.structs.replace(file, content=text, size=len(text.encode()))
        )

    async def find(self, pattern: str = "", *, regex: bool = False) -> FoundFiles:
        """Return the files whose names match `pattern`, all if it is empty. Raises
        MarkdownSearchError.
        """
        return await self._ask(FindFiles(self._scope, _encodable(pattern), regex), FoundFiles)

    async def search(
        self, query: str, file_pattern: str = "", *, regex: bool = False
    ) -> FoundContent:
        """Return the matches of `query`. Raises MarkdownSearchError, also if it takes too long."""
        return await self._ask(
            SearchContent(self._scope, _encodable(query), _encodable(file_pattern), regex),
            FoundContent,
        )

    async def tree(self) -> FoundTree:
        """Return a description of the workspace. Raises MarkdownSearchError."""
        return await self._ask(ListTree(self._scope), FoundTree)

    async def close(self) -> None:
        """End the process."""
        if self._retiring is not None:
            self._retiring.cancel()
        process, self._process = self._process, None
        if process is not None:
            await asyncio.shield(end_tree(process))

    async def _ask(self, request: Request, kind: type[_Found]) -> _Found:
        async with self._turn:
            try:
                async with asyncio.timeout(LIMIT_S):
                    answer = await self._answer(request)
            except BaseException as error:  # whatever the request was, nobody will read the answer
                await self.close()
                if isinstance(error, TimeoutError):
                    raise _too_slow(request) from None
                raise
        if isinstance(answer, Failed):
            raise MarkdownSearchError(answer.message, answer.remedy)
        assert isinstance(answer, kind)
        self._retire_later()
        return answer

    async def _answer(self, request: Request) -> Answer:
        data = msgspec.json.encode(request) + b"\n"
        for _ in range(2):  # the process may have ended in the meantime
            process = self._process = self._process or await self._start()
            assert process.stdin is not None
            with contextlib.suppress(ConnectionError):
                process.stdin.write(data)
                await process.stdin.drain()
            line = await _line(process)
            if line.endswith(b"\n"):
                return msgspec.json.decode(line, type=Answer)  # type: ignore[no-any-return]
            await self.close()
        raise MarkdownSearchError(
            tr("The process that searches the workspace exited unexpectedly."),
            tr("Narrow the search, or try again."),
        )

    async def _start(self) -> asyncio.subprocess.Process:
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        try:
            command = await asyncio.to_thread(
                walled, worker_command(), readable=self._readable(), hidden=self._hidden
            )
            return await talk_process(command, cwd=Path("/"), env=environment)
        except OSError as error:
            raise MarkdownSearchError(
                tr(
                    "The workspace cannot be searched: {strerror}.",
                    strerror=error.strerror or error,
                ),
                tr("Try again."),
            ) from error

    def _readable(self) -> list[Path]:
        """Return what the process can see: the workspace, and Git's global ignore file."""
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        return [
            place for place in (settings / "git/ignore", self._workspace.root) if place.exists()
        ]

    def _retire_later(self) -> None:
        if self._retiring is not None:
            self._retiring.cancel()
        loop = asyncio.get_running_loop()
        self._retiring = loop.call_later(_IDLE_S, lambda: loop.create_task(self._retire()))

    async def _retire(self) -> None:
        async with self._turn:
            await self.close()


async def _line(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    parts: list[bytes] = []
    while not (parts and parts[-1].endswith(b"\n")) and (part := await process.stdout.read(_CHUNK)):
        parts.append(part)
    return b"".join(parts)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _too_slow(request: Request) -> MarkdownSearchError:
    if getattr(request, "regex", False):
        return MarkdownSearchError(
            tr("The regular expression takes too long; no result was reached."),
            tr("Avoid nested repeats, specify fewer files, or leave regex out."),
        )
    return MarkdownSearchError(
        tr("Searching the workspace takes too long."), tr("Search fewer files: set file_pattern.")
    )
