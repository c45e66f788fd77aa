"""What comes from the terminal becomes keys and pastes, however it is cut into pieces and
whatever is in it.
"""

import os
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.drivers._writer_thread import WriterThread
from textual.message import Message

from dogent_tui.tui.textual_fixes.driver import LastingOutput, TerminalInput

WHITE = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
MARKED = "\x1b[200~{}\x1b[201~"


def read(*pieces: str) -> list[Message]:
    terminal = TerminalInput()
    return [message for piece in pieces for message in terminal.feed(piece)]


def seen(messages: list[Message]) -> list[str]:
    return [
        message.text if isinstance(message, events.Paste) else message.key for message in messages
    ]  # type: ignore[attr-defined]


def test_keys_and_pastes_come_in_the_order_typed():
    assert seen(read(f"a{MARKED.format('two words')}b\r")) == ["a", "two words", "b", "enter"]
    assert seen(read(MARKED.format("") + MARKED.format("x"))) == ["", "x"]
    assert seen(read("\u8336\u200c", "\U0001f3f3\ufe0f\u200d"))[1::3] == ["\u200c", "\u200d"]


@pytest.mark.parametrize(
    "pasted",
    [
        "\x1b",
        "\x1b[31mred\x1b[0m",
        "\x1b" * 50,
        "a\x1b[200~b",
        "\x1b[20",
        "\x1b" + "long " * 30 + "\r\x11",
        "\x07\r",
    ],
)
def test_a_paste_is_never_read_as_keys(pasted):
    assert seen(read(MARKED.format(pasted))) == [pasted]


def test_zero_bytes_are_left_out_of_a_paste():
    assert seen(read(MARKED.format("a\x00b"))) == ["ab"]


def test_a_long_paste_is_one_message():
    text = "line\r" * 200_000
    data = MARKED.format(text)
    assert seen(read(*(data[start : start + 4096] for start in range(0, len(data), 4096)))) == [
        text
    ]


@pytest.mark.parametrize(
    ("told", "lightness"),
    [
        (WHITE, 1.0),
        ("\x1b]11;rgb:00/00/00\x07", 0.0),
        ("\x1b]11;rgba:1e1e/1e1e/2e2e/ffff\x1b\\", 0.12),
        ("\x1b]11;rgb:f/f/f\x07", 1.0),
    ],
)
def test_how_light_the_background_is_comes_between_the_keys(told, lightness):
    before, color, after = read(f"a{told}b")
    assert seen([before, after]) == ["a", "b"]
    assert color.lightness == pytest.approx(lightness, abs=0.01)  # type: ignore[attr-defined]


@pytest.mark.parametrize("told", ["\x1b]11;?\x07", "\x1b]11;rgb:x/y/z\x07", "\x1b]11;\x1b\\"])
def test_a_color_that_cannot_be_read_is_passed_over(told):
    assert seen(read(f"{told}b")) == ["b"]


def test_a_color_that_never_ends_takes_no_more_than_a_color_can():
    assert seen(read("\x1b]11;" + "x" * 100, "b")) == ["b"]


@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                "\r",
                "é中",
                "\x1b[A",
                MARKED.format("p\x1b[q"),
                MARKED.format("[2"),
                "\x1b[<0;5;5M",
                WHITE,
            ]
        ),
        max_size=6,
    ),
    st.lists(st.integers(0, 60), max_size=6),
)
def test_pieces_do_not_matter(parts, cuts):
    data = "".join(parts)
    ends = sorted({cut for cut in cuts if cut < len(data)} | {len(data)})
    pieces = [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    whole, cut = ([repr(message) for message in read(*given)] for given in ([data], pieces))
    assert cut == whole


@given(st.text())
def test_nothing_that_a_terminal_sends_is_an_error(text):
    read(text, f"\x1b[{text}", f"\x1b[<{text}M", f"\x1b[{text}u", "a")


def test_after_a_malformed_sequence_keys_are_read_as_before():
    assert seen(read("\x1b[97;5:3uok", "ok")) == ["o", "k", "o", "k"]


def test_a_lone_escape_is_a_key_once_nothing_follows():
    terminal = TerminalInput()
    assert seen(list(terminal.feed("\x1b"))) == []
    found: list[Message] = []
    while not found:
        found = list(terminal.tick())
    assert seen(found) == ["escape"]


def test_a_terminal_that_is_gone_takes_whatever_is_written():
    ours, theirs = os.openpty()
    os.close(ours)
    gone = os.fdopen(theirs, "w", encoding="utf-8")
    writer = WriterThread(LastingOutput(gone))
    writer.start()
    for _ in range(100):
        writer._queue.put("x" * 1000, timeout=60)
    writer.stop()
    assert not writer.is_alive()
    with suppress(OSError):  # what could not be written is tried once more
        gone.close()
