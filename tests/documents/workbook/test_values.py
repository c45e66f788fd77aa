"""Workbooks of which only the values are read: xls, ods."""

import base64
import datetime
import lzma
import zipfile

import pytest

from dogent_tui.documents.kinds import kind_of
from dogent_tui.documents.model import DocumentError, ReadOptions
from dogent_tui.documents.workbook.values import open_values, shown_as

XLS = """
T>t=p0RR90|NsC0{{Uz+z8r=ycVP6SgepJ`9Cjyy@{xwzh{`9r;h?w11QTbQ&6v4qH5DqE;RDmf=*-ddOF!ADBJp6^u*dE%)j~d{qlzMTfmIQ38#MY4`=iQc
0LNj?E2yB5A(vqWx@p0U6P@GS0(3<_XCNVJCdeWJVe>%_kxRXrXkkI@1PshgRTPo~br?s3v0BL0&#yaO1YIXu=8xVZ86%PgQp)G|4K_}|N-yXx|577l02USh
4QLaqO7TrrHFjL5a=ox?qS3I^3on=nl0B{=gN@+#Kj?TWWP_yR2af*d$K*VS-&iGb_Kp2YxJc#Bgd?b?wk7&$i6$jh9da$9Kvd&k@@fFSa+$1I9i{LzI0^-G
hmGSKA5O5pnuX}EC*-=Qky`vS1rRd+9l7SzYLAqV-@X)}|L_$cWy5DuV<4wWrOsn;7)Rjea3uZHHEET3&uZv1kcv{I1iOG7@wAu){zW?GQ(<n{Uot3|%sA8~
0c~k50emOKSo1bgOplmhXTIRDqTLExjqaa#6)>yTym-(UGl>c|#n?Pq)pko4|4y;Y>DHPAgbW8bSV;I7YrA_Z*p73RD-3+<%LjjTfKJL)3!%4`xJLUihA0mp
7Y?{qhJ2C^X0Y>=Tl0?AKxttal?YP)(hMoI;#E4J*o>><bEk~+Vkdt9T%b_Cp2<)cNSDgWJqbBx@;V3QRA8lkXf-W4?NfvOD&nQn5CJ9qZnlp<2zg4(m{oN#
v(T#Q$ukfNH;5zVy@LG{-FJ`59Q!{@*@@wSEWkB3$O0YckKWhU)$6gP^IFOEE4!G2^sKq&+n$JfO1J9stvVs?fzkSN%p&lS+EMUBh!QYM$|y7Ts*8+ilpd#)
5x_E=F5>MN-(O|q6~k;}K48#;%yAko#4wP`Ud0dKKUL)+QUKlI#sbeJPA}ou>_FW$X?G^pZU!Ex@L5TSM+OgQ{4OvT
"""
"""A workbook of xlwt's: the sheet “Costs” from B2 on, and the hidden one “Old”."""

ODS = """<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:spreadsheet><table:table table:name="Plan">
<table:table-row><table:table-cell office:value-type="string"><text:p>Task</text:p></table:table-cell>
<table:table-cell office:value-type="string"><text:p>Share</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>Dig | carry</text:p></table:table-cell>
<table:table-cell office:value-type="percentage" office:value="0.75"><text:p>75%</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="date" office:date-value="2026-03-02"><text:p>x</text:p></table:table-cell>
<table:table-cell office:value-type="boolean" office:boolean-value="true"><text:p>TRUE</text:p></table:table-cell>
</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"""  # noqa: E501
MIMETYPE = "application/vnd.oasis.opendocument.spreadsheet"


@pytest.fixture
def xls(tmp_path):
    path = tmp_path / "a.xls"
    path.write_bytes(lzma.decompress(base64.b85decode(XLS.replace("\n", ""))))
    return path


def read(path, **options):
    opened = open_values(path, ReadOptions(**options), lambda *_: None)
    return list(opened.blocks), opened


def test_an_old_workbook_is_read(xls):
    assert kind_of(xls) == "values"
    (block,), opened = read(xls)
    assert block.markdown.splitlines() == [
        "| Item | Cost | When | Done |",
        "| --- | --- | --- | --- |",
        "| Survey | 1234.5 | 2026-03-02 | TRUE |",
        "| Grüße | 0.25 | 2026-04-09 08:30:00 | FALSE |",
    ]
    assert block.source.cells == "B2:E4"
    assert opened.metadata["sheets"] == [
        {"name": "Costs", "state": "visible", "rows": 4, "columns": 5},
        {"name": "Old", "state": "hidden"},
    ]
    assert opened.warnings[0].startswith("Of this format only values are read")
    assert "kept" in read(xls, sheet="Old")[0][0].markdown


def test_part_of_an_old_workbook_comes_under_its_header(xls):
    (block,), _ = read(xls, sheet="Costs!B4:C4")
    assert block.markdown.splitlines() == ["| Item | Cost |", "| --- | --- |", "| Grüße | 0.25 |"]


def test_a_spreadsheet_of_open_document_is_read(tmp_path):
    path = tmp_path / "a.ods"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", MIMETYPE)
        # calamine takes no blanks between cells
        archive.writestr("content.xml", ODS.replace("\n", ""))
        manifest = (
            "<manifest:manifest"
            ' xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
        )
        archive.writestr("META-INF/manifest.xml", manifest)
    assert kind_of(path) == "values"
    (block,), _ = read(path)
    assert block.markdown.splitlines()[2:] == ["| Dig \\| carry | 0.75 |", "| 2026-03-02 | TRUE |"]


@pytest.mark.parametrize("cut", [600, 3000])
def test_half_a_workbook_is_a_sentence(xls, cut):
    xls.write_bytes(xls.read_bytes()[:cut])
    with pytest.raises(DocumentError) as raised:
        read(xls)
    assert raised.value.code in {"damaged", "unsupported"}


@pytest.mark.parametrize("value", [datetime.timedelta(hours=30, minutes=5), "PT30H05M00S"])
def test_a_duration_of_more_than_a_day_is_hours(value):
    assert shown_as(value) == "30:05:00"
