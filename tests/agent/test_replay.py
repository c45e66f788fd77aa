"""Reading an earlier conversation back."""

from pathlib import Path

from dogent_tui.agent.events import (
    Event,
    MessageDropped,
    Prompt,
    RunFinished,
    RunStarted,
    TextDelta,
    TextFinished,
    ToolOutput,
    ToolResult,
    ToolUse,
)
from dogent_tui.agent.replay import replay_log
from dogent_tui.records import to_json


def written(folder: Path, *events: Event) -> Path:
    log = folder / "log.jsonl"
    log.write_text("".join(f"{to_json(event)}\n" for event in events), encoding="utf-8")
    return log


def test_pieces_whose_whole_text_follows_are_left_out_but_the_first(tmp_path):
    start = RunStarted(
        prompt=Prompt('{"type": "text_delta", "message_id": "a", "block": 0'), run_id="r"
    )
    first = TextDelta(message_id="a", block=0, text='"message_id": "other"', run_id="r")
    other = TextDelta(message_id="a", block=1, text="another block, cut short")
    use = ToolUse(tool_use_id="t", name="Shell", input={"command": "ls"})
    output = ToolOutput(tool_use_id="t", text="one")
    whole = TextFinished(message_id="a", block=0, text="whole")
    result = ToolResult(tool_use_id="t", content="one\ntwo")
    end = RunFinished(status="completed", duration_ms=1)
    more = TextDelta(message_id="a", block=0, text=" more")
    log = written(
        tmp_path,
        start,
        first,
        more,
        more,
        whole,
        other,
        other,
        use,
        output,
        ToolOutput(tool_use_id="t", text="two"),
        result,
        end,
    )
    assert replay_log(log)[0] == [
        start,
        first,
        whole,
        other,
        other,
        use,
        output,
        result,
        end,
    ]


def test_what_was_cut_short_is_all_there(tmp_path):
    events = [
        TextDelta(message_id="a", block=0, text="Half of "),
        TextDelta(message_id="a", block=0, text="a sen"),
        MessageDropped(message_id="a"),
        ToolOutput(tool_use_id="t", text="one"),
        ToolOutput(tool_use_id="t", text="two"),
    ]
    log = written(tmp_path, *events)
    log.write_text(log.read_text() + "no JSON\n" + '{"type": "of a newer version"}\n' + "cut sho")
    *read, gap = replay_log(log)[0]
    assert read == events
    assert (gap.type, gap.code) == ("notice", "gap")
