"""Calls written as text become calls, in whatever pieces they come; everything else stays text,
to the letter.
"""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dogent_tui.local_models.call_json import Tools
from dogent_tui.local_models.text_calls import CallFinder
from dogent_tui.offline.messages_api import UNREADABLE, ReplyText, ReplyThinking, ReplyToolUse

TOOLS = Tools(
    [
        {
            "name": "Read",
            "input_schema": {
                "properties": {"file_path": {"type": "string"}, "limit": {"type": "integer"}}
            },
        },
        {
            "name": "Write",
            "input_schema": {
                "properties": {"file_path": {"type": "string"}, "content": {"type": "string"}}
            },
        },
        {"name": "mcp__dogent__read_document"},
    ]
)
READ = {"name": "Read", "arguments": {"file_path": "a.md"}}
WANTED = ReplyToolUse("Read", {"file_path": "a.md"})
NESTED = {
    "name": "Write",
    "arguments": {
        "file_path": "x.md",
        "content": 'A "}</tool_call>" \\ and\n```json\n{"a": [1]}\n```',
    },
}


def found(text, size=0):
    """What comes of `text` in pieces of `size`: neighbouring texts joined, the blank ones left
    out.
    """
    finder, blocks = CallFinder(TOOLS), []
    for start in range(0, len(text), size or max(1, len(text))):
        blocks += finder.feed(text[start : start + (size or len(text))])
    blocks += finder.finish()
    joined = []
    for block in blocks:
        if (
            joined
            and isinstance(block, ReplyText | ReplyThinking)
            and type(joined[-1]) is type(block)
        ):
            joined[-1] = type(block)(joined[-1].text + block.text)
        else:
            joined.append(block)
    return [block for block in joined if not isinstance(block, ReplyText) or block.text.strip()]


