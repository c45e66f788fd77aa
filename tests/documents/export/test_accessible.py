"""PDF/UA-1, by a list of checks of our own: what a machine can tell of Matterhorn's protocol."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pymupdf
import pytest

from dogent_tui.documents.export.accessible import with_artifacts
from tests.documents.export.test_sample_report import printed

STANDARD = frozenset(
    """Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3
    H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note Reference BibEntry Code
    Link Annot Ruby Warichu Figure Formula Form""".split()  # noqa: SIM905
)


def objects(document: pymupdf.Document) -> Iterator[tuple[int, str]]:
    for xref in range(1, document.xref_length()):
        yield xref, document.xref_object(xref, compressed=True)


def check(document: pymupdf.Document, title: str, lang: str) -> None:
    catalog = document.xref_object(document.pdf_catalog(), compressed=True)
    assert "/Marked true" in catalog
    assert "/DisplayDocTitle true" in catalog
    assert f"/Lang({lang})" in catalog
    metadata = document.get_xml_metadata()
    assert "<pdfuaid:part>1</pdfuaid:part>" in metadata
    assert f">{title}<" in metadata
    assert document.metadata["title"] == title
    assert not document.is_encrypted
    kinds = dict(_elements(document))
    roles = re.findall(r"/(\w+)/(\w+)", document.xref_get_key(_root(document), "RoleMap")[1])
    assert {kind for kind, _ in kinds.values()} <= STANDARD | {role for role, _ in roles}
    assert {role for _, role in roles} <= STANDARD
    levels = [int(kind[1]) for kind, _ in kinds.values() if re.fullmatch("H[1-6]", kind)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for kind, element in kinds.values():
        if kind in {"Figure", "Formula"}:
            assert "/Alt" in element
        if kind == "TH":
            assert "/Scope/Column" in element or "/Scope/Row" in element
    _check_pages(document, [element for kind, element in kinds.values() if kind == "Link"])
    for _, text in objects(document):
        assert "/JavaScript" not in text
        if "/Type/Font/" in text.replace("/Type /", "/Type/") and "/Subtype/Type0" in text:
            assert "/ToUnicode" in text


def _check_pages(document: pymupdf.Document, links: list[str]) -> None:
    linked = {int(found) for text in links for found in re.findall(r"/Obj (\d+) 0 R", text)}
    for page in document:
        if page.annot_xrefs():
            assert "/Tabs/S" in document.xref_object(page.xref, compressed=True)
        assert outside_of_tags(page.read_contents()) == ""
        for xref, kind, _ in page.annot_xrefs():
            if kind == pymupdf.PDF_ANNOT_LINK:
                assert document.xref_get_key(xref, "Contents")[0] == "string"
                assert xref in linked
        for font in page.get_fonts():
            assert font[1] != "n/a" or font[2] == "Type3"


def _root(document: pymupdf.Document) -> int:
    return int(document.xref_get_key(document.pdf_catalog(), "StructTreeRoot")[1].split()[0])


def _elements(document: pymupdf.Document) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield the structure elements in the order of the text."""
    waiting = [_root(document)]
    seen = set(waiting)
    while waiting:
        xref = waiting.pop()
        text = document.xref_object(xref, compressed=True)
        if found := re.search(r"/S/(\w+)", text):
            yield xref, (found[1], text)
        kids = re.search(r"/K ?(\[.*\]|\d+ 0 R)", text)
        below = re.sub(r"<<.*?>>", "", kids[1]) if kids else ""
        numbers = [int(number) for number in re.findall(r"(\d+) 0 R", below)]
        fresh = [number for number in numbers if number not in seen]
        fresh = [n for n in fresh if "/StructElem" in document.xref_object(n, compressed=True)]
        seen.update(fresh)
        waiting += reversed(fresh)


def outside_of_tags(content: bytes) -> str:
    """Return the first operator that paints outside of tags and artifacts, empty for none."""
    content = re.sub(rb"\((?:\\.|[^\\()])*\)|<[0-9A-Fa-f\s]*>(?!>)", b"()", content)
    depth = 0
    for token in re.findall(rb"[A-Za-z*]+", content):
        if token in {b"BDC", b"BMC"}:
            depth += 1
        elif token == b"EMC":
            depth -= 1
        elif depth == 0 and token in {b"Tj", b"TJ", b"f", b"S", b"B", b"Do", b"sh"}:
            return token.decode()
    return ""


@pytest.mark.thorough_after(1)
@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("engine", ["browser", "typst"])
@pytest.mark.thorough
async def test_the_sample_report_is_accessible(engine, exporter, typesetter, tmp_path):
    _, document = await printed({"browser": exporter, "typst": typesetter}[engine], tmp_path)
    check(document, "River levels in the Larkrise catchment", "en-GB")


@pytest.mark.thorough
def test_what_is_painted_outside_of_tags_is_an_artifact():
    content = b"q\n1 0 0 rg\n0 0 5 5 re\nf\n/P <</MCID 0 >>BDC\nBT\n<00> Tj\nET\nEMC\nQ\n"
    assert with_artifacts(content) == (
        b"/Artifact BMC\nq\n1 0 0 rg\n0 0 5 5 re\nf\nEMC\n"
        b"/P <</MCID 0 >>BDC\nBT\n<00> Tj\nET\nEMC\nQ\n"
    )
    assert outside_of_tags(content) == "f"
