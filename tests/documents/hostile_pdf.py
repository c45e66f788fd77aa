"""Pdf files that would hurt whoever reads them without a care; see
`tests.documents.hostile_files`.
"""

import random
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path


def _pdf(
    path: Path, objects: Mapping[int, bytes], *, trailer: bytes = b"/Root 1 0 R", size: int = 0
) -> None:
    """Write a pdf with a cross-reference table that is right, whatever the objects say."""
    out, places = bytearray(b"%PDF-1.7\n"), {}
    for number, content in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 1\n0000000000 65535 f \n"
    for number, place in places.items():
        out += b"%d 1\n%010d 00000 n \n" % (number, place)
    out += b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        size or max(objects) + 1,
        trailer,
        start,
    )
    path.write_bytes(out)


def _stream(content: bytes, more: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), more, content)


def _one_page(
    stream: bytes, more: Mapping[int, bytes] | None = None, page: bytes = b""
) -> dict[int, bytes]:
    return {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources <<"
            b" /Font << /F 5 0 R >> >> %s >>" % page
        ),
        4: stream,
        5: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        **(more or {}),
    }


def pdf_page_loop(path: Path) -> None:
    """A tree of pages that holds itself, and says that it has a million of them."""
    objects = _one_page(_stream(b"BT /F 12 Tf 72 700 Td (x) Tj ET"))
    objects[2] = b"<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] /Count 1000000 /Parent 2 0 R >>"
    _pdf(path, objects)


def pdf_many_pages(path: Path) -> None:
    """Twenty thousand pages."""
    _pdf(path, _pages(_one_page(_stream(b"BT /F 12 Tf 72 700 Td (x) Tj ET")), 20_000))


def _pages(objects: dict[int, bytes], count: int) -> dict[int, bytes]:
    """Return a document that has its page so many times."""
    first = max(objects) + 1
    kids = b" ".join(b"%d 0 R" % number for number in range(first, first + count))
    pages = dict.fromkeys(range(first, first + count), objects[3])
    return {**objects, **pages, 2: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count)}


def pdf_huge_xref(path: Path) -> None:
    """A cross-reference table that says that it has two thousand million entries."""
    _pdf(path, _one_page(_stream(b"BT /F 12 Tf 72 700 Td (x) Tj ET")), size=2_000_000_000)
    path.write_bytes(path.read_bytes().replace(b"xref\n0 1\n", b"xref\n0 2000000000\n", 1))


def pdf_xref_loop(path: Path) -> None:
    """A table before whose beginning it stands itself."""
    _pdf(
        path,
        _one_page(_stream(b"BT /F 12 Tf 72 700 Td (x) Tj ET")),
        trailer=b"/Root 1 0 R /Prev 00009",
    )
    data = path.read_bytes()
    start = data.rfind(b"xref\n0 1")
    path.write_bytes(data.replace(b"/Prev 00009", b"/Prev %05d" % start))


def pdf_stream_bomb(path: Path) -> None:
    """A page whose content unpacks to a gigabyte, packed twice."""
    content = zlib.compress(
        zlib.compress(b"BT /F 12 Tf 72 700 Td (boom) Tj ET\n" * (1 << 25), 9), 9
    )
    _pdf(path, _one_page(_stream(content, b"/Filter [/FlateDecode /FlateDecode]")))


def pdf_form_loop(path: Path) -> None:
    """Forms that draw each other ten times, ten deep: ten thousand million."""
    _pdf(path, _forms(10, b"BT /F 12 Tf 72 700 Td (x) Tj ET"))


def pdf_trickle(path: Path) -> None:
    """A hundred pages of one letter each, which take their time."""
    _pdf(path, _pages(_forms(4, b"BT /F 12 Tf 72 700 Td (x) Tj ET"), 100))


def _forms(depth: int, innermost: bytes) -> dict[int, bytes]:
    more = {}
    for level in range(depth):
        inner = b"" if level == depth - 1 else b"/X %d 0 R" % (11 + level)
        content = innermost if level == depth - 1 else b"/X Do\n" * 10
        resources = b"/Resources << /XObject << %s >> /Font << /F 5 0 R >> >>" % inner
        more[10 + level] = _stream(
            content, b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] " + resources
        )
    objects = _one_page(_stream(b"/X Do\n" * 10), more)
    objects[3] = objects[3].replace(b"/Resources <<", b"/Resources << /XObject << /X 10 0 R >>")
    return objects


def pdf_lines(path: Path) -> None:
    """A page with half a million ruling lines and as many letters: what looks for tables
    compares each with each.
    """
    pen = random.Random(6)
    lines = b"".join(b"%d %d m %d %d l S\n" % (x, y, x + 50, y) for x, y in _points(pen, 250_000))
    letters = b"".join(
        b"BT /F 4 Tf %d %d Td (x) Tj ET\n" % point for point in _points(pen, 100_000)
    )
    _pdf(path, _one_page(_stream(zlib.compress(lines + letters), b"/Filter /FlateDecode")))


