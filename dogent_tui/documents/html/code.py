"""Code of pages without the numbers of its lines and the spans that color it, with the name of
its language.
"""

import re

from lxml import etree

from dogent_tui.documents.html.nodes import Element, classes, is_formula, squeezed_text, take_out

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|source|src)[-:]|brush:?\s*)([A-Za-z][\w+#.-]*)"
)
_PLAIN_LANGUAGE = re.compile(
    r"(?:sourceCode|hljs|prettyprint|prism|shiki|chroma|code|highlight|codehilite)\b", re.IGNORECASE
)
_NO_LANGUAGE = frozenset([
    "code", "highlight", "hljs", "sourcecode", "prettyprint", "prettyprinted", "linenums",
    "line-numbers", "numbersource", "numberlines", "none", "nohighlight", "default", "plain",
    "text", "plaintext", "txt", "notranslate", "wrapper", "chroma", "shiki", "prism", "codehilite",
    "block", "container",
])  # fmt: skip


def settle_code(body: Element) -> None:
    """Make each block of code a `pre` with nothing but its text, of the class that is its
    language.
    """
    for table in list(body.iter("table")):  # line numbers in one column, code in the other
        blocks = list(table.iter("pre"))
        gutter = re.search(r"highlight|rouge|lntable|hljs-ln|code", classes(table)) is not None
        if gutter and len(blocks) in {1, 2} and squeezed_text(table):
            take_out(table, blocks[-1])
        elif gutter and "hljs-ln" in classes(table):
            lines = [
                "".join(cell.itertext())
                for cell in table.iter("td")
                if "number" not in classes(cell)
            ]
            table.clear(keep_tail=True)
            table.tag, table.text = "span", "\n".join(lines)
    for pre in list(body.iter("pre")):
        if is_formula(pre) or next(pre.iterancestors("pre"), None) is not None:
            continue
        language = _language(pre)
        text = _code_text(pre)
        tail = pre.tail
        pre.clear()
        pre.tail = tail
        pre.set("class", language)
        inner = etree.SubElement(pre, "code")
        inner.text = text


def _language(pre: Element) -> str:
    nodes = [
        node for node in (next(pre.iter("code"), None), pre, pre.getparent()) if node is not None
    ]
    nodes += [node for node in pre.iterancestors() if node not in nodes][:2]
    for node in nodes:
        for name in ("data-lang", "data-language", "data-syntax", "data-code-language"):
            if value := re.fullmatch(r"[A-Za-z][\w+#.-]{0,30}", node.get(name) or ""):
                return value[0].lower()
        named = node.get("class") or ""
        found = [word for word in _LANGUAGE.findall(named) if word.lower() not in _NO_LANGUAGE]
        if not found and _PLAIN_LANGUAGE.search(named) and node.tag in {"pre", "code"}:
            found = [
                word
                for word in named.split()
                if re.fullmatch(r"[A-Za-z][\w+#]{0,15}", word) and word.lower() not in _NO_LANGUAGE
            ]
        if (
            not found
            and node.tag in {"pre", "code"}
            and re.fullmatch(r"[a-z][a-z0-9+#]{0,11}", named)
            and named not in _NO_LANGUAGE
        ):
            found = [named]
        if found:
            return re.sub(r"^source\.", "", found[0]).lower()
    return ""


def _code_text(pre: Element) -> str:
    for node in list(pre.iter()):
        named = node.get("class") or ""
        if re.search(
            r"(?:^|[\s_-])(?:lineno|linenos|line-numbers?-rows|line-number|linenumber|gutter|ln-num|lnt|copy-?(?:btn|button)?)(?:$|[\s_-])",
            named,
        ):
            take_out(node)
    plain = "".join(pre.itertext())
    for node in list(pre.iter("br")):
        node.tail = "\n" + (node.tail or "")
    lines = [
        node
        for node in pre.iter("div", "li", "p", "span")
        if re.search(r"(?:^|[\s_-])line(?:$|[\s_-])", node.get("class") or "")
        or node.tag in {"div", "li", "p"}
    ]
    if len(lines) > 1 and "\n" not in plain.strip():
        for node in lines:
            node.tail = "\n" + (node.tail or "")
    return (
        "".join(pre.itertext())
        .replace("\r\n", "\n")
        .replace("\u00a0", " ")
        .replace("\u200b", "")
        .strip("\n")
    )
