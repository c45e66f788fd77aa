"""What remains of a conversation after a rewind, and what the CLI's transcript says of where its
memory ends.
"""

import json
import uuid

import pytest

from dogent_tui.agent.cli_transcripts import (
    claude_config_dir,
    first_remembered,
    is_remembered,
    without_dropped,
)
from dogent_tui.agent.conversation import SessionChoice
from dogent_tui.agent.events import (
    MessageDropped,
    Prompt,
    Rewound,
    RunStarted,
    TextDelta,
    TextFinished,
    UsageChanged,
)
from dogent_tui.agent.turn_index import turn_index_of


def run(run_id: str, tokens: int):
    return (
        RunStarted(prompt=Prompt(f"ask {run_id}"), run_id=run_id),
        TextFinished(message_id=run_id, block=0, text=f"reply {run_id}", run_id=run_id),
        UsageChanged(context_tokens=tokens, run_id=run_id),
    )


def test_what_was_gone_back_over_is_not_part_of_the_course():
    course = turn_index_of([*run("a", 10), *run("b", 20), *run("c", 30)])
    assert course.runs_from("b") == ["b", "c"]
    course.hear(Rewound(to="b"))
    assert (course.said, course.context_tokens) == (
        [("The user", "ask a", "a"), ("You", "reply a", "a")],
        10,
    )
    assert (course.runs_from("b"), course.runs_from("a")) == ([], ["a"])
    for event in run("d", 15):
        course.hear(event)
    assert course.runs_from("a") == ["a", "d"]
    course.hear(Rewound(to="gone long ago"))
    assert course.runs_from("a") == ["a", "d"]
    course.hear(Rewound(to="a"))
    assert (course.said, course.context_tokens) == ([], 0)


def test_a_reply_that_was_cut_counts_as_far_as_it_came_and_one_that_comes_again_once():
    cut = (
        RunStarted(prompt=Prompt("ask a"), run_id="a"),
        TextDelta(message_id="m", block=0, text="half a "),
    )
    again = (MessageDropped(message_id="m"), TextDelta(message_id="n", block=0, text="a re"))
    assert turn_index_of(cut).said == [("The user", "ask a", "a"), ("You", "half a ", "m")]
    assert turn_index_of([*cut, *again]).said == [("The user", "ask a", "a"), ("You", "a re", "n")]
    whole = TextFinished(message_id="n", block=0, text="a reply", run_id="a")
    course = turn_index_of([*cut, *again, whole, *run("b", 1)])
    assert course.said[:3] == [
        ("The user", "ask a", "a"),
        ("You", "a reply", "n"),
        ("The user", "ask b", "b"),
    ]
    assert course.said_before("b") == course.said[:2]


SESSION = "11111111-1111-4111-8111-111111111111"


class Transcript:
    """A transcript as the CLI writes one: chains of entries."""

    def __init__(self) -> None:
        self.folder = claude_config_dir() / "projects" / "-w"
        self.folder.mkdir(parents=True)
        self.runs: dict[str, str] = {}
        self.last: str | None = None

    def say(self, name: str, after: str | None = "", **also) -> str:
        """Add a prompt and its reply; `after` another entry than the last one."""
        prompt, reply = str(uuid.uuid4()), str(uuid.uuid4())
        self.runs[name] = prompt.replace("-", "")[:12]
        self.write(
            {
                "type": "user",
                "uuid": prompt,
                "parentUuid": self.last if after == "" else after,
                **also,
            }
        )
        self.write({"type": "api-request"})
        self.write({"type": "assistant", "uuid": reply, "parentUuid": prompt})
        self.write(
            {
                "type": "assistant",
                "uuid": str(uuid.uuid4()),
                "parentUuid": prompt,
                "isSidechain": True,
            }
        )
        self.last = reply
        return reply

    def write(self, entry: object) -> None:
        with (self.folder / f"{SESSION}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


@pytest.fixture
def transcript(home) -> Transcript:
    return Transcript()


def resumed(dropped: str) -> SessionChoice:
    return SessionChoice(SESSION, resume=True, dropped=dropped)


def test_the_memory_ends_before_the_prompt(transcript):
    first = transcript.say("a")
    transcript.say("b")
    transcript.say("c")
    assert without_dropped(resumed(transcript.runs["b"])).at == first
    fork = SessionChoice("new", fork_of=SESSION, dropped=transcript.runs["b"])
    assert without_dropped(fork) == SessionChoice(
        "new", fork_of=SESSION, dropped=transcript.runs["b"], at=first
    )


def test_nothing_comes_before_the_first_prompt(transcript):
    transcript.say("a", after=None)
    transcript.say("b")
    anew = without_dropped(resumed(transcript.runs["a"]))
    assert (anew.resume, anew.fork_of, anew.at) == (False, "", "")
    assert anew.session_id != SESSION
    assert without_dropped(
        SessionChoice("f", fork_of=SESSION, dropped=transcript.runs["a"])
    ) == SessionChoice("f")


def test_once_it_went_on_from_there_it_is_resumed_plainly(transcript):
    first = transcript.say("a")
    transcript.say("b")
    transcript.say("c", after=first)
    assert without_dropped(resumed(transcript.runs["b"])).at == ""
    assert without_dropped(resumed(transcript.runs["c"])).at == first


def test_a_place_that_was_found_once_is_not_kept_when_it_went_on(transcript):
    transcript.say("a")
    choice = SessionChoice(SESSION, resume=True, dropped="000000000000", at="somewhere")
    assert without_dropped(choice).at == ""


def test_what_lies_before_a_summary_is_found_too(transcript):
    first = transcript.say("a")
    second = transcript.say("b")
    transcript.write(
        {"type": "system", "uuid": "boundary", "parentUuid": None, "logicalParentUuid": second}
    )
    transcript.say("c", after="boundary")
    assert without_dropped(resumed(transcript.runs["b"])).at == first


def test_without_a_transcript_or_with_a_damaged_one_nothing_is_found(transcript):
    assert without_dropped(resumed("a")) == resumed("a")
    assert not is_remembered(SESSION)
    transcript.write("no object")
    transcript.write({"type": "user", "uuid": "x", "parentUuid": "x"})  # a circle
    (transcript.folder / f"{SESSION}.jsonl").open("a").write('{"type": "us')
    assert without_dropped(resumed("a")) == resumed("a")
    assert is_remembered(SESSION)
    assert not is_remembered("../../etc/passwd")


def test_the_first_run_that_is_remembered(transcript):
    transcript.say("a")
    transcript.say("c")
    runs = transcript.runs
    assert first_remembered(SESSION, ["ffffffffffff", runs["c"]]) == runs["c"]
    assert first_remembered(SESSION, [runs["a"], runs["c"]]) == runs["a"]
    assert first_remembered(SESSION, ["ffffffffffff"]) == ""
