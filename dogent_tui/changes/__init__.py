"""Proposed changes to a document: compared, decided hunk by hunk, merged and written. Independent
of the screen and the SDK.

The steps of a proposed change
------------------------------

1. The model calls `propose_document_change` (`tools/propose_change.py`), which writes nothing. The
   policy judges it as a write to that place, so that one outside the workspace, or of a protected
   file, is asked about first. The gate then records the real path for this call, once
   (`Reviewing.approve`, `agent/write_reviews.py`); without that, `Reviewed.open`
   (`changes/reviewed.py`) refuses such a path, including `.dogent`. A link that points elsewhere by
   then is not followed. The call waits: `Reviewing.review` publishes a `UiRequested` of the kind
   `document_change` that is `in_run`, with the content of the file (`agent/ui_requests.py`), so
   that a later change of the file is recognized as someone else's. Without a user at a screen the
   tool is not offered.
2. With `review_edits` or `/review` (`ReviewMode`, shared by command, status bar and gate) the CLI's
   Write and Edit are reviewed, too. If the policy allows such a call, the hook answers *ask*, since
   `can_use_tool` can wait. There, after any question to the user, `Reviewing.outcome` computes the
   text as the CLI would (`permissions/edits.py`, verified for thirteen kinds of edits), has it
   reviewed, and *denies* the call with the outcome, which the translator shows as a result rather
   than an error. Measured with the real CLI: it checks an edit before it calls our hook, so that an
   inapplicable one gets the CLI's own message; an Edit after our write is accepted ("modified on
   disk since you last read it" is a note, not an error); only a file that we created has to be read
   first, which the outcome says. `updated_input` would work for a single text, but the CLI then
   writes with one kind of line ending, over what someone else wrote. What cannot be computed or is
   not UTF-8 is refused, never written unseen. In print mode the policy alone decides.
3. The base of a proposal is what the model knows (`sources/ledger.py`), never a newer text: each
   result records what it showed (`Read` and our reader tell which part; parts that cover a text
   form a whole); a search, a name, a refusal and someone else's lines record nothing. An older base
   loses nothing, since what both sides contain is not a hunk. Rewinding the conversation truncates
   the ledger.
4. `changes/sequence_match.py` compares lines: unique ones as anchors (patience diff), rapidfuzz
   where nothing is unique, all within a budget. `prose.py` finds rewritten paragraphs and
   sentences, and their changed words, or characters in scripts without spaces. `hunks.py` cuts
   hunks by paragraph, under their headings. 1 MB with 300 edits takes about 30 ms of CPU time.
5. `DocumentChange` (`model.py`) holds the decisions; nothing undecided is ever written. What is
   kept of the file stays byte for byte, with its line endings, byte order mark and the end of its
   last line (`text.py`).
6. `ReviewScreen` shows it; only the hunk under the cursor is laid out, once it is drawn and its
   width is known. Of a long paragraph only the rows around a change are shown (`review/rows.py`;
   `v` and `e` show everything), and three rows of context. Enter writes with `files.write_checked`,
   after a copy for `/undo`. If the file is no longer what was reviewed, `merging.rebased` applies
   the change to its current content: what only one side changed is merged, what both changed is an
   open hunk in conflict, and the review continues.
7. The outcome, hunk by hunk (`outcome.py`; hundreds with the same outcome share a line, because the
   CLI puts a long result into a file), is the result of the call. If the run was lost in the
   meantime, it is sent as a prompt.
"""
