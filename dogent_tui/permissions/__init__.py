"""The permission policy: a tool call in, a decision out. Pure: no SDK, no Textual.

The life of a tool call
-----------------------

1. The model calls a tool. The CLI asks our PreToolUse hook (`Gate.before_tool`), which covers every
   tool and only computes: it answers with the verdict of `Authority.decide`, *allow*, *ask* or
   *deny*. A hook that raises would fail open, so everything that goes wrong in it is a denial;
   where the CLI loses it altogether, `on_failure="block"` holds.
2. The policy (`permissions/policy.py`) takes a `ToolCall` and works out its effects: of tools that
   name a path the place as it resolves on the disk, of commands only what is plain in their text
   (`shell/early_effects.py`): the network, places outside, plain deletions. A small table judges
   the effects (`judgement.py`). Where the verdict is *ask* and all that was asked about is covered
   by grants, it becomes *allow*: `Authority` does that, and nothing else does. A key is kind, exact
   place and program family (`grants.py`).
3. *ask* makes the CLI call `can_use_tool`. `question.py` words the decision: sentence, places,
   spans, diff, which answers can be remembered. `OpenRequests` publishes it as
   `PermissionRequested` and waits for as long as it takes. Exactly one answer counts; later ones
   are errors, and so is an answer that was not offered. `RequestController` puts the questions one
   after the other. `PermissionScreen` lies over the prompt, above the status bar; the conversation
   keeps so many rows free, so that the transcript stays in view and scrolls. An answer that is
   remembered settles the questions beside it that it covers.
4. *Allow*: the effects are worked out again, and where they changed (a swapped link) it asks again,
   at most three times. Then the answer is remembered, if that is what the user said. *Deny* blocks
   the call and ends the run as `aborted` with the reason; *deny* with words goes back to the model,
   and an identical call gets the same answer without asking until the run ends. An interrupt, a
   lost session and closing cancel the question.
5. Before a tool other than Bash runs, the gate copies what it will change or delete
   (`undo/undo_log.py`); `CopiesKept` says what `/undo` can bring back. A disk that takes no
   copy does not stop the call.
"""
