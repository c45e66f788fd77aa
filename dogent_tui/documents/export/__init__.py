"""Markdown out, as a finished pdf or docx: nothing on the way runs, fetches, or reads what lies
outside the workspace.

The life of a pdf
-----------------

`documents/export/`: pandoc reads the Markdown once (`source.py`, `document.py`), and what it read
is one tree for all formats (`tree.py`): a `Document` without raw nodes, with numbers, references
and citations written out (`references.py`), tables with their captions and their widths
(`tables.py`). Three writers each write that tree by pandoc: `page.py` HTML for the browser,
`typst.py`, `docx.py`. `pdf.py` leads, `browser.py` prints, `finish.py` sets right what the browser
leaves wrong. `docs/exporting.md` says what a writer sees of it; `docs/sample-report.md` has all of
it.

1. Nothing hostile is in the tree: whatever its spelling was, an image, a link or a piece of HTML is
   one kind of node, and only known attributes stay. HTML in the Markdown is written again from a
   list of harmless elements, and read by pandoc (`raw_html.py`); images come out of the workspace,
   are known by what they hold and travel as `data:` addresses (`images.py`, `svg.py`), links lead
   to the web, to a mailbox or into the document (`links.py`). What is left out is told with its
   line (`left_out.py`). Formulas keep their TeX beside them.
2. Nothing can be loaded: the page has a policy that allows `data:` only, JavaScript is off, every
   request is aborted, and no name is resolved. `test_leaks.py` shows both walls, the second one
   without the first.
3. The browser is Playwright's to start (a group of its own, over a pipe: when we are killed, its
   driver ends it), is started while the text is read, and keeps a fresh page ready. A table of
   contents costs a second printing: only the first tells the page numbers.
4. `finish.py` appends to the pdf what changed: properties, language, bookmarks as they were
   written, and the tables by which text is searched and copied (`to_unicode.py`). It also sees
   which characters no font had.
5. Where no browser starts, typst sets the same tree in a process of its own (`typst.py`,
   `set_typst.py`): images are files of a private folder that is all typst may read.

The life of a docx
------------------

`documents/exporter.py` is the one door for both formats, for the tool and for `/export`
(`tui/exporting/controller.py`), which asks as the tool would be asked about (`may_do`) and runs as
`tui/foreground.py` says: one piece of work, told of under the prompt, stopped with Esc;
`storage/paths.py` holds the rule where an unnamed output goes, so that the policy asks about
the very place that is written. `docx.py` gives pandoc the tree of the document with what only Word
knows: the contents, page breaks, ends of sections. Pictures go in as stand-ins, PNG heads of the
right size (`docx_images.py`): pandoc takes 0.4 s for a megabyte of data address. Then the package
is set right (`docx_package.py`): pictures in their places, page breaks, columns,
properties; a last check refuses every relation to what is outside.
"""
