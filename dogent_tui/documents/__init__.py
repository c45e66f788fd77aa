"""Documents in, as Markdown in which every block knows where it came from; Markdown out, as
finished pdf and docx.

The life of a document that is read
-----------------------------------

1. `DocumentLibrary.read` (`documents/library.py`) examines the file. A conversion is identified by
   the file's real path, size, time and the options: it is stored (`store.py`, in the platform's
   cache folder), in progress, or new (`conversion.py`). Two readers therefore share one, paging
   never converts again, and a changed file is converted again.
2. A new one gets a worker (`workers.py` starts and watches it, `worker.py` is it): a process of its
   own, without our environment's keys, which must produce a block every six and a half seconds of
   *processor time*, which other programs do not shorten, and stay below 560 MB including its
   children. `kinds.py` determines the type of the file, from its content first, and names the
   `Reader` (`model.py`); the library it needs is imported there and nowhere else. What libraries
   print is discarded: answers use a pipe other than their standard output. The worker ends itself
   and its children when we are gone, however that happened.
3. The blocks arrive as one JSON object per line (`messages.py`) and go to a file (`spool.py`), at
   most 64 MB. As soon as there is a page of them, or after six seconds, the reader gets it, cut at
   a block. The conversion continues in the background at a lower priority. If no one waits for a
   first page any more, because a run was interrupted, it ends.
4. A worker that served a short document waits for the next one with its libraries loaded. Every
   failure is a `DocumentError`: a sentence, a remedy, and a code for programs.

Pandoc is that of its wheel, or one on PATH; if there is none, the error says what to install.

`tools/documents.py` offers this to the model, `subcommands/read.py` on the command line,
`tui/pane/reading.py` to the pane, which requests the next part while scrolling. Relative paths of
our own tools start at the root of the workspace, for them and for the policy, whatever the working
directory of the session's shell.
"""
