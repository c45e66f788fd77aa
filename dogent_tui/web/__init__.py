"""The web: pages and images fetched behind an address guard, and search.

Private addresses. `Libraries.hosts` (`web/named.py`, `NamedHosts`) receives each prompt when its
run begins, but not the answers to the agent's own questions, which repeat what it asked. The policy
asks it whether an address of `web_fetch` leads to a private network (a name given by the user is
resolved for that); `Authority.decide` turns a question about a host that no one named into a
denial; `Authority.record_start` records an approval, valid for that address until its next call,
and the tool passes it to the `Fetcher`. The connection guard judges each address again, so a name
server that changes its answer achieves nothing. `docs/web.md` is for users.

The life of a fetch
-------------------

1. `Fetcher.fetch` (`web/fetch.py`) looks in the session's cache; otherwise `Transport.get`
   (`web/transport.py`) requests the address, following redirects, within limits of time, silence
   and bytes, both compressed and uncompressed. Each request has its own connector and `Guard`
   (`web/guarded_connector.py`), which judges the name, every address that the name server returns,
   and the address of the socket itself. A private address is a `WebError` (`private_address`) with
   host and addresses, with which the caller may ask; what is then allowed is exactly that host.
2. The type of the content is determined from its bytes (`content_type.py`); text is decoded
   (`charset.py`) and stored in a file in the session's temporary folder.
3. Pages, documents and text are read by a `DocumentLibrary`, in its worker process and part by
   part. Pages have workers of their own, one per processor, which have loaded the extractors before
   their time starts and are ended after 2.5 seconds of *processor time* (`Limits.cpu_s`), which
   other pages do not shorten. After that, all of the page's text is taken in one pass
   (`plain_page.py`), block by block, with a warning; the plain reader's regular expressions look at
   nothing twice.
4. The article (`article.py`): boilerplate is removed (`boilerplate.py`), and trafilatura runs in
   two modes, whose answers only tell which of the page's own elements to take (`selection.py`):
   paragraphs by their letters, and what extractors drop (tables, figures, formulas, notes) by what
   is around it. "Read also" and "follow us" are removed (`article_lines.py`, `phrases.py`). HTML
   itself is read in `documents/html/`, files and articles alike: `charset.py` decodes,
   `hidden_text.py` removes text hidden by style sheets, `markup.py` normalizes the rest for pandoc
   (`formulas.py`, `notes.py`, `code.py`), and pandoc's tree goes through the writer for all
   documents. In a file, hidden text becomes a comment in place; in an article, it is only in the
   metadata. A page with scripts and hardly any text is rendered (`drawing_browser.py`) and read
   again: by the exporter's browser, offline and behind the wall, with requests answered by
   `Transport`, GET only, and nothing private except from the page's own host.
5. Images are checked by decoding them in a process of their own (`image_check.py`: a JPEG can take
   hours), and saved under a safe name without overwriting anything (`images.py`).
6. Everything above the text in the tool's answer is ours: of what a server says, it contains only a
   well-formed media type.
"""