CALLS = {
    "tags": f"<tool_call>\n{json.dumps(READ)}\n</tool_call>",
    "tag not closed": f"<tool_call>{json.dumps(READ)}",
    "fence": f"```json\n{json.dumps(READ, indent=2)}\n```",
    "fence not closed": f"```json\n{json.dumps(READ)}\n",
    "fence without a language": f"```\n{json.dumps(READ)}\n```\n\n",
    "bare": json.dumps(READ),
    "bare, with an id": json.dumps({"type": "function", "id": "1", **READ}),
    "bare, as chat completions": json.dumps(
        {"type": "function", "function": {**READ, "arguments": json.dumps(READ["arguments"])}}
    ),
    "bare, parameters": '  {"name": "read", "parameters": {"file_path": "a.md"}}',
    "arguments as text": json.dumps({"name": "Read", "arguments": '{"file_path": "a.md"}'}),
    "arguments twice as text": json.dumps(
        {"name": "Read", "arguments": json.dumps('{"file_path": "a.md"}')}
    ),
    "list": f"[TOOL_CALLS] [{json.dumps(READ)}]",
    "bare list": f"[\n{json.dumps(READ)}]",
    "function": "<function=Read>\n<parameter=file_path>\na.md\n</parameter>\n</function>",
    "Granite": f"<|tool_call|>[{json.dumps(READ)}]",
    "Phi": f"<|tool_call|>[{json.dumps(READ)}]<|/tool_call|>",
    "Llama": '<|python_tag|>{"name": "Read", "parameters": {"file_path": "a.md"}}<|eom_id|>',
    "Mistral, named": '[TOOL_CALLS]Read[ARGS]{"file_path": "a.md"}',
    "Mistral, named without a mark": '[TOOL_CALLS]Read{"file_path": "a.md"}',
    "Kimi": (
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.Read:0<|tool_call_argument_begin|>{"file_path":'
        ' "a.md"}<|tool_call_end|><|tool_calls_section_end|>'
    ),
    "DeepSeek V3": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Read\n```json\n"
        '{"file_path": "a.md"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    ),
    "DeepSeek V3.1": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Read<｜tool▁sep｜>"
        '{"file_path": "a.md"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    ),
    "harmony": (
        '<|channel|>commentary to=functions.Read <|constrain|>json<|message|>{"file_path":'
        ' "a.md"}<|call|>'
    ),
    "harmony, started": (
        "<|start|>assistant<|channel|>commentary to=functions.Read <|constrain|>json<|message|>"
        '{"file_path": "a.md"}<|call|>'
    ),
    "Llama, Python": '<|python_tag|>Read.call(file_path="a.md")<|eom_id|>',
    "Llama 4, Python": '[Read(file_path="a.md")]',
    "Gemma": "```tool_code\nRead(file_path='a.md')\n```",
    "Gemma, printed": '```tool_code\nprint(read(file_path="a.md"))\n```',
    "GLM": (
        "<tool_call>Read\n<arg_key>file_path</arg_key>\n<arg_value>a.md</arg_value>\n</tool_call>"
    ),
    "Command-R": (
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "Read", "parameters": {"file_path":'
        ' "a.md"}}]<|END_ACTION|>'
    ),
    "Command-R, older": (
        'Action: ```json\n[{"tool_name": "Read", "parameters": {"file_path": "a.md"}}]```'.removeprefix(  # noqa: E501
            "Action: "
        )
    ),
    "keys of agents": '<tool-call>{"action": "Read", "action_input": {"file_path": "a.md"}}',
    "keys of its own": '[TOOL_CALL]{"tool": "Read", "kwargs": {"file_path": "a.md"}}[/TOOL_CALL]',
    "no key": '<tool_call>{"name": "Read", "file_path": "a.md"}}</tool_call><tool_call>',
    "chat completions": f'{{"tool_calls": [{{"id": "1", "function": {json.dumps(READ)}}}]}}',
    "Gemini": '<tool_code>\nprint(default_api.Read(file_path="a.md"))\n</tool_code',
    "ReAct": 'Action: Read\nAction Input: {"file_path": "a.md"}',
    "function with a name": (
        '<function name="Read"><parameter name="file_path">a.md</parameter></function>'
    ),
    "functools": f"functools[{json.dumps(READ)}]",
    "invoke": (
        '<function_calls>\n<invoke name="Read">\n<parameter'
        ' name="file_path">a.md</parameter>\n</invoke>\n</function_calls>'
    ),
    "InternLM": f"<|action_start|><|plugin|>\n{json.dumps(READ)}<|action_end|>",
    "function with JSON": '<function=Read>{"file_path": "a.md"}</function>',
    "single quotes": "<tool_call>{'name': 'Read', 'arguments': {'file_path': 'a.md'}}</tool_call>",
    "commas too many": (
        '<tool_call>{"name": "Read", "arguments": {"file_path": "a.md",},}</tool_call>'
    ),
    "Gemma, its function models": (
        "<start_function_call>call:Read{file_path:<escape>a.md<escape>}<end_function_call>"
    ),
    "Python, a long text": '[Read(file_path="""a.md""")]',
    "Mistral, with an id": '[TOOL_CALLS]Read[CALL_ID]abc123[ARGS]{"file_path": "a.md"}',
    "function in tags": (
        "<tool_call>\n<function=Read>\n<parameter=file_path>a.md</parameter>\n</function>\n</tool_call>"
    ),
    "DeepSeek V3.2": (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="Read">\n'
        '<｜DSML｜parameter name="file_path" string="true">a.md</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
    ),
    "DeepSeek, other bars": (
        "<|tool▁calls▁begin|><|tool▁call▁begin|>function<|tool▁sep|>Read\n```json\n"
        '{"file_path": "a.md"}\n```<|tool▁call▁end|><|tool▁calls▁end|>'
    ),
    "harmony, addressed first": (
        "<|start|>assistant to=functions.Read<|channel|>commentary json<|message|>"
        '{"file_path": "a.md"}<|call|>'
    ),
    "harmony, its start in the prompt": (
        ' to=functions.Read<|channel|>commentary <|constrain|>json<|message|>{"file_path": "a.md"}'
    ),
    "harmony, in its thoughts": (
        '<|channel|>analysis to=functions.Read code<|message|>{"file_path": "a.md"}<|call|>'
    ),
    "Gemma 4": '<|tool_call>call:Read{file_path:<|"|>a.md<|"|>}<tool_call|>',
    "Nemotron": f"<TOOLCALL>[{json.dumps(READ)}]</TOOLCALL>",
    "MiniMax": (
        '<minimax:tool_call>\n<invoke name="Read">\n<parameter name="file_path">a.md</parameter>\n'
        "</invoke>\n</minimax:tool_call>"
    ),
    "Seed": (
        "<seed:tool_call>\n<function=Read>\n<parameter=file_path>a.md</parameter>\n</function>\n"
        "</seed:tool_call>"
    ),
    "Hunyuan": (
        '<tool_calls>\n<tool_call>Read\n```json\n{"file_path": "a.md"}\n```\n'
        "</tool_call>\n</tool_calls>"
    ),
    "Apertus": '<|tools_prefix|>[{"Read": {"file_path": "a.md"}}]<|tools_suffix|>',
    "LFM": '<|tool_call_start|>[Read(file_path="a.md")]<|tool_call_end|>',
    "Step": (
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="Read"><steptml:parameter name="file_path">a.md</steptml:parameter>'
        "</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>"
    ),
    "Olmo": '<function_calls>\nRead(file_path="a.md")\n</function_calls>',
    "Qwen's agents": '✿FUNCTION✿: Read\n✿ARGS✿: {"file_path": "a.md"}\n✿RESULT✿',
    "Functionary": '>>>Read\n{"file_path": "a.md"}',
    "GLM 4": 'Read\n{"file_path": "a.md"}',
    "the end of a reply": f"{json.dumps(READ)}<|eot_id|>",
    "a tag opened twice": '<function=Read>{"file_path": "a.md"}<function>',
    "Gemma, in tags": '<tool_code>\nprint(Read(file_path="a.md"))\n</tool_code>',
    "function calls": f"<functioncall> {json.dumps(READ)}",
    "the name an attribute": '<tool_call name="Read">{"file_path": "a.md"}</tool_call>',
    "double braces": (
        '<tool_call>{{"name": "Read", "arguments": {"file_path": "a.md"}}}</tool_call>'
    ),
    "a brace missing": (
        '<tool_call>{"name": "Read", "arguments": {"file_path": "a.md"}</tool_call>'
    ),
}


