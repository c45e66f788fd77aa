"""Pandoc's tree as Markdown: whatever the words are, a Markdown parser reads the same words with
the same emphasis.
"""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dogent_tui.documents.pandoc.markdown import MarkdownWriter, word_count

PARSER = MarkdownIt("commonmark").enable(["strikethrough", "table"])


def string(text):
    """Words as pandoc has them."""
    return [
        {"t": "Space"} if part == " " else {"t": "Str", "c": part}
        for part in re.split("( )", text)
        if part
    ]


def para(*inlines):
    return {"t": "Para", "c": list(inlines)}


def plain(*inlines):
    return {"t": "Plain", "c": list(inlines)}


def style(kind, *inlines):
    return {"t": kind, "c": list(inlines)}


def link(target, *inlines):
    return {"t": "Link", "c": [["", [], []], list(inlines), [target, ""]]}


def bullets(*items):
    return {"t": "BulletList", "c": list(items)}


def numbers(start, *items):
    return {"t": "OrderedList", "c": [[start, {"t": "Decimal"}, {"t": "Period"}], list(items)]}


def written(*blocks, **options):
    writer = MarkdownWriter(image=lambda name: name, **options)
    return "".join(
        ("\n" if b.tight else "\n\n") + b.markdown for b in writer.write(list(blocks))
    ).strip("\n")


def shown(markdown):
    """The text that a reader sees, each block on a line, and the words that are emphasized."""
    rendered = PARSER.render(markdown)
    bold = [
        html.unescape(re.sub("<[^>]*>", "", words))
        for words in re.findall("<(?:em|strong|s|del)>(.*?)</(?:em|strong|s|del)>", rendered)
    ]
    return html.unescape(re.sub("<[^>]*>", "", rendered)).strip("\n"), bold


TEXT = st.text(st.sampled_from("ab1 *_`~#>-+.)(![]<>&;\\|$=:/{}\"'，。（）汉é\u00a0"), max_size=12)


@given(TEXT)
def test_text_is_shown_as_it_is(text):
    text = re.sub(" +", " ", text).strip()
    assert shown(written(para(*string(text))))[0] == text.strip()


WORDS = st.text(st.sampled_from("ab1.,!()*_，。（）“”汉字"), min_size=1, max_size=5)


@given(WORDS, st.sampled_from(["Emph", "Strong", "Strikeout"]), WORDS, WORDS)
def test_emphasis_stands_beside_any_words(before, kind, inside, after):
    text, bold = shown(written(para(*string(before), style(kind, *string(inside)), *string(after))))
    assert text == before + inside + after
    letters = [character for character in inside if character.isalnum()]
    if letters:
        assert [
            character for words in bold for character in words if character.isalnum()
        ] == letters


@given(st.lists(st.tuples(st.sampled_from(["", "Emph", "Strong", "Strikeout"]), WORDS), max_size=5))
def test_runs_of_any_emphasis_keep_their_words(runs):
    inlines = [
        inline
        for kind, text in runs
        for inline in ([style(kind, *string(text))] if kind else string(text))
    ]
    assert shown(written(para(*inlines)))[0] == "".join(text for _, text in runs)


@given(
    st.recursive(
        WORDS.map(lambda text: plain(*string(text))),
        lambda inner: st.lists(inner, min_size=1, max_size=3).flatmap(
            lambda blocks: st.sampled_from(
                [
                    bullets([plain(*string("x")), *blocks]),
                    numbers(1, [plain(*string("y")), *blocks]),
                    {"t": "BlockQuote", "c": blocks},
                ]
            )
        ),
        max_leaves=6,
    )
)
def test_nested_blocks_keep_their_words_and_their_depth(tree):
    rendered = PARSER.render(written(tree))
    shapes = re.findall("<(/?(?:ul|ol|blockquote))[ >]", rendered)
    assert shapes == list(shape(tree))


