"""What the CLI's shell runs in place of a command: a line of builtins that names the job and waits
for its answer.

The shell evaluates it outside the wall, so it holds an id and never the command. An answer is a
line with the status and the number of notes, a line with the folder to stand in ("" to stay), and
the notes.
"""

import shlex
from pathlib import Path


def client_text(folder: Path, name: str) -> str:
    """Return the line for the job `name`, whose FIFOs are in `folder`.

    The group opens the answer before it asks. It holds its outputs as 8 and 9 too: while it asks, 1
    is the FIFO.
    """
    requests, answers = shlex.quote(str(folder / "requests")), shlex.quote(str(folder / name))
    return (
        f"{{ echo \"$$ {name}\" >{requests}; IFS=' ' read -r s n; IFS= read -r d; "
        'while [ "${n:-0}" -gt 0 ]; do IFS= read -r l; printf \'%s\\n\' "$l" >&2; n=$((n-1));'
        " done; } "
        f'<{answers} 8>&1 9>&2; [ -z "$d" ] || cd -- "$d"; dogent_status() {{ return "$1"; }};'
        ' dogent_status "${s:-1}"'
    )


def answer_text(status: int, folder: str = "", notes: tuple[str, ...] = ()) -> bytes:
    """Return the answer to a client. A folder whose name holds a line break is not entered."""
    place = "" if "\n" in folder else folder
    lines = [line for note in notes for line in note.splitlines()]
    return "\n".join([f"{status} {len(lines)}", place, *lines, ""]).encode(errors="surrogateescape")
