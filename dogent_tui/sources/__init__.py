"""What the model has been given: the ledger of texts, which reviews and checks build on.

The life of a check
-------------------

1. `QuoteChecker` (`sources/quotes/quote_checker.py`) walks the folder and has the `DocumentLibrary`
   read each file once, all sheets of a workbook. What `index.py` makes of the Markdown is kept
   under the key of the conversion: the words as the characters of one text (each different word
   has its own, above U+E000), where each is, and blocks with page or line. Finding words is
   `str.find` and `re` from there on, aligning them is rapidfuzz.
2. `tokens.py` levels words so that typography makes no difference; places stay those in the text.
   Sentences that continue behind a note, a figure or in another column are joined once more behind
   the text (*seams*).
3. `claims.py` takes the draft apart, its blocks by markdown-it; `sources.py` says what a name or a
   key means, the keys by `documents/bibliography.py`, as for exports and the picker of citations.
4. `alignment.py`: a quotation's words as a run; else its parts between omissions and insertions, as
   one pattern, where what is left out must not mislead; else pairs of words vote for where it may
   be, and that window is aligned. Only equality is verbatim: no threshold turns a difference into
   it. `differences.py` words the rest.
5. `figures.py` finds a number where the words next to it are the same; else it scores the numbers
   of a source by the words that their sentence, or row and column, share with the draft's.
6. `verdicts.py` gives the verdicts by one rule for quotations and numbers (the sources that are
   named, each as it is and nearly, then all others), for `subcommands/check.py`,
   `tools/check_quotes.py` and `tui/checking/`; `marks.py` holds them against what the draft became
   since, for the margin of the open document and for reviews.
"""
