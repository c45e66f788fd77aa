"""The permission policy: takes a tool call, returns a decision. Pure: no SDK, no Textual.

The life of a tool call
-----------------------

1. The model calls a tool. The CLI asks our PreToolUse hook (`Gate.before_tool`), which covers every
   tool and only computes: it answers with the verdict of `Authority.decide`, *allow*, *ask* or
   *deny*. A hook that raises would fail open, so every error in it becomes a denial; if the CLI
   loses the hook altogether, `on_failure="block"` applies.
2. The policy (`permissions/policy.py`) takes a `ToolCall` and works out its effects: for tools that
   name a path, the place it resolves to on disk; for commands, only what is plain in their text
   (`shell/early_effects.py`): network, places outside, plain deletions. A small table judges the
   effects (`judgement.py`). If the verdict is *ask* and grants cover everything that would be
   asked, it becomes *allow*: only `Authority` does that. A key consists of kind, exact place and
   program family (`grants.py`).
3. *ask* makes the CLI call `can_use_tool`. `question.py` words the decision: sentence, places,
   spans, diff, and which answers can be remembered. `OpenRequests` publishes it as
   `PermissionRequested` and waits as long as it takes. Exactly one answer counts; later ones are
   errors, and so is an answer that was not offered. `RequestController` shows one question at a
   time. `PermissionScreen` covers the prompt, above the status bar; the conversation keeps that
   many rows free, so that the transcript stays visible and scrolls. An answer that is remembered
   also settles the other open questions it covers.
4. *Allow*: the effects are worked out again, and if they have changed (a swapped link) the question
   is repeated, at most three times. The answer is then remembered if the user chose so. *Deny*
   blocks the call and ends the run as `aborted` with the reason; *deny* with words goes back to the
   model, and an identical call gets the same answer without a question until the run ends. An
   interrupt, a lost session and closing cancel the question.
5. Before a tool other than Bash runs, the gate copies what it will change or delete
   (`undo/undo_log.py`); `CopiesKept` says what `/undo` can restore. If the disk cannot take a copy,
   the call still runs.
"""
