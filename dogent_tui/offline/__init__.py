"""The built-in engine: a loopback Messages API that finds, quotes and acts, without a model or a
network.

The offline engine
------------------

`offline/server.py` speaks the Messages API on a free port of 127.0.0.1, for whoever knows its
random token. It drives the *same real CLI*, so that everything above is the same with and without
an account. It finds, quotes and rearranges; it does not write.

* `requests.py` reads what a prompt asks for by a closed grammar: verbs with slots, in `words.toml`,
  with everything else the engine says and understands in English and Chinese. What no verb matches
  is a question, or declined. Nothing is written without a verb *and* material.
* `finder.py` has a method for each verb. A method is written as if each tool call returned at once;
  where a result is not there yet, `materials.py` leaves it (`Pending`) with the calls that the
  CLI has to make first, and it runs again with their results.
* `passages.py` takes files apart into passages with heading, page or row, a question together with
  its answer. `passage_index.py` is BM25 over stems (snowball, jieba) and Chinese characters, with
  headings weighted; a passage that does not hold nearly all of what was asked is quoted with those
  around it; `tables.py` answers what is asked of a table; `drafts.py` puts extracts under
  headings, each with a footnote, and flags figures that differ between sources.
* `python -m tests.offline.measure tests/offline/sets/requests.jsonl` measures it on a set; the
  tests hold the numbers.

The scripted API of the end-to-end tests (`tests/e2e/scripted_api.py`) shares the protocol code.
"""
