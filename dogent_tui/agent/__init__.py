"""A conversation with the agent, without a screen.

In `agent/`: `events.py` is the vocabulary, `run.py` has the states of session and run as two tables
and what its calls were answered, `service.py` is the I/O around them, `connection.py` starts,
reads, restarts and ends the model session and has one turn taken,
`stream.py` delivers events to subscribers, `queue.py` keeps the prompts that wait for their run,
`open_requests.py` what waits for the user, `conversation.py` is the seam to a model session,
`claude.py` the session of the real CLI, `translator.py` turns its messages into events, `gate.py`
the bridge from the SDK's callbacks to policy and user, `authority.py` the one place where the
policy and what the user allowed before meet, which also words what is asked, `launch.py` brings the
parts of a conversation together, `failures.py` words what can go wrong, `shell.py` runs the user's
own commands, `wall_status.py` finds out which wall surrounds commands and says so, `session.py`
opens a session from a folder and a few choices, `recorder.py` writes its log and the history
(and keeps keys out of it, also where one streams in pieces).

The life of a prompt
--------------------

1. `PromptEditor` posts `Submitted` with the text and the references found in it. `PromptController`
   (`prompt/controller.py`) resolves these in a thread into attachments: path, name, type, sheet,
   never contents.
2. `AgentService.submit` queues the prompt. One worker takes one prompt at a time, publishes
   `RunStarted`, waits for the connection, and sends the words followed by the JSON array of
   attachments (`agent/prompts/user.md`).
3. One reader, for the life of a session, turns the SDK's messages into events (`translator.py`).
   The service stamps each with a run and a number and hands it to every subscriber: the screen, the
   recorder, print mode. What the CLI tells beside a result about the file that was changed goes
   along, so that a card counts what became of a text, not the text.
4. `ConversationScreen.handle` gives the event to the transcript, the status bar and the
   attachments. The transcript draws at most some 15 times a second, and only what is visible.
5. The end of the turn becomes `RunFinished`, with a status, a reason and a remedy. The next prompt
   in the queue runs.

What is kept of it. A session's log (`storage/session_log.py`) has every event as a line, in pieces
of 16 MB, from the first run or shell command on, without any key of the profiles or the environment
(`known_secrets.py`), nor any that was looked up since; `storage/sessions.py` lists, finds, renames
and deletes by the page beside it, which the log itself can replace. `SessionHold` is a lock of the
kernel on the log: a second window that opens the conversation gets `OpenedSession.read_only`,
starts no agent and records nothing; it follows the log (`tui/sessions/other_window.py`; `LogTail`
reads only what is new) and, once nobody holds it, continues it when a prompt is sent
(`CurrentSession.ensure_writable`). A fork (`SessionChoice.fork_of`, the CLI's `--fork-session`) is
on disk from its first run on, and begins with a copy of the log. Where the CLI does not know a
session any more, the first prompt carries what was said (`earlier_conversation`). After each start
of the process its transcript is compared with the log (`cli_transcripts.memory_of`: prompts by the
id of their run, replies by that of their message, along the branch that the CLI resumes): what it
lacks goes with the next prompt, what the log lacks is a notice, as are lines that cannot be read.
Prompts that waited when a window was killed are told by the log's last `QueueChanged`, and are the
user's again (`replay.cut_off`). A conversation of another folder is opened by ending the
application and starting it again there, in the same process (`run_app`).
`tests/agent/test_nothing_lost.py` is the list of what may happen to all this,
`tests/storage/hammering.py` two windows at once. Where the home cannot be written, `files.locked`
locks the folder of the file instead.

Going back (`/rewind`). A run's id is how the UUID of its message begins, which we give the CLI and
its transcript keeps. `AgentService.rewind` ends the process; the next one resumes the same session
at the entry before that message (`resume_session_at`; `cli_transcripts.py`), and what is said then
is a branch, which a plain resume is at the end of (all measured). Until then the page of the log
says `dropped`, so that a start after a crash goes back again. Where nothing came before, another
session begins under the same log (`SessionRecord.before`, `first_id`); where the CLI cannot cut
there (before a summary), the first prompt says what was said until then. `Rewound` in the log has a
replay draw the same (`turn_index.py`, `TranscriptModel`). The files are gone back over with our own
copies alone (`undo/rewind_plan.py`): they cover what the SDK's checkpoints do and shell commands
besides, keep permissions, and know by the states that are noted after each call what someone else
changed since. A rewind is itself a change that is kept.

The SDK is imported in a thread after the first paint (`launch.py`), without its own server for
tools (`sdk.py`): `claude.py` takes what the CLI asks of our tools out of the stream. A prompt
that is sent before simply waits in its run.

`--continue` reads the session's log (`replay.py`) and shows its end before the SDK is imported; the
heights of what lies above are measured when idle. How full the context is comes from the log as
well: the SDK's `get_context_usage` says the same (measured), but has the CLI send the whole
conversation to the endpoint's `count_tokens` before the user has asked for anything.

What every conversation contains (`agent/project_instructions.py`): the wishes of `dogent.md`, the
template that `doc_template` names, the latest lessons; read when the process starts, from a trusted
folder only, each in a tag that its text cannot end. Before each prompt they are read again, and
what changed goes along as a note (`ClaudeConversation.send`). The CLI keeps the system prompt of a
conversation's first request when it is resumed; `_OURS_EACH_TIME` has it take ours (measured;
[models.md] (docs/models.md) has what each request holds). A template that a prompt names after `@@`
travels behind its attachments (`with_template`), since the model could open none outside the folder
without asking. Commands of the user's own (`settings/custom_commands.py`) are prompts, sent by the
same `PromptController.send`.

When things go wrong. A failing endpoint ends the run and not the session. A stream that is cut in
the middle comes again: what was streamed of the unfinished message is dropped (`MessageDropped`),
so that nothing appears twice. When the CLI ends, by a signal or a crash, the reader's stream ends;
everything that waits is cancelled, the run fails with `session_lost`, and the next prompt starts
the CLI again with `resume`. An interrupt that overtakes its own prompt is repeated until the turn
ends, for two seconds; then the process is killed. When a conversation is resumed, what the log has
and the CLI's transcript lacks (`not_remembered`) is told with the next prompt. Closing interrupts
first, then disconnects, then kills: about 50 ms, and at most three seconds with a process that
hangs.

The life of a question
----------------------

What waits for the user is a `Request` (`agent/events.py`) with a `kind`: a permission, a form, an
outline, the review of a change. `OpenRequests` (`agent/open_requests.py`) keeps each until it has
its one `Reply` or is cancelled, and `RequestController` (`tui/requests.py`) puts them on screens,
one after the other. `permissions/__init__.py` tells the way of a permission, this of the others:

1. The model calls `mcp__dogent__ui_request` (`tools/ui_request.py`). `parse_request`
   (`agent/ui_requests.py`) reads the payload: what is wrong goes back as the tool's error, which
   names the field, and the model corrects itself. What is right gets the result that the user is
   answering.
2. The PostToolUse hook (`Gate.after_request`) says `continue_: False`:
   the CLI ends the turn (`hook_stopped`) with no further request to the model. Measured with the
   real CLI: one request before the answers, one after. Calls beside it in the same message still
   run. The hook is not called after a failed call. What the model later sees of its call is that
   result, a reminder with the same words, and the answers as the next user message.
3. `UiRequested` comes, then `RunFinished` with `needs_clarification` or `needs_outline_edit`.
   `OpenRequests` (`agent/open_requests.py`) keeps it open and holds the queue: what the user
   submits meanwhile waits.
4. `RequestController` (`tui/requests.py`) opens the form (`screens/clarification.py`) or the
   outline editor (`screens/outline.py`) once the run has ended. Esc leaves it open: a line above
   the prompt says so, F2 brings it back. Every change is saved (`storage/answer_drafts.py`).
5. The answer comes by `service.reply`. Several requests of a turn are put one after the other, and
   their answers go as one prompt, before those that wait (`answer_text`); `Prompt.answers` names
   the requests. Abandoning settles all of them: the run then counts as interrupted, and the next
   prompt carries the note that nobody answered.
6. `UiSettled` is the mark in the log that a request is closed. `restore` reads the log of the
   conversation that is taken up: what is not settled is open again, what was answered but not sent
   is sent.

The CLI's own `AskUserQuestion` is not offered; there is one tool for questions. A model that calls
it all the same is understood: the CLI refuses the call, `understood` (`agent/ui_requests.py`) reads
it from the stream, and the turn is interrupted, as after `ui_request`. In print mode a request is
the output (exit 11 or 12), `--answers FILE` answers, and without it the system prompt says that
nobody is there, by which the offline engine knows too.

Answers may begin the first run of a conversation that is taken up: what came with the folder is
asked about before they are sent (`tui/requests.py`), and before those that were given and not
sent go out (`AgentService.restore(send=False)`). Abandoning after a restart opens the log and the
history of the earlier session again (`Recorder`).

The screens that ask share `screens/withdrawable.py` (and questions of our own with a list of
answers `screens/choice.py`): left once, and taken away where nobody has to answer any
more, under another screen too. Keys that act when they come are `immediate_keys.py`: a binding of
Textual's runs only when the key has come up to the application, and what is typed ahead would
overtake it.
"""
