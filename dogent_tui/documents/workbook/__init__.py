"""Reading Excel workbooks: xlsx, xlsm, xltx."""