def shape(node):
    names = {"BulletList": "ul", "OrderedList": "ol", "BlockQuote": "blockquote"}
    name = names.get(node["t"])
    if not name:
        return
    inner = (
        node["c"]
        if name == "blockquote"
        else [block for item in (node["c"] if name == "ul" else node["c"][1]) for block in item]
    )
    yield name
    for block in inner:
        yield from shape(block)
    yield "/" + name


def test_what_is_common_is_not_littered_with_backslashes():
    common = (
        "Costs $5 (or 5–6 €), see C:\\Users\\ann, snake_case, a < b, R&D, [1], #3, x - y, 100% ~5"
        " and e.g. 1.5 + 2!"
    )
    assert written(para(*string(common))) == common


def test_the_start_of_a_line_is_no_block():
    for text in ("# no", "- no", "+ no", "1. no", "2) no", "> no", "---", "===", "~~~"):
        assert (
            shown(written(para(*string("a"), {"t": "LineBreak"}, *string(text))))[0].split("\n")[-1]
            == text
        )
        assert "<p>" in PARSER.render(written(para(*string(text))))


def test_lists_side_by_side_stay_apart():
    assert written(bullets([plain(*string("a"))]), bullets([plain(*string("b"))])) == "- a\n\n* b"
    assert (
        written(numbers(1, [plain(*string("a"))]), numbers(5, [plain(*string("b"))]))
        == "1. a\n\n5) b"
    )


def test_bullets_that_were_typed_make_a_list():
    typed = [para(*string(text)) for text in ("Before", "• a", "• b", "After • all")]
    assert written(*typed) == "Before\n\n- a\n- b\n\nAfter • all"


def test_a_list_that_begins_later_is_seen_below_words():
    assert (
        written(bullets([plain(*string("a")), numbers(4, [plain(*string("b"))])]))
        == "- a\n\n  4. b"
    )


@pytest.mark.parametrize(
    ("inlines", "expected"),
    [
        ([link("https://a.b/c", *string("words"))], "[words](https://a.b/c)"),
        ([link("https://a.b/c", *string("https://a.b/c"))], "<https://a.b/c>"),
        ([link("https://a.b/(c d)", *string("x]"))], r"[x\]](<https://a.b/(c d)>)"),
        ([link("#nowhere", *string("page 3"))], "page 3"),
        (
            [link("https://a", *string("out "), link("https://b", *string("in")))],
            "[out in](https://a)",
        ),
        ([{"t": "Code", "c": [["", [], []], "a`b"]}], "``a`b``"),
        (
            [style("Underline", *string("x")), style("Superscript", *string("2"))],
            "<u>x</u><sup>2</sup>",
        ),
        ([{"t": "Math", "c": [{"t": "DisplayMath"}, "a\n+b"]}], "$$a +b$$"),
        ([{"t": "RawInline", "c": ["html", "<script>"]}, *string("x")], "x"),
        (
            [
                {
                    "t": "Image",
                    "c": [["", [], []], string("alt [1]"), ["data:image/png;base64,AAAA", ""]],
                }
            ],
            "![alt [1]](data:image/png;base64,AAAA)",
        ),
    ],
)
def test_inlines(inlines, expected):
    assert written(para(*inlines)) == expected


def test_code_is_fenced_beyond_its_own_fences():
    assert (
        written({"t": "CodeBlock", "c": [["", ["sourceCode", "python"], []], "```\nx"]})
        == "````python\n```\nx\n````"
    )


def test_a_long_list_is_several_blocks():
    items = [
        [plain(*string(f"item {number} " + "word " * 20)), bullets([plain(*string("inner"))])]
        for number in range(200)
    ]
    writer = MarkdownWriter(image=str)
    blocks = list(writer.write([bullets(*items)]))
    assert len(blocks) > 3
    assert all(block.tight and block.markdown.startswith("- item") for block in blocks[1:])
    assert PARSER.render("\n".join(block.markdown for block in blocks)).count("<li>") == 400


def test_words_are_counted_as_word_processors_do():
    assert word_count("Three short words, - and 汉字 <b>too</b> [here](http://not.counted)") == 8
