"""Reading pdf: text with its layout → headings, paragraphs, lists, tables and code, page by
page.
"""
