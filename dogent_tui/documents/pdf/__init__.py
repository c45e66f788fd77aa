"""Reads pdf: text with its layout → headings, paragraphs, lists, tables and code, page by page."""

import os

# it prints an advertisement on stdout
os.environ.setdefault("PYMUPDF_SUGGEST_LAYOUT_ANALYZER", "0")
