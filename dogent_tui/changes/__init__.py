"""Changes that are proposed to a document: compared, decided hunk by hunk, merged and written. No
screen, no SDK.

The life of a proposed change
-----------------------------

1. The model calls `propose_document_change` (`tools/propose_change.py`), which writes nothing. The
   policy judges it as a write of that place, so that one outside, or of a protected file, is asked
   about first; the gate then notes the real place for this very call, once (`Reviewing.approve`,
   `agent/write_reviews.py`), without which `Reviewed.open` (`changes/reviewed.py`) refuses it, and
   `.dogent`. A link that points elsewhere by then is not followed. The call waits:
   `Reviewing.review` publishes a `UiRequested` of the kind `document_change` that is `in_run`, with
   what the file held (`agent/ui_requests.py`), so that a later change of the file is known as
   someone else's.
   Where nobody is at a screen the tool is not offered. With `review_edits` or `/review`
   (`ReviewMode`, shared by command, status bar and gate) the CLI's Write and Edit come here too:
   what the policy allows, the hook answers with *ask*, since `can_use_tool` can wait; there, after
   whatever the user is asked, `Reviewing.outcome` works out the text as the CLI would
   (`permissions/edits.py`, the same as measured for thirteen kinds of edits), has it reviewed, and
   the call is *denied* with the outcome, which the translator shows as a result and not as an
   error. Measured with the real CLI: it checks an edit before it asks our hook, so that one that
   cannot be applied gets the CLI's own words; an Edit after our write is taken ("modified on disk
   since you last read it" is a note, not an error); only a file that we made has to be read first,
   which the outcome says. `updated_input` would do as well for one text, but the CLI then writes
   with one kind of line ending, over what someone else wrote. What cannot be worked out or is no
   UTF-8 is refused, never written unseen. In print mode the policy alone decides. The base of a
   proposal is what the model knows (`sources/ledger.py`), never a newer text: a result that came
   notes what it gave (`Read` and our reader say which part; parts that cover a text make a whole),
   a search, a name, a refusal and someone else's lines note nothing. An older base loses nothing,
   since what both sides hold is no hunk. The ledger is cut where the conversation is gone back to.
2. `changes/sequence_match.py` compares lines: unique ones as anchors (patience), rapidfuzz
   where nothing is unique, all of it within a budget. `prose.py` finds the paragraphs and
   sentences that were rewritten, and their words, or characters where there are no spaces.
   `hunks.py` cuts hunks by paragraph, under their headings. 1 MB with 300 edits takes about 30 ms
   of CPU.
3. `DocumentChange` (`model.py`) holds the decisions; nothing undecided is ever written. What stays
   of the file stays byte for byte, with its endings, its mark and the end of its last line
   (`text.py`).
4. `ReviewScreen` shows it; only the hunk under the cursor is laid out, when it is drawn and its
   width is known. Of a long paragraph only the rows around what changed are shown
   (`review/rows.py`; `v` and `e` show all), and three rows of what is beside it. Enter writes by
   `files.write_checked`, after a copy for `/undo`. Where the file is not what was reviewed,
   `merging.rebased` takes the change over to what it holds now: what only one side changed is
   merged, what both changed is an open hunk in conflict, and the review continues.
5. The outcome, hunk by hunk (`outcome.py`; hundreds that went alike in one line, as the CLI puts a
   long result into a file), is the result of the call. Where the run was lost meanwhile, it is a
   prompt.
"""
