"""Reading documents page by page, through the real worker: what is given, kept, shared, and what
ends it.
"""

import asyncio
import contextlib
import os
import stat
import time

import psutil
import pytest

from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.documents.messages import Finished, Request
from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.workers import Limits, Workers
from tests.documents import hostile

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "conversions"


@pytest.fixture
async def library(folder):
    async with DocumentLibrary(folder, full_page_s=60) as library:
        yield library


@pytest.fixture
def open_hostile(folder, tmp_path):
    """A library whose reader does what the file says, one thing a line; and a way to write the
    file.
    """

    def opened(*doing, **limits):
        path = tmp_path / "hostile.txt"
        path.write_text("\n".join(doing), encoding="utf-8")
        return DocumentLibrary(folder, Workers(Limits(**limits), hostile.command())), path

    return opened


def children():
    return {process.pid for process in psutil.Process().children(recursive=True)}


async def until(holds):
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def whole(library, path, **more):
    """Read a document part by part."""
    text, offset = "", 0
    while offset is not None:
        found = await library.read(path, offset=offset, **more)
        assert found.offset == offset
        text += found.text
        offset = found.next_offset
    assert found.total_chars == len(text)
    return text


async def test_a_short_document_is_one_page(library, tmp_path):
    (tmp_path / "a.md").write_text("# Report\n\nVisits rose.\n", encoding="utf-8")
    found = await library.read(tmp_path / "a.md")
    assert (found.text, found.format, found.offset, found.next_offset) == (
        "# Report\n\nVisits rose.",
        "markdown",
        0,
        None,
    )
    assert (found.total_chars, found.warnings, found.metadata["encoding"]) == (
        len(found.text),
        (),
        "utf-8",
    )
    assert [shown.source.headings for shown in found.sources] == [("Report",), ("Report",)]


async def test_all_parts_are_the_document_now_and_in_a_later_process(library, folder, tmp_path):
    text = "\n\n".join(
        f"Paragraph {number}. {'word ' * (number % 90)}".strip() for number in range(3000)
    )
    path = tmp_path / "long.txt"
    path.write_text(text + "\n", encoding="utf-8")
    assert await whole(library, path, max_chars=10_000) == text
    assert [
        stat.S_IMODE(folder.stat().st_mode),
        *{stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()},
    ] == [
        0o700,
        0o600,
    ]
    before = children()
    async with DocumentLibrary(folder, full_page_s=60) as later:
        assert await whole(later, path, max_chars=100_000) == text
        assert children() == before  # nothing was converted


@pytest.mark.parametrize(
    ("asked", "start", "warns"),
    [({"offset": -5}, 0, False), ({"offset": 4}, 4, False), ({"offset": 99}, 10, True)],
)
async def test_offsets_that_nobody_named(library, tmp_path, asked, start, warns):
    (tmp_path / "a.txt").write_text("0123456789", encoding="utf-8")
    found = await library.read(tmp_path / "a.txt", **asked)
    assert (found.offset, found.text, found.next_offset) == (start, "0123456789"[start:], None)
    assert any("past the end" in warning for warning in found.warnings) is warns


async def test_how_much_is_asked_for_is_kept_in_bounds(library, tmp_path):
    (tmp_path / "a.txt").write_text("x" * 5000, encoding="utf-8")
    assert len((await library.read(tmp_path / "a.txt", max_chars=-1)).text) == 200
    assert len((await library.read(tmp_path / "a.txt", max_chars=10**12)).text) == 5000


