"""Where commands run: behind a wall, on a copy-on-write layer of the workspace. The resulting
difference is judged when the command ends.

The life of a command
---------------------

1. When a command may run, the hook (or `can_use_tool`) replaces its input with a line of shell
   builtins that names a job (`wall/wall.py`). The CLI's shell evaluates that line outside the wall,
   so it holds an id and never the command. The model and the transcript keep the original.
2. `Wall.prepare` (`wall/wall.py`) has created a layer and written the plan of what the command sees
   (`view.py`). The line writes its process id and the job's id to one FIFO and waits for the answer
   on another.
3. The starter (`wall/starter.py`), a resident single-threaded process, keeps a room ready:
   namespaces with a first process waiting in them. It hands that process the plan and the shell's
   outputs. The first process mounts the layer, moves into the new root, drops all privileges and
   runs the command (`wall/enter.py`). When the command has ended, it kills everything left inside
   and reports the status. When the shell goes away or the time limit expires, the first process is
   killed, and everything inside with it.
4. `Commands` (`agent/commands.py`) is notified of the end in a thread. It reads the layer
   (`difference.py`), checks which repository history would be lost (`repository.py`), has the
   policy judge both (`permissions/outcome.py`), and asks the user if necessary; the shell is still
   waiting. *Keep* commits (`undo/commit.py`): journal, rename, copies for undo. *Discard* removes
   the layer.
5. The answer goes to the FIFO: status, working directory, and lines for the output (what the wall
   refused, what was not kept).

A place outside the workspace that the user allowed is mounted as a copy of exactly that place
(`outside.py`), and what the command did to the copy is committed like the layer. An allowed host is
reached through a proxy that we serve on a socket created behind the wall (`web/command_proxy.py`).
For the reasons and the measurements see [adr/0001] (docs/adr/0001-commands-run-behind-a-wall.md).

`allowed_tools` stays unset and `setting_sources` empty, because calls allowed there never reach the
gate. The CLI's own suggestions of what to remember are never applied. The store is
`permissions.json` in the user's `.dogent`: the policy denies every call that would write it,
wherever `DOGENT_HOME` puts it, and our own folders count as outside even if the workspace contains
them.
"""
