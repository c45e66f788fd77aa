"""``/outline FILE.md``: the outline editor for a document of the workspace."""

import asyncio
import hashlib

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.storage.answer_drafts import AnswerDrafts
from dogent_tui.storage.paths import display_path
from dogent_tui.storage.text_file import TextFile, save_new
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.screens.outline import OutlineScreen, OutlineTask

_AGAIN = tr("Your unsaved edit was restored: Ctrl+S saves it, Ctrl+Z undoes it.")


async def edit_document(app: AppPort, typed: str) -> str:
    """Open the editor on the file that a user `typed`. Returns an error message, or an empty
    string. Raises DogentError.

    Unsaved changes are kept continuously and restored the next time, unless the user discarded
    them.
    """
    name = typed.strip().removeprefix("@").strip("\"'")
    workspace, keeper = app.opened.workspace, app.edits
    await keeper.settle()
    try:
        file = await asyncio.to_thread(TextFile.open, workspace, name)
        draft, notice = await asyncio.to_thread(_unsaved, keeper.drafts, file)
    except OSError as error:
        return tr(
            "Your unsaved edit of {name} cannot be read: {strerror}.",
            name=one_line(name),
            strerror=error.strerror,
        )

    def keep(markdown: str) -> None:
        changed = markdown != file.text
        keeper.keep(
            _key(file),
            {"document": file.name, "base": file.fingerprint, "outline": markdown}
            if changed
            else None,
        )

    task = OutlineTask(
        title=tr("Outline of {name}", name=one_line(file.name)),
        proposal=file.text,
        draft=draft,
        notice=notice,
        on_draft=keep,
        save=file.save,
        save_as=lambda new, text: save_new(workspace, new, text),
        completions=app.conversation.prompt.completions,
    )
    screen = await asyncio.to_thread(OutlineScreen, task)  # parsing a long document takes a while
    app.push_screen(screen, lambda _: keeper.keep(_key(file), None))
    return ""


def _key(file: TextFile) -> str:
    return (
        f"document-{hashlib.sha256(str(file.path).encode(errors='surrogatepass')).hexdigest()[:24]}"
    )


def _unsaved(drafts: AnswerDrafts, file: TextFile) -> tuple[str | None, str]:
    """Return the unsaved edit of `file`, None if there is none, and a message about it. Raises
    OSError.

    An edit of a file that has changed since no longer applies; it is saved to a separate file.
    """
    kept = drafts.load(_key(file)) or {}
    text = kept.get("outline")
    if not isinstance(text, str) or text == file.text:
        return None, ""
    if kept.get("base") == file.fingerprint:
        return text, _AGAIN
    aside = drafts.set_aside(_key(file), text)
    return None, tr(
        "The file has changed since your unsaved edit, which is kept in {aside}.",
        aside=display_path(aside),
    )