async def test_a_file_that_changed_is_converted_anew(library, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old " * 100, encoding="utf-8")
    first = await library.read(path, max_chars=200)
    path.write_text("new " * 100, encoding="utf-8")
    os.utime(path, ns=(time.time_ns(), time.time_ns() + 10**9))
    second = await library.read(path, max_chars=200, offset=first.next_offset)
    assert "new" in second.text
    assert "changed since" in second.warnings[0]
    assert (await library.read(path, offset=200)).warnings == ()


async def test_two_readers_share_a_conversion(open_hostile):
    library, path = open_hostile("slow 3", "say done")
    async with library:
        found = await asyncio.gather(*(library.read(path) for _ in range(5)))
        assert len({one.metadata["worker"] for one in found}) == 1
        assert found[0].text == "slow\n\ndone"


async def test_the_first_page_comes_before_the_end_and_the_rest_without_being_asked_for(
    open_hostile, tmp_path
):
    library, path = open_hostile("lines 2000", "slow 8", "say done")
    async with library:
        found = await library.read(path)
        assert found.total_chars is None
        assert found.next_offset == len(found.text)
        again = await library.read(path, offset=10**9)
        assert again.total_chars is not None
        assert (await library.read(path, offset=again.total_chars - 4)).text == "done"


async def test_no_process_is_left_when_a_reader_is_cancelled_at_its_very_end(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("Visits rose.", encoding="utf-8")
    before, workers, finished = children(), Workers(Limits()), asyncio.Event()

    async def read():
        request = Request(bytes(path), ReadOptions())
        async with contextlib.aclosing(workers.convert(path, request, path)) as said:
            async for messages in said:
                if isinstance(messages[-1], Finished):
                    finished.set()

    reading = asyncio.create_task(read())
    await finished.wait()
    reading.cancel()
    await asyncio.wait([reading])
    await workers.close()
    await until(lambda: children() <= before)


async def test_a_document_that_trickles_in_gives_a_shorter_page_in_time(folder, open_hostile):
    """Silence never lasts in it, so no limit would end it for minutes."""
    made, path = open_hostile("say one", "say two", "slow 12", "say last")
    await made.close()
    async with DocumentLibrary(
        folder, Workers(Limits(), hostile.command()), full_page_s=0.5
    ) as library:
        first = await library.read(path)
        assert first.text in {"one", "one\n\n"}  # the last block may continue
        assert first.total_chars is None
        assert (
            first.text + await whole_from(library, path, first.next_offset)
            == "one\n\ntwo\n\nslow\n\nlast"
        )


async def whole_from(library, path, offset):
    text = ""
    while offset is not None:
        found = await library.read(path, offset=offset)
        text, offset = text + found.text, found.next_offset
    return text


async def test_progress_is_told_from_one_second_on(open_hostile):
    told = []
    library, path = open_hostile("slow 15")
    async with library:
        await library.read(path, on_progress=lambda *how_far: told.append(how_far))
    known = [how_far for how_far in told if how_far != (0, 0, "")]  # its worker may begin late
    assert known
    assert all(total == 15 and what == "pages" for _, total, what in known)


async def test_a_document_is_read_where_other_programs_have_the_processor(
    open_hostile, monkeypatch
):
    """Half a minute passes while its worker does nothing."""
    loop = asyncio.get_running_loop()
    library, path = open_hostile("slow 15")
    async with library:
        found = await library.read(
            path,
            on_progress=lambda *_: monkeypatch.setattr(loop, "time", lambda: time.monotonic() + 30),
        )
    assert found.text == "slow"


HANGS = {"silence_s": 3.0}
"""Long enough for what the next document says on a busy machine."""


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(
    ("doing", "limits", "code", "words"),
    [
        ("hang", HANGS, "timeout", "takes too long"),
        ("hang-natively", HANGS, "timeout", "takes too long"),
        ("work", {"cpu_s": 0.3}, "timeout", "takes too long"),
        ("crash", {}, "damaged", "SIGSEGV"),
        ("leave", {}, "damaged", "status 3"),
        ("raise-plainly key", {}, "damaged", "KeyError: 'key'"),
        ("miss", {}, "engine_missing", "no_such_library is missing. Reinstall"),
        ("recurse", {}, "hostile", "memory limit"),
        ("eat", {}, "hostile", "memory limit"),
        ("children-that-eat 2", {"memory_bytes": 150 << 20}, "hostile", "memory limit"),
        ("refuse Unsupported.", {}, "scanned", "Unsupported. Try another."),
    ],
)
async def test_what_goes_wrong_is_a_sentence_and_leaves_nothing_behind(
    open_hostile, folder, doing, limits, code, words
):
    before = children()
    library, path = open_hostile(doing, **limits)
    async with library:
        with pytest.raises(DocumentError) as raised:
            await library.read(path)
        assert (raised.value.code, words in str(raised.value)) == (code, True)
        path.write_text("say better", encoding="utf-8")  # and the next document is read
        assert (await library.read(path)).text == "better"
    await until(lambda: children() <= before)
    assert len(list(folder.iterdir())) == 1


async def test_what_was_read_before_it_went_wrong_is_given(open_hostile):
    library, path = open_hostile("say good", "crash")
    async with library:
        found = await library.read(path)
        assert (found.text, found.next_offset, found.total_chars) == ("good", None, None)
        assert "The rest could not be read" in found.warnings[0]


async def test_what_libraries_print_is_not_taken_for_an_answer(open_hostile):
    library, path = open_hostile("noise", "surrogate")
    async with library:
        assert (await library.read(path)).text == "after the noise\n\na?b"


async def test_a_worker_is_used_again_and_one_that_was_killed_meanwhile_is_not_missed(open_hostile):
    library, path = open_hostile("say one")
    before = children()
    async with library:
        first = (await library.read(path)).metadata["worker"]
        path.write_text("say second", encoding="utf-8")
        assert (await library.read(path)).metadata["worker"] == first
        path.write_text("refuse Unsupported.", encoding="utf-8")
        with pytest.raises(DocumentError):
            await library.read(path)
        path.write_text("say once more", encoding="utf-8")
        assert (await library.read(path)).metadata["worker"] == first
        for pid in children() - before:
            with contextlib.suppress(psutil.NoSuchProcess):
                psutil.Process(pid).kill()
        await until(lambda: children() <= before)
        path.write_text("say the third", encoding="utf-8")
        assert (await library.read(path)).text == "the third"


async def test_who_is_cancelled_ends_what_nobody_else_waits_for(open_hostile):
    library, path = open_hostile("child 600.1", "hang")
    async with library:
        reading = asyncio.create_task(library.read(path))
        other = asyncio.create_task(library.read(path))
        await until(lambda: sleeping(psutil.Process(), "600.1"))
        pid = sleeping(psutil.Process(), "600.1")
        reading.cancel()
        await asyncio.wait([reading])
        assert psutil.pid_exists(pid)
        other.cancel()
        await asyncio.wait([other])
        await until(lambda: pid not in children() and not alive(pid))


def sleeping(process, seconds):
    """Return the process among those below `process` that sleeps so long, 0 if there is none."""
    for child in process.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if child.cmdline() == ["sleep", seconds]:
                return child.pid
    return 0


def alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


KILLED = """
import asyncio, sys
from pathlib import Path
from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.documents.workers import Limits, Workers
from tests.documents import hostile

async def main():
    async with DocumentLibrary(Path(sys.argv[1]), Workers(Limits(), hostile.command())) as library:
        await library.read(Path(sys.argv[2]))

asyncio.run(main())
"""


async def test_the_worker_ends_with_an_application_that_is_killed(tmp_path, folder):
    path = tmp_path / "a.txt"
    path.write_text("child 600.2\nhang", encoding="utf-8")
    root = hostile.THIS.parents[2]
    process = await asyncio.create_subprocess_exec(
        hostile.sys.executable,
        "-c",
        KILLED,
        folder,
        path,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    await until(lambda: sleeping(psutil.Process(process.pid), "600.2"))
    started = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
    assert len(started) > 1
    process.kill()
    await process.wait()
    await until(lambda: not any(map(alive, started)))


@pytest.mark.parametrize("name", ["missing.md", "a.txt/b", "folder", "pipe", "a\0b", "locked.txt"])
async def test_what_is_no_file_to_read(library, tmp_path, name):
    (tmp_path / "a.txt").touch()
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    if name == "locked.txt":
        (tmp_path / name).touch(mode=0)
        if os.access(tmp_path / name, os.R_OK):  # root may read everything
            (tmp_path / name).unlink()
    with pytest.raises(DocumentError) as raised:
        await library.read(tmp_path / name)
    assert raised.value.remedy


async def test_what_does_not_apply_is_told(library, tmp_path):
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    found = await library.read(tmp_path / "a.txt", ReadOptions(sheet="S", pages="2"))
    assert [word in "".join(found.warnings) for word in ("sheets", "pages")] == [True, True]
