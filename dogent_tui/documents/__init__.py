"""Documents in, as Markdown whose every block knows where it came from; Markdown out, as finished
pdf and docx.

The life of a document that is read
-----------------------------------

1. `DocumentLibrary.read` (`documents/library.py`) looks at the file. Its real path, size, time and
   what is wanted of it name a conversion: one that is kept (`store.py`, in the platform's cache
   folder), one under way, or a new one (`conversion.py`). So two readers share one, paging never
   converts again, and a file that changed is converted again.
2. A new one gets a worker (`workers.py` starts and watches it, `worker.py` is it): a process of its
   own, without our environment's keys, which has to give a block every six and a half seconds and
   stay below 560 MB with all that it starts. `kinds.py` tells what the file is, by its content
   first, and names the `Reader` (`model.py`); the library that it needs is imported there and
   nowhere else. What libraries print goes nowhere: the pipe of the answers is not their standard
   output. The worker ends itself, with what it started, when we are gone, however we went.
3. The blocks come as a JSON object a line (`messages.py`) and go to a file (`spool.py`), at most 64
   MB. As soon as there is a page of them, or six seconds are over, the reader gets it, cut at a
   block. The conversion continues behind, as a lower priority. When nobody waits any more for a
   first page, because a run was interrupted, it ends.
4. A worker that served a short document waits for the next one with its libraries loaded. Every
   failure is a `DocumentError`: a sentence, a remedy, and a code for programs.

Pandoc is that of its wheel, else one on PATH; where there is none, the error says what to install.

`tools/documents.py` is that for the model, `subcommands/read.py` by hand,
`tui/attachments/document_facts.py` for the preview and the pane, which ask for the next part as one
scrolls. Relative paths of our own tools start at the root of the workspace, for them and for the
policy, wherever the session's shell is.
"""
