"""Reading Excel workbooks, and tables of other kinds: xlsx, xlsm, xltx; xls, ods, xlsb; csv.

Reading a workbook
------------------

`documents/workbook/` reads xlsx with lxml, row by row: openpyxl's read-only mode takes ten times
as long to the first page, refuses workbooks that Excel opens, and knows neither hidden rows nor, in
one pass, formulas beside their results. `rows.py` makes what each cell shows of its XML
(`package.py` reads the shared texts only as far as they are asked for, `formats.py` has the number
formats and dates), and `reader.py` adds what lies around the cells (`notes.py`). `rows.py` cuts
rows that nobody wants out of the XML before it is parsed: row 84,871 of 100,000 takes 0.75 s.
calamine reads xls, ods and xlsb (`values.py`); of xlsx it knows no formats.

`reading.py` takes the rows of all of them, and those of a csv (`documents/text/table.py`): it
leaves out what is not in the window that is wanted, marks what is hidden, which comes at the end
as comments, and says what there is to say; `tables.py` makes tables of the rows.

`references/sheets.py` lists the sheets for the picker too. Rows are never held beyond those that
one table looks ahead, so a sheet of any size is read in about 20 MB; `check_archive` therefore lets
the parts of sheets be of any size.
"""
