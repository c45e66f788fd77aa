"""A conversation with the agent, independent of the screen.

`events.py` is the vocabulary. `run.py` holds the states of session and run as two tables, and the
answers to its calls. `service.py` is the I/O around them. `connection.py` starts, reads, restarts
and ends the model session, and carries out one turn. `stream.py` delivers events to subscribers.
`queue.py` keeps the queued prompts, `open_requests.py` what waits for the user. `conversation.py`
is the interface to a model session, `claude.py` the session of the real CLI, and `translator.py`
turns its messages into events. `gate.py` connects the SDK's callbacks to policy and user.
`authority.py` is the one place that combines the policy with what the user allowed before, and
words the questions. `launch.py` assembles a conversation. `failures.py` words the errors.
`shell.py` runs the user's own commands. `wall_status.py` finds out and reports which wall surrounds
commands. `session.py` opens a session from a folder and a few choices. `recorder.py` writes its log
and the history, without keys, even if one streams in pieces.

The steps of a prompt
---------------------

1. `PromptEditor` posts `Submitted` with the text and the references found in it. `PromptController`
   (`prompt/controller.py`) resolves them in a thread into attachments: path, name, type, sheet,
   never contents.
2. `AgentService.submit` queues the prompt. A single worker takes one prompt at a time, publishes
   `RunStarted`, waits for the connection, and sends the text followed by the JSON array of
   attachments (`agent/prompts/user.md`).
3. One reader per session turns the SDK's messages into events (`translator.py`). The service adds a
   run and a number to each and passes it to every subscriber: the screen, the recorder, print mode.
   What the CLI reports about a changed file beside a result is included, so that a card shows the
   actual change of the text.
4. `ConversationScreen.handle` passes the event to the transcript, the status bar and the
   attachments. The transcript draws at most about 15 times a second, and only what is visible.
5. The end of the turn becomes `RunFinished`, with a status, a reason and a remedy. The next prompt
   in the queue runs.

**Storage.** A session's log (`storage/session_log.py`) holds every event as a line, from the first
run or shell command on, without any key of the profiles or the environment (`known_secrets.py`) or
any looked up since. `storage/sessions.py` lists, searches, renames and deletes sessions by an index
file beside the log, which can be rebuilt from the log. `SessionHold` is a kernel lock on the log: a
second window that opens the conversation gets `OpenedSession.read_only`, starts no agent and
records nothing. It follows the log (`tui/sessions/other_window.py`; `LogTail` reads only what is
new), and once the lock is free, it continues the conversation when a prompt is sent
(`CurrentSession.ensure_writable`). A fork (`SessionChoice.fork_of`, the CLI's `--fork-session`) is
stored from its first run on, and starts with a copy of the log. If the CLI no longer knows a
session, the first prompt includes the conversation (`earlier_conversation`). After each start of
the process its transcript is compared with the log (`cli_transcripts.memory_of`: prompts by run id,
replies by message id, along the branch that the CLI resumes): what it lacks is sent with the next
prompt; what the log lacks is reported, as are unreadable lines. Prompts queued when a window was
killed are found in the log's last `QueueChanged`, and returned to the user (`replay.cut_off`). A
conversation of another folder is opened by ending the application and starting it there, in the
same process (`run_app`). `tests/agent/test_nothing_lost.py` lists what may happen to all this,
`tests/storage/hammering.py` covers two windows at once. If the home folder is read-only,
`files.locked` locks the folder of the file instead.

**Rewinding** (`/rewind`). A run's id is the beginning of its message's UUID, which we pass to the
CLI and its transcript keeps. `AgentService.rewind` ends the process; the next one resumes the same
session at the entry before that message (`resume_session_at`; `cli_transcripts.py`), and the
conversation continues on a branch, which a plain resume selects (all measured). Until then the
index of the log contains `dropped`, so that a start after a crash rewinds again. If nothing
precedes the message, another session starts under the same log (`SessionRecord.before`,
`first_id`); if the CLI cannot cut there (before a summary), the first prompt includes the earlier
conversation. `Rewound` in the log makes a replay draw the same (`turn_index.py`,
`TranscriptModel`). Files are restored only from our own copies (`undo/restoring.py`): they cover
what the SDK's checkpoints do and shell commands as well, keep permissions, and detect by the states
recorded after each call what someone else changed since. A rewind is itself a change that can be
undone.

**Start.** The SDK is imported in a thread after the first paint (`launch.py`), without its own tool
server (`sdk.py`): `claude.py` takes the CLI's requests for our tools out of the stream. A prompt
sent earlier waits in its run. `--continue` reads the session's log (`replay.py`) and shows its end
before the SDK is imported; the heights above are measured when idle. The context usage comes from
the log as well: the SDK's `get_context_usage` says the same (measured), but makes the CLI send the
whole conversation to the endpoint's `count_tokens` before the user has asked for anything.

**What every conversation contains** (`agent/project_instructions.py`): the instructions of
`dogent.md`, the template named by `doc_template`, and the latest lessons; read when the process
starts, only from a trusted folder, each in a tag that its text cannot close. They are read again
before each prompt, and changes are sent as a note (`ClaudeConversation.send`). On resume, the CLI
keeps the system prompt of a conversation's first request; `_OURS_EACH_TIME` makes it use ours
(measured; [models.md] (docs/models.md) lists what each request contains). A template that a prompt
names after `@@` is sent after its attachments (`with_template`), since the model could not open one
outside the folder without asking. The user's own commands (`settings/custom_commands.py`) are
prompts, sent by the same `PromptController.send`.

**Failures.** A failing endpoint ends the run, not the session. A stream that breaks off is sent
again: the unfinished message is dropped (`MessageDropped`), so that nothing appears twice. When the
CLI ends, by a signal or a crash, the reader's stream ends; everything pending is cancelled, the run
fails with `session_lost`, and the next prompt restarts the CLI with `resume`. An interrupt that
overtakes its own prompt is repeated until the turn ends, for five seconds; then the process is
killed. When a conversation is resumed, what the log has and the CLI's transcript lacks
(`not_remembered`) is sent with the next prompt. Closing interrupts first, then disconnects, then
kills: about 50 ms, and at most three seconds if the process hangs.

The steps of a question
-----------------------

What waits for the user is a `Request` (`agent/events.py`) with a `kind`: a permission, a form, an
outline, the review of a change. `OpenRequests` (`agent/open_requests.py`) keeps each until it has
its one `Reply` or is cancelled, and `RequestController` (`tui/requests.py`) shows them on screens,
one at a time. `permissions/__init__.py` describes the steps of a permission; the others take these:

1. The model calls `mcp__dogent__ui_request` (`tools/ui_request.py`). `parse_request`
   (`agent/ui_requests.py`) parses the payload: an error is returned as the tool's error, which
   names the field, and the model corrects itself. A valid payload gets the result that the user is
   answering.
2. The PostToolUse hook (`Gate.after_request`) returns `continue_: False`: the CLI ends the turn
   (`hook_stopped`) without another request to the model. Measured with the real CLI: one request
   before the answers, one after. Other calls in the same message still run. The hook is not called
   after a failed call. The model later sees that result for its call, a reminder with the same
   text, and the answers as the next user message.
3. `UiRequested` is published, then `RunFinished` with `needs_clarification` or
   `needs_outline_edit`. `OpenRequests` (`agent/open_requests.py`) keeps the request open and holds
   the queue: what the user submits in the meantime waits.
4. `RequestController` (`tui/requests.py`) opens the form (`screens/clarification.py`) or the
   outline editor (`screens/outline.py`) once the run has ended. Esc leaves it open: a line above
   the prompt says so, and F2 brings it back. Every change is saved (`storage/answer_drafts.py`).
5. The answer arrives by `service.reply`. Several requests of a turn are shown one after the other,
   and their answers are sent as one prompt, before the queued ones (`answer_text`);
   `Prompt.answers` names the requests. Abandoning settles all of them: the run then counts as
   interrupted, and the next prompt includes the note that nobody answered.
6. `UiSettled` marks a request as closed in the log. `restore` reads the log of a resumed
   conversation: what is not settled is open again, what was answered but not sent is sent.

The CLI's own `AskUserQuestion` is not offered; there is one tool for questions. If a model calls it
anyway, the CLI refuses the call, `understood` (`agent/ui_requests.py`) reads it from the stream,
and the turn is interrupted, as after `ui_request`. In print mode a request is the output (exit 11
or 12), `--answers FILE` answers, and without it the system prompt says that no user is present,
which the offline engine recognizes too.

Answers may start the first run of a resumed conversation: the user is asked about what came with
the folder before they are sent (`tui/requests.py`), and before unsent answers are
(`AgentService.restore(send=False)`). Abandoning after a restart reopens the log and the history of
the earlier session (`Recorder`).

The screens that ask share `screens/withdrawable.py` (and questions of our own with a list of
answers `screens/choice.py`): dismissed once, and closed when they become obsolete, even below
another screen. `keys_in_turn.py` has each key wait until the one before it has acted: a Textual
binding runs only after the key has bubbled up to the application, and what is typed ahead would
overtake it.
"""
