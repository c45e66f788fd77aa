"""Reading pdf: text with its layout → headings, paragraphs, lists, tables and code, page by
page.
"""

import os

os.environ.setdefault("PYMUPDF_SUGGEST_LAYOUT_ANALYZER", "0")  # it advertises on stdout
