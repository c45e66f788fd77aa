"""Exports Markdown as a finished pdf or docx: nothing in the process runs code, fetches anything,
or reads outside the workspace.

The steps of a pdf
------------------

`documents/export/`: pandoc parses the Markdown once (`source.py`, `document.py`), and the result is
one tree for all formats (`tree.py`): a `Document` without raw nodes, with numbers, references and
citations written out (`references.py`), and tables with their captions and widths (`tables.py`).
Three writers each write that tree with pandoc: `page.py` HTML for the browser, `typst.py`,
`docx.py`. `pdf.py` coordinates them for a pdf, `browser.py` prints, `finish.py` corrects the
browser's output. `docs/exporting.md` describes it for users; `docs/sample-report.md` uses all of
it.

1. The tree contains nothing hostile: whatever its spelling was, an image, a link or a piece of HTML
   is one kind of node, and only known attributes are kept. Pandoc parses the HTML in the Markdown,
   without what is not text (`raw_html.py`); images come from the workspace, are identified by their
   content and embedded as `data:` addresses (`images.py`, `svg.py`), links lead to the web, to a
   mailbox or into the document (`links.py`). What is left out is reported with its line
   (`left_out.py`). Formulas keep their TeX.
2. Nothing can be loaded: the page has a policy that allows only `data:`, JavaScript is off, every
   request is aborted, and no name is resolved. `test_leaks.py` shows both walls, the second one
   without the first.
3. Playwright starts the browser (in its own process group, over a pipe: if we are killed, its
   driver ends it) while the text is read, and keeps a fresh page ready. A table of contents costs a
   second printing: the page numbers are only known after the first.
4. `finish.py` appends corrections to the pdf: properties, language, bookmarks as written, and the
   tables for searching and copying text (`to_unicode.py`). It also detects characters that no font
   had.
5. If no browser starts, typst sets the same tree in a separate process (`typst.py`,
   `set_typst.py`): images are files in a private folder, which is all that typst may read.

The steps of a docx
-------------------

`documents/exporter.py` is the one entry point for both formats and makes each export in the same
steps (read, draw the diagrams, write, replace the target), for the tool and for `/export`
(`tui/exporting/controller.py`), which asks the same questions as the tool (`may_do`) and runs as
described in `tui/foreground.py`: one task, reported below the prompt, stopped with Esc;
`storage/paths.py` has the rule for the default output path, so that the policy asks about the file
that is written. `docx.py` gives pandoc the tree of the document with what only Word has: the table
of contents, page breaks, section breaks. Pictures stand in it with a few bytes of content each
(`docx_images.py`): pandoc takes 0.4 s per megabyte of data address. Then the package is completed
(`docx_package.py`): pictures, page breaks, widths of cells, properties; a final check refuses every
external relationship.
"""
