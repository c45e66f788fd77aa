"""Reads Excel workbooks and other tables: xlsx, xlsm, xltx; xls, ods, xlsb; csv.

Reading a workbook
------------------

`documents/workbook/` reads xlsx with lxml, row by row: openpyxl's read-only mode takes ten times as
long for the first page, refuses workbooks that Excel opens, and supports neither hidden rows nor,
in one pass, formulas along with their results. `rows.py` converts the XML of each cell to what it
shows (`package.py` reads shared strings only as far as needed, `formats.py` has the number formats
and dates), and `reader.py` adds what is around the cells (`notes.py`). `rows.py` cuts unwanted rows
out of the XML before it is parsed: row 84,871 of 100,000 takes 0.75 s. calamine reads xls, ods and
xlsb (`values.py`); it does not support the number formats of xlsx.

`reading.py` processes the rows of all of them, and of csv (`documents/text/table.py`): it leaves
out what is outside the requested window, marks what is hidden, which comes at the end as comments,
and collects warnings; `tables.py` turns the rows into tables.

`references/sheets.py` lists the sheets for the picker too. Rows are never kept beyond the
look-ahead of a table, so a sheet of any size is read in about 20 MB; `check_archive` therefore
allows sheet parts of any size.
"""