@pytest.mark.parametrize("size", [0, 1, 3, 7])
@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
def test_every_way_to_write_a_call(text, size):
    assert found(text, size) == [WANTED]


@pytest.mark.parametrize("size", [0, 1, 5])
@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
def test_what_is_said_before_a_call_stays_before_it(text, size):
    assert found(f"I read it [now], `{{so}}`:\n\n{text}", size) == [
        ReplyText("I read it [now], `{so}`:\n\n"),
        WANTED,
    ]


def test_several_calls_and_an_mcp_tool_by_its_short_name():
    other = '<tool_call>{"name": "read_document", "arguments": {"path": "b.pdf"}}</tool_call>'
    document = ReplyToolUse("mcp__dogent__read_document", {"path": "b.pdf"})
    assert found(f"{CALLS['tags']}\n{other}\n{CALLS['bare']}", 4) == [WANTED, document, WANTED]
    assert found(f"{CALLS['bare']}\n{CALLS['fence']}", 4) == [WANTED, WANTED]
    assert found(f"{CALLS['bare']}\n{other}", 4) == [WANTED, document]


@pytest.mark.parametrize("size", [0, 1, 6])
def test_marks_within_the_arguments_are_theirs(size):
    call = ReplyToolUse("Write", NESTED["arguments"])
    for written in (
        f"<tool_call>{json.dumps(NESTED)}</tool_call>",
        json.dumps(NESTED),
        f"```json\n{json.dumps(NESTED)}\n```",
    ):
        assert found(written, size) == [call]


def test_line_breaks_within_a_text_and_values_of_other_types():
    assert found('<tool_call>{"name": "Read", "arguments": {"file_path": "a\nb"}}</tool_call>') == [
        ReplyToolUse("Read", {"file_path": "a\nb"})
    ]
    assert found(
        "<function=Read><parameter=file_path>7</parameter><parameter=limit>7</parameter></function>"
    ) == [ReplyToolUse("Read", {"file_path": "7", "limit": 7})]


