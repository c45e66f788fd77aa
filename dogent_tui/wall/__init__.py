"""Where commands run: behind a wall, on a copy-on-write layer of the workspace, whose difference is
judged when they end.

The life of a command
---------------------

1. When it may run, the hook (or `can_use_tool`) answers with another input: a line of shell
   builtins that names a job (`wall/wall.py`). The CLI's shell evaluates it outside the wall, so
   it holds an id and never the command. The model and the transcript keep the original.
2. `Wall.prepare` (`wall/wall.py`) has made a layer and written the plan of what the command sees
   (`view.py`). The line writes its process id and the job's id to a FIFO, and waits for the answer
   on another.
3. The starter (`wall/starter.py`), a resident process with one thread, has a room ready: namespaces
   made, a first process in them that waits. It hands that process the plan and the shell's outputs.
   The first process mounts the layer, moves into the new root, gives up every right and runs the
   command (`wall/enter.py`). When the command has ended, it kills whatever is left inside and
   reports the status. When the shell goes away, or the time limit is over, the first process is
   killed, and with it everything.
4. `Commands` (`agent/commands.py`) hears the end in a thread. It reads the layer (`difference.py`),
   asks what history of a repository would be lost (`repository.py`), has the policy judge both
   (`permissions/outcome.py`), and asks the user where needed: the shell still waits. *Keep* commits
   (`commit.py`): journal, rename, copies to undo by. *Discard* removes the layer.
5. The answer goes to the FIFO: status, the folder to be in, and lines for the output (what the wall
   refused, what was not kept).

A place outside that the user allowed is mounted as a copy of exactly that (`outside.py`), and what
the command did to the copy is committed like the layer. A host that was allowed is reached through
a proxy that we serve on a socket made behind the wall (`web/command_proxy.py`). Why it is built so,
and what was measured: [adr/0001] (docs/adr/0001-commands-run-behind-a-wall.md).

`allowed_tools` stays unset and `setting_sources` empty, because what is allowed there never reaches
the gate. What the CLI suggests to remember is never applied. The store is `permissions.json` in the
user's `.dogent`: the policy denies every call that would write it, wherever `DOGENT_HOME` puts it,
and our own folders count as outside even where the workspace lies around them.
"""
