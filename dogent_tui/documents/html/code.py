"""Code blocks of pages without line numbers and coloring, with the name of their language."""

import re
from itertools import islice

from lxml import etree

from dogent_tui.documents.html.nodes import (
    Element,
    classes,
    squeezed_text,
    take_out,
)

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|source|src)[-:]|brush:?\s*)([A-Za-z][\w+#.-]*)"
)
_PLAIN_LANGUAGE = re.compile(
    r"(?:sourceCode|hljs|prettyprint|prism|shiki|chroma|code|highlight|codehilite)\b", re.IGNORECASE
)
_DATA = ("data-lang", "data-language", "data-syntax", "data-code-language")
_NOT_CODE = re.compile(
    r"(?:^|[\s_-])(?:lineno|linenos|line-numbers?-rows|line-number|linenumber|gutter|ln-num(?:bers)?|lnt|copy-?(?:btn|button)?)(?:$|[\s_-])"
)
_LINE = re.compile(r"(?:^|[\s_-])line(?:$|[\s_-])")
_SIGNS = {0xA0: " ", 0x200B: None}
_NO_LANGUAGE = frozenset([
    "code", "highlight", "hljs", "sourcecode", "prettyprint", "prettyprinted", "linenums",
    "line-numbers", "numbersource", "numberlines", "none", "nohighlight", "default", "plain",
    "text", "plaintext", "txt", "notranslate", "wrapper", "chroma", "shiki", "prism", "codehilite",
    "block", "container",
])  # fmt: skip


def settle_code(body: Element) -> None:
    """Turn each code block into a `pre` with only its text, and its language as class."""
    for table in list(body.iter("table")):  # line numbers in one column, code in the other
        blocks = list(table.iter("pre"))
        named = f"{classes(table)} {classes(table.getparent())}"
        gutter = re.search(r"highlight|rouge|lntable|hljs-ln|code", named) is not None
        if gutter and len(blocks) in {1, 2} and squeezed_text(table):
            take_out(table, blocks[-1])
    for pre in list(body.iter("pre")):
        language, text = _language(pre), _code_text(pre)
        pre.clear(keep_tail=True)
        pre.set("class", language)
        etree.SubElement(pre, "code").text = text


def _language(pre: Element) -> str:
    around = [*islice(pre.iterancestors(), 2)]
    for node in [*islice(pre.iter("code"), 1), pre, *around]:
        for value in filter(None, map(node.get, _DATA)):
            if re.fullmatch(r"[A-Za-z][\w+#.-]{0,30}", value):
                return str(value.lower())
        named = node.get("class") or ""
        words = _LANGUAGE.findall(named)
        if node.tag in {"pre", "code", "figure"}:
            if _PLAIN_LANGUAGE.search(named):
                words += re.findall(r"(?<!\S)[A-Za-z][\w+#]{0,15}(?!\S)", named)
            elif node.tag != "figure" and re.fullmatch(r"[a-z][a-z0-9+#]{0,11}", named):
                words.append(named)
        for word in words:
            if word.lower() not in _NO_LANGUAGE:
                return str(word.lower().removeprefix("source."))
    return ""


def _code_text(pre: Element) -> str:
    for node in list(pre.iter()):
        if _NOT_CODE.search(node.get("class") or ""):
            take_out(node)
    plain = "".join(pre.itertext())
    breaks = list(pre.iter("br"))
    if not breaks and "\n" not in plain.strip():
        lines = [
            node
            for node in pre.iter("div", "li", "p", "span", "tr")
            if node.tag != "span" or _LINE.search(node.get("class") or "")
        ]
        outer = [node for node in lines if not set(lines) & set(node.iterancestors())]
        breaks += outer if len(outer) > 1 else []
    for node in breaks:
        node.tail = "\n" + (node.tail or "")
    text = "".join(pre.itertext())
    return text.translate(_SIGNS).replace("\r\n", "\n").strip("\n")
