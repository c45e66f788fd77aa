"""What the model has been given: the ledger of texts, on which reviews and checks are based.

The steps of a check
--------------------

1. `QuoteChecker` (`sources/quotes/quote_checker.py`) walks the folder and has the `DocumentLibrary`
   read each file once, including all sheets of a workbook. The index that `index.py` builds from
   the Markdown is stored under the key of the conversion: the words as the characters of one text
   (each distinct word is a character above U+E000), their positions, and blocks with page or line.
   Finding words is then a matter of `str.find` and `re`; rapidfuzz aligns them.
2. `tokens.py` normalizes words so that typography makes no difference; positions still refer to the
   text. Sentences that continue after a note, a figure or in another column are joined once more at
   the end of the text (*seams*).
3. `claims.py` splits the draft into claims, using markdown-it's blocks; `sources.py` resolves names
   and keys, the latter with `documents/bibliography.py`, as do exports and the citation picker.
4. `alignment.py`: first a quotation's words as a run; then its parts between omissions and
   insertions, as one pattern, provided that what is left out does not mislead; then pairs of words
   vote for a window, which is aligned. Only equality is verbatim: no threshold turns a difference
   into it. `verdicts.py` reports where the rest differs.
5. `figures.py` finds a number with the same adjacent words; otherwise it scores the numbers of a
   source by the words that their sentence, or row and column, share with the draft's.
6. `verdicts.py` applies one rule to quotations and numbers (first the named sources, exact and then
   near; then all others), for `subcommands/check.py`, `tools/check_quotes.py` and `tui/checking/`;
   `marks.py` maps the verdicts to the current text of the draft, for the margin of the open
   document and for reviews.
"""