TEXTS = {
    "a document on the marks": ("The models write\n<tool_call>\n…\n</tool_call>\nand then wait."),
    "a document about calls": (
        f"A call looks like this:\n\n```json\n{json.dumps(READ)}\n```\n\nSo it is read."
    ),
    "bare JSON and then words": f"{json.dumps(READ)}\nThat is what I would do.",
    "more keys than a call has": '{"name": "Read", "arguments": {"file_path": "a.md"}, "price": 3}',
    "JSON of a package": '```json\n{"name": "read", "version": "1.0"}\n```',
    "a list in JSON": "[1, 2, 3]",
    "code about tags": "```python\nprint('<tool_call>')\n" + json.dumps(READ) + "\n```\nDone.",
    "in a line": f"It writes {json.dumps(READ)}",
    "tag in words": "The model emits <tool_call> and then JSON.",
    "Markdown": "# A\n\n- [ ] b\n- {c}\n\n~~~~\n{\n```\n~~~~\n\n[d]: e\n`x`\n<b>\n",
    "XML of others": "<tools>\n<tool>saw</tool>\n<action>cut</action>\n</tools>",
    "a name and JSON, then words": 'Read\n{"file_path": "a.md"}\nis what it says.',
    "struck out": "It was <s>four</s> five.",
    "a file with braces": "read\n{not a call}",
    "open braces": "{" * 50,
    "deep": "<tool_call>" + "[" * 5000 + "]" * 5000,
    "half a mark": "a <tool_ca",
    "blank": "a\n\n   \n",
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_everything_else_stays_text_to_the_letter(text, size):
    assert found(text, size) == [ReplyText(text)]


def test_what_the_tool_wants_decides_the_type():
    text = "<tool_call>{'name': 'Read', 'arguments': {'file_path': 7, 'limit': '7'}}</tool_call>"
    assert found(text) == [ReplyToolUse("Read", {"file_path": "7", "limit": 7})]


REFUSED = {
    '<tool_call>{"name": "Fly", "arguments": {}}</tool_call>': ReplyToolUse("Fly", {}),
    "<function=Write><parameter=content>half": ReplyToolUse(
        "Write", {UNREADABLE: "<parameter=content>half"}
    ),
}


REFUSED |= {
    # a call that was cut off, or has no name: the model is asked for it again
    "<tool_call>Read\n<arg_key>file_path</arg_key>\n<arg_value>a": ReplyToolUse(
        "Read", {UNREADABLE: "<arg_key>file_path</arg_key>\n<arg_value>a"}
    ),
    '<|python_tag|>Read.call(file_path="a': ReplyToolUse("Read", {UNREADABLE: '(file_path="a'}),
    '[TOOL_CALLS]Fly[ARGS]{"to": "Rome"}': ReplyToolUse("Fly", {"to": "Rome"}),
    "<tool_call>{'nme': 'Read'}</tool_call>": ReplyToolUse(
        "unreadable_call", {UNREADABLE: "{'nme': 'Read'}"}
    ),
    "<|tool_call_begin|>??<|tool_call_end|>": ReplyToolUse("unreadable_call", {UNREADABLE: "??"}),
    "<start_function_call>call:Read{file_path:a b}<end_function_call>": ReplyToolUse(
        "Read", {UNREADABLE: "{file_path:a b}"}
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_marked_call_that_cannot_be_done_is_refused_and_not_said(text):
    assert all(found(text, size) == [REFUSED[text]] for size in range(len(text) + 1))


def test_the_end_of_thoughts_whose_beginning_was_in_the_prompt_is_no_text():
    for size in (0, 1, 4):
        assert found(f"Hm.\n</think>\n\n{CALLS['tags']}", size) == [ReplyText("Hm.\n"), WANTED]


def test_thinking_is_told_apart():
    for size in (0, 1, 4):
        assert found(f"\n<think>\nHm </b>.</think>\n\nIt is so.\n{CALLS['bare']}", size) == [
            ReplyThinking("Hm </b>."),
            ReplyText("It is so.\n"),
            WANTED,
        ]
    assert found("It says <think>.") == [ReplyText("It says <think>.")]
    assert found("<think>never ends") == [ReplyThinking("never ends")]


def test_text_comes_at_once():
    finder = CallFinder(TOOLS)
    assert finder.feed("Once upon") == [ReplyText("Once upon")]
    assert finder.feed(" a time\n") == [ReplyText(" a time\n")]
    assert finder.feed("```json\n") == []
    assert finder.feed('{"title"') == [ReplyText("```json\n"), ReplyText('{"title"')]


PARTS = (
    *(
        "<tool_call>",
        "</tool_call>",
        "<think>",
        "</think>",
        "<function=Read>",
        "</function>",
        "<parameter=a>",
        "</parameter>",
    ),
    *(
        "```",
        "~~~",
        "json",
        "[TOOL_CALLS]",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "\\",
        "\n",
        " ",
        "a",
    ),
    *('"name"', '"Read"', '"arguments"'),
)


@given(st.lists(st.sampled_from(PARTS), max_size=40), st.integers(1, 9))
@example(["```", "<tool_call>", "</think>", "\n"], 1)
def test_pieces_make_no_difference_and_nothing_is_invented(parts, size):
    text = "".join(parts)
    whole = found(text)
    assert found(text, size) == whole
    said = sum(len(block.text) for block in whole if not isinstance(block, ReplyToolUse))
    assert said <= len(text)


def test_a_long_call_is_looked_at_once():
    call = {
        "name": "Write",
        "arguments": {"file_path": "x.md", "content": 'word "quoted"\n' * 20_000},
    }
    assert found(f"<tool_call>{json.dumps(call)}</tool_call>", 40) == [
        ReplyToolUse("Write", call["arguments"])
    ]


NAMED_TEXTS = [
    "Mistral writes [TOOL_CALLS] before a call.",
    "The token <|tool_call_begin|> begins one, and <|tool_call_end|> ends it.",
    "Llama's <|python_tag|> is followed by code: print({1: 2})",
    'Ours is [TOOL_CALLS]Nothing{"a": 1} and no other.',
    "harmony has <|channel|>commentary to=functions.Read as a header",
    "中文 <｜tool▁call▁begin｜>没有<｜tool▁sep｜>{}",
    "[TOOL_CALLS]",
    "<|tool_calls_section_begin|><|tool_call_begin|>",
]


@pytest.mark.parametrize("text", NAMED_TEXTS)
def test_words_on_marks_stay_text_however_they_are_cut(text):
    for size in range(len(text) + 1):
        assert "".join(block.text for block in found(text, size)) == text


@pytest.mark.parametrize(
    "arguments", ['{"file_path": "a', '{"file_path": a.md}', '{"file_path": "中文\\"']
)
def test_a_named_call_that_cannot_be_read_is_a_call_that_the_tool_refuses(arguments):
    text = f"I read it.\n[TOOL_CALLS]Read[ARGS]{arguments}"
    for size in range(len(text) + 1):
        assert found(text, size) == [
            ReplyText("I read it.\n"),
            ReplyToolUse("Read", {UNREADABLE: arguments}),
        ]


def test_what_ends_a_value_within_a_text_of_the_model_does_not_end_it():
    content = "<parameter>a</parameter>\nand </parameter> more"
    written = f"<function=Write><parameter=content>{content}</parameter></function>"
    assert found(written) == [ReplyToolUse("Write", {"content": content})]
    cut = "<function=Write><parameter=content>half</parameter> of it"
    assert found(cut) == [ReplyToolUse("Write", {UNREADABLE: cut.removeprefix("<function=Write>")})]


def test_two_named_calls_in_one_message_are_two_calls():
    call = (
        '<|tool_call_begin|>functions.Read:0<|tool_call_argument_begin|>{"file_path":'
        ' "a.md"}<|tool_call_end|>'
    )
    text = f"<|tool_calls_section_begin|>{call}{call}<|tool_calls_section_end|>"
    assert all(found(text, size) == [WANTED, WANTED] for size in range(len(text) + 1))


@pytest.mark.parametrize("mark", ["<tool_call>", "<|tool_call|>", "<|python_tag|>"])
@pytest.mark.parametrize(
    "call",
    ['{"name": "Read", "arguments": {"file_path": "a', '{"name": "Read", "arguments": {a.md}}'],
)
def test_a_marked_call_that_cannot_be_read_is_a_call_that_the_tool_refuses(mark, call):
    for size in range(len(mark + call) + 1):
        assert found(mark + call, size) == [ReplyToolUse("Read", {UNREADABLE: call})]


def test_a_broken_call_of_a_tool_that_ends_the_reply_is_refused_within_a_line_as_well():
    call = '{"name": "Read", "arguments": {"file_path": "a'
    text = f"I read it. <tool_call>{call}"
    for size in range(len(text) + 1):
        assert found(text, size) == [
            ReplyText("I read it. "),
            ReplyToolUse("Read", {UNREADABLE: call}),
        ]


def test_types_are_those_of_the_schema():
    tools = Tools(
        [
            {
                "name": "Go",
                "input_schema": {
                    "properties": {
                        "n": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                        "deep": {"type": "boolean"},
                        "tags": {"type": "array"},
                        "text": {"type": "string"},
                    }
                },
            }
        ]
    )
    given = {"n": "7", "deep": "True", "tags": '["a", "b"]', "text": 7, "more": "7"}
    assert tools.call("go", given) == ReplyToolUse(
        "Go", {"n": 7, "deep": True, "tags": ["a", "b"], "text": "7", "more": "7"}
    )


FENCE = "```\n- [ ] \\d+ \\frac 'a' \"b\" C:\\temp\n```"
TWO = [
    ReplyToolUse("Write", {"file_path": "it's.md", "content": FENCE}),
    ReplyToolUse("Read", {"file_path": "a.md", "-n": True}),
]
WRITTEN = [json.dumps({"name": call.name, "arguments": call.input}) for call in TWO]
ARGUMENTS = [", ".join(f"{key}={value!r}" for key, value in call.input.items()) for call in TWO]
TWO_CALLS = {
    "lines after one mark": f"<tool_call>\n{WRITTEN[0]}\n{WRITTEN[1]}\n</tool_call>",
    "Llama": f"<|python_tag|>{WRITTEN[0]}; {WRITTEN[1]}<|eom_id|>",
    "Llama, Python": f"[Write({ARGUMENTS[0]}), Read({ARGUMENTS[1]})]",
    "Gemma": f"```tool_code\nprint(Write({ARGUMENTS[0]}))\nRead({ARGUMENTS[1]})\n```",
    "Gemma 4": (
        f'<|tool_call>call:Write{{file_path:<|"|>it\'s.md<|"|>,content:<|"|>{FENCE}<|"|>}}<tool_call|>'
        '<|tool_call>call:Read{file_path:<|"|>a.md<|"|>,-n:true}<tool_call|>'
    ),
    "harmony": "".join(
        f"<|start|>assistant<|channel|>commentary to=functions.{call.name} <|constrain|>json"
        f"<|message|>{json.dumps(call.input)}<|call|>"
        for call in TWO
    ),
    "patterns as they are typed": "\n".join(
        f"<tool_call>{written}</tool_call>".replace("\\\\d", "\\d") for written in WRITTEN
    ),
}


@pytest.mark.parametrize("size", [0, 1, 5])
@pytest.mark.parametrize("text", TWO_CALLS.values(), ids=TWO_CALLS)
def test_two_calls_keep_what_they_write_to_the_letter(text, size):
    assert found(text, size) == TWO


def test_a_final_answer_of_harmony_is_text():
    text = "<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|>"
    text += "<|start|>assistant<|channel|>final<|message|>Tea is hot."
    for size in range(len(text) + 1):
        assert found(text, size) == [ReplyThinking("Hm."), ReplyText("Tea is hot.")]


def test_a_broken_call_within_a_sentence_stays_text():
    text = 'Write `<tool_call>{"name": "Read", ...}` in a line.'
    assert all(found(text, size) == [ReplyText(text)] for size in range(len(text) + 1))
