"""The built-in engine: a loopback Messages API that finds, quotes and acts, without a model or a
network.

The offline engine
------------------

`offline/server.py` speaks the Messages API on a free port of 127.0.0.1, to anyone with its random
token. It drives the *same real CLI*, so that everything above is the same with and without an
account. It finds, quotes and rearranges; it does not write.

* `requests.py` parses prompts with a closed grammar: verbs with slots, in `words.toml`, with
  everything else the engine says and understands in English and Chinese. A prompt without a
  matching verb is a question, or declined. Nothing is written without a verb *and* material.
* `finder.py` has a method for each verb. A method is written as if each tool call returned at once;
  if a result is missing, `conversation.py` leaves it (`Pending`) with the calls that the CLI has to
  make first, and it runs again with their results.
* `passages.py` splits files into passages with heading, page or row, keeping a question together
  with its answer, and finds them: BM25 over stems (snowball) and Chinese characters, also in
  pairs; a passage that does not contain nearly everything asked for is
  quoted with its neighbors; `tables.py` answers questions about tables; `drafts.py` puts extracts
  under headings, each with a footnote, and flags figures that differ between sources.
* `python -m tests.offline.measure tests/offline/sets/requests.jsonl` measures it; the tests enforce
  the numbers.

The scripted API of the end-to-end tests (`tests/e2e/scripted_api.py`) shares the protocol code.
"""
