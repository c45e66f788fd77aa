"""The web: pages and images fetched behind an address guard, and searched.

Private addresses. `Libraries.hosts` (`web/named.py`, `NamedHosts`) hears each prompt as its run
begins, but not the answers to the agent's own questions, which repeat what it asked. The policy
asks it whether an address of `web_fetch` leads inside (a name that the user gave is looked up for
that); `Authority.decide` makes a denial of a question about a host that nobody named;
`Authority.let_through` notes what was approved, for that address until its next call, and the tool
hands it to the `Fetcher`. The guard of the connection judges each address again: a name server that
changes its mind leads nowhere. `docs/web.md` is for users.

The life of a fetch
-------------------

1. `Fetcher.fetch` (`web/fetch.py`) looks into the session's cache, else `Transport.get`
   (`web/transport.py`) follows the address, redirect by redirect, within limits of time, silence,
   pace and bytes, sent and unpacked. Each request has its own connector and `Guard`
   (`web/guarded_connector.py`): it judges the name, every address that the name server gives, and
   the address of the socket itself. A private address is a `WebError` (`private_address`) with host
   and addresses, by which the caller may ask; what is then allowed is exactly that host.
2. What came is what its bytes say (`content_type.py`); text is decoded (`charset.py`) and lies as a
   file in the session's temporary folder.
3. Pages, documents and text are read by a `DocumentLibrary`, in its worker process and part by
   part. Pages have workers of their own, one for each processor, which have loaded the extractors
   before they count and are ended after 2.5 seconds of *processor time* (`Limits.cpu_s`): other
   pages do not shorten it. Then all of the page's text is taken in one pass (`plain_page.py`),
   block by block, with a warning; the regular expressions of the plain reader look at nothing
   twice.
4. The article (`article.py`): the page without what surely is none of it (`boilerplate.py`), and
   trafilatura in two tempers, whose answer only tells which of the page's own elements to take
   (`selection.py`): paragraphs by their letters, and what extractors drop (tables, figures,
   formulas, notes) by what is around it. "Read also" and "follow us" go (`article_lines.py`,
   `phrases.py`). HTML itself is read in `documents/html/`, files and articles alike: `charset.py`
   decodes, `hidden_text.py` takes out text that style sheets hide, `markup.py` brings what is left
   into the one form that pandoc reads (`formulas.py`, `notes.py`, `code.py`), and pandoc's tree
   goes through the writer of all documents. In a file hidden text is a comment at its place, of an
   article it is only in the metadata. A page with scripts and hardly a word is drawn
   (`drawing_browser.py`): the browser of the exporter, offline and behind the wall, whose requests
   are answered with what `Transport` brings, GET alone, nothing private but from the host of the
   page itself; and read again.
5. Images are checked by decoding them, in a process of their own (`image_check.py`: a JPEG can take
   hours), and saved under a safe name, over nothing (`images.py`).
6. What is above the text in the answer of the tool is ours: of what a server says there is only a
   media type in it, of the usual form.
"""
