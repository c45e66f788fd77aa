"""Reading Excel workbooks: xlsx, xlsm, xltx.

Reading a workbook
------------------

`documents/workbook/` reads xlsx with lxml, row by row: openpyxl's read-only mode takes ten times
as long to the first page, refuses workbooks that Excel opens, and knows neither hidden rows nor, in
one pass, formulas beside their results. `rows.py` makes what each cell shows of its XML
(`package.py` reads the shared texts only as far as they are asked for, `formats.py` has the
number formats and dates), `tables.py` makes tables of rows,
`notes.py` lists comments and links below them, and `reader.py` ties them together. Hidden rows and
columns come at the end, as comments. `rows.py` cuts rows that nobody wants out of the XML before
it is parsed: row 84,871 of 100,000 takes 0.75 s. calamine reads xls, ods and xlsb (`values.py`); of
xlsx it knows no formats. `references/sheets.py` lists the sheets for it and for the picker. Every
buffer has a bound, so a sheet of any size is read in about 20 MB; `check_archive` therefore lets
the parts of sheets be of any size.
"""
