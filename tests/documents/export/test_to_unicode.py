"""What glyphs mean: characters that people type."""

from dogent_tui.documents.export.to_unicode import corrected_table, usual

TABLE = b"""/CIDInit /ProcSet findresource begin
1 begincodespacerange
<00> <FF>
endcodespacerange
2 beginbfchar
<01> <2F42>
<02> <4E2D>
endbfchar
1 beginbfrange
<0A> <0C> <2F83>
endbfrange
endcmap"""


def test_radicals_become_the_characters_that_they_look_like():
    assert [usual(character) for character in "⽂⻋⻔中A"] == ["文", "车", "门", "中", "A"]
    corrected = corrected_table(TABLE)
    changed = {"<01> <2F42>": "<01> <6587>", "<0A> <0C> <2F83>": "<0A> <0C> [<81EA> <81F3> <81FC>]"}
    lines = TABLE.decode().split("\n")
    assert corrected.decode().split("\n") == [changed.get(line, line) for line in lines]


def test_a_table_in_order_stays_as_it_is():
    table = TABLE.replace(b"2F42", b"6587").replace(b"2F83", b"0041")
    assert corrected_table(table) == table


def test_letters_beyond_the_basic_plane_are_no_part_of_a_range():
    """As those of formulas, which have two units each."""
    table = b"2 beginbfrange\n<0003> <0004> <D835DC4E>\n<0007> <0008> <0041>\nendbfrange\n"
    assert corrected_table(table) == table
    table = b"1 beginbfrange\n<0000> <FFFF> <0041>\nendbfrange\n"
    assert b"<0041>" in corrected_table(table)
    assert corrected_table(b"1 beginbfchar\n<5> <41>\nendbfchar\n") is not None
