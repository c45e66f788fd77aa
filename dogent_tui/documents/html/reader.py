"""HTML → Markdown in blocks: the page is parsed like in browsers, normalized, and goes through
pandoc and our one writer.
"""

from collections.abc import Sequence
from email import message_from_bytes
from pathlib import Path
from typing import Any

import msgspec
from lxml import etree

from dogent_tui.documents.html.charset import decode
from dogent_tui.documents.html.facts import facts_of
from dogent_tui.documents.html.hidden_text import HIDDEN, page_tree, take_hidden
from dogent_tui.documents.html.markup import plain_tree
from dogent_tui.documents.html.nodes import Element
from dogent_tui.documents.kinds import ARCHIVED_PAGE, HEAD_BYTES
from dogent_tui.documents.model import Block, Opened, ReadOptions, Report
from dogent_tui.documents.pandoc.images import Images
from dogent_tui.documents.pandoc.markdown import Counts, MarkdownWriter
from dogent_tui.documents.pandoc.program import run_pandoc
from dogent_tui.documents.pandoc.tree import HIDDEN as HIDDEN_LINK
from dogent_tui.documents.pandoc.tree import decoded_tree, too_deep

_MOST_DEEP = 800
"""The maximum nesting depth of elements; no real page is deeper."""


def open_html(path: Path, options: ReadOptions, report: Report) -> Opened:
    """Open the file at `path`. See `Reader`.

    Metadata: `format`, `title`, `author`, `date` as far as known; `words`, `images`, `footnotes`,
    `tables`. Text that a browser would not show is marked in place.
    """
    del report
    data, said = path.read_bytes(), ""
    if ARCHIVED_PAGE in data[:HEAD_BYTES].lower():
        data, said = _archived(data)
    text = (
        data.decode(options.encoding, "replace")
        if options.encoding
        else decode(data, said, markup=True)[0]
    )
    tree = page_tree(text)
    metadata: dict[str, Any] = {"format": "html", **facts_of(text, tree)}
    hidden = take_hidden(tree)
    images = Images(options.images_dir)
    try:
        body = plain_tree(tree.html or "")
        blocks, counts = markdown_blocks(body, hidden.texts, name=path.name, images=images)
    finally:
        images.close()
    warnings = [*images.take_warnings(), *hidden.warnings()]
    return Opened("html", {**metadata, **msgspec.structs.asdict(counts)}, iter(blocks), warnings)


def _archived(data: bytes) -> tuple[bytes, str]:
    """Return the page in a file that also has its pictures, and the type that this states."""
    parts = (part for part in message_from_bytes(data).walk() if not part.is_multipart())
    page = next((part for part in parts if part.get_content_subtype() == "html"), None)
    if page is None:
        return b"", ""
    content = page.get_payload(decode=True)
    return content if isinstance(content, bytes) else b"", page.get("Content-Type", "")


def markdown_blocks(
    body: Element,
    hidden: Sequence[str] = (),
    *,
    name: str = "page",
    images: Images | None = None,
) -> tuple[list[Block], Counts]:
    """Return the Markdown of `body`, a tree from `plain_tree`, in blocks, and its counts.

    `hidden` are the removed texts; each becomes a comment in its place. `name` is for error
    messages. Raises DocumentError.
    """
    if body.xpath("/".join("*" * _MOST_DEEP)):
        raise too_deep(name)
    for node in list(body.iter(etree.Element)):
        if (number := node.get(HIDDEN, "")).isdigit() and int(number) < len(hidden):
            etree.SubElement(node, "a", href=HIDDEN_LINK).text = hidden[int(number)]
    media = images.arguments() if images else []
    arguments = ["--from=html-native_divs-native_spans", "--to=json", *media]
    writable = images.folders if images else ()
    source = etree.tostring(body, encoding="utf-8", method="html")
    output = run_pandoc(arguments, source, name=name, writable=writable)
    writer = MarkdownWriter(image=images.name if images else str, is_page=True)
    try:
        return list(writer.write(decoded_tree(output.data, name).blocks)), writer.counts
    except RecursionError:
        raise too_deep(name) from None