def pdf_grid(path: Path) -> None:
    """Many pages, each with a table of four thousand cells."""
    lines = b"".join(
        b"%d 10 m %d 780 l S\n10 %d m 600 %d l S\n" % (x * 9, x * 9, x * 12, x * 12)
        for x in range(1, 65)
    )
    cells = b"".join(
        b"BT /F 3 Tf %d %d Td (%d) Tj ET\n" % (x * 9 + 1, y * 12 + 2, x * y)
        for x in range(1, 64)
        for y in range(1, 64)
    )
    _pdf(
        path, _pages(_one_page(_stream(zlib.compress(lines + cells), b"/Filter /FlateDecode")), 300)
    )


def pdf_outline_loop(path: Path) -> None:
    """Bookmarks that follow each other in a circle."""
    objects = _one_page(
        _stream(b"BT /F 12 Tf 72 700 Td (x) Tj ET"),
        {10: b"<< /First 11 0 R /Last 11 0 R /Count 2000000000 >>"},
    )
    objects[11] = b"<< /Title (a) /Parent 10 0 R /Next 12 0 R /First 11 0 R /Dest [3 0 R /Fit] >>"
    objects[12] = b"<< /Title (b) /Parent 10 0 R /Next 11 0 R /First 10 0 R /Dest [3 0 R /Fit] >>"
    objects[1] = b"<< /Type /Catalog /Pages 2 0 R /Outlines 10 0 R >>"
    _pdf(path, objects)


def pdf_structure_loop(path: Path) -> None:
    """Tags that hold themselves and each other, and a cell over two thousand million rows."""
    objects = _tagged(b"/P <</MCID 0>> BDC BT /F 12 Tf 72 700 Td (x) Tj ET EMC")
    objects[11] = (
        b"<< /S /Table /P 12 0 R /K [12 0 R 11 0 R 0] /Pg 3 0 R /A << /O /Table /RowSpan 2000000000"
        b" >> >>"
    )
    objects[12] = b"<< /S /L /P 11 0 R /K [11 0 R 12 0 R 10 0 R] >>"
    objects[13] = b"<< /Nums [0 [11 0 R]] >>"
    _pdf(path, objects)


def pdf_structure_deep(path: Path) -> None:
    """Twenty thousand divisions, each in another, and a paragraph in the innermost."""
    objects = _tagged(b"/P <</MCID 0>> BDC BT /F 12 Tf 72 700 Td (x) Tj ET EMC")
    last = 14 + 20_000
    objects[11] = b"<< /S /Div /P 10 0 R /K 15 0 R >>"
    for number in range(15, last):
        above = 11 if number == 15 else number - 1
        objects[number] = b"<< /S /Div /P %d 0 R /K %d 0 R >>" % (above, number + 1)
    objects[last] = b"<< /S /P /P %d 0 R /K 0 /Pg 3 0 R >>" % (last - 1)
    objects[13] = b"<< /Nums [0 [%d 0 R]] >>" % last
    _pdf(path, objects)


def _tagged(content: bytes) -> dict[int, bytes]:
    objects = _one_page(
        _stream(content),
        {10: b"<< /Type /StructTreeRoot /K 11 0 R /ParentTree 13 0 R >>"},
        b"/StructParents 0",
    )
    objects[1] = (
        b"<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 10 0 R /MarkInfo << /Marked true >> >>"
    )
    return objects


def pdf_deep_objects(path: Path) -> None:
    """An array in an array, a million deep."""
    objects = _one_page(_stream(b"BT /F 12 Tf 72 700 Td (x) Tj ET"))
    objects[1] = (
        b"<< /Type /Catalog /Pages 2 0 R /Names " + b"[" * 1_000_000 + b"]" * 1_000_000 + b" >>"
    )
    _pdf(path, objects)


def pdf_huge_image(path: Path) -> None:
    """A page that is one picture of forty thousand million points."""
    image = _stream(
        b"",
        b"/Type /XObject /Subtype /Image /Width 200000 /Height 200000 /BitsPerComponent 8"
        b" /ColorSpace /DeviceRGB",
    )
    objects = _one_page(_stream(b"200 0 0 200 0 0 cm /I Do"), {10: image})
    objects[3] = objects[3].replace(b"/Resources <<", b"/Resources << /XObject << /I 10 0 R >>")
    _pdf(path, objects)


def pdf_noise(path: Path) -> None:
    """Thirty megabytes of noise under the header of a pdf."""
    path.write_bytes(b"%PDF-1.7\n" + random.Random(7).randbytes(30 << 20))


def _points(pen: random.Random, count: int) -> Iterable[tuple[int, int]]:
    return ((pen.randrange(600), pen.randrange(780)) for _ in range(count))


HOSTILE_PDF: Mapping[str, Callable[[Path], None]] = {
    "page loop.pdf": pdf_page_loop,
    "many pages.pdf": pdf_many_pages,
    "huge xref.pdf": pdf_huge_xref,
    "xref loop.pdf": pdf_xref_loop,
    "stream bomb.pdf": pdf_stream_bomb,
    "form loop.pdf": pdf_form_loop,
    "trickle.pdf": pdf_trickle,
    "lines.pdf": pdf_lines,
    "grid.pdf": pdf_grid,
    "outline loop.pdf": pdf_outline_loop,
    "structure loop.pdf": pdf_structure_loop,
    "structure deep.pdf": pdf_structure_deep,
    "deep objects.pdf": pdf_deep_objects,
    "huge image.pdf": pdf_huge_image,
    "noise.pdf": pdf_noise,
}
"""By the names of the files that they write."""
