"""The commands about writing in this workspace: its instructions, its lessons, and editing files in
an external editor.
"""

import asyncio
from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.settings.own_files import OwnChange
from dogent_tui.settings.templates import Template
from dogent_tui.tui.commands.family import CommandFamily, command

_GENERAL = "general"
"""The template that the agent fills in when the user describes what they write."""


def _asked_with(command: str) -> str:
    """Return the sentence that explains why a settings file of the workspace is about to change."""
    return tr("You asked for this with {command}.", command=command)


class WritingCommands(CommandFamily):
    """The commands about writing in the workspace of `app`."""

    async def _write(
        self, plan: Callable[[], OwnChange], because: str, *, exactly: bool = False
    ) -> str:
        from dogent_tui.tui.questions.own_writes import write_own

        return await write_own(self.app, plan, because, exactly=exactly)

    # ── Instructions ──────────────────────────────────────────────────────────────────────────────

    @command(
        "init",
        "Write the rules for documents in this folder",
        tr("[template | what you write]"),
    )
    async def _init(self, typed: str) -> str:
        from dogent_tui.settings.templates import called, templates
        from dogent_tui.storage.paths import dogent_home

        opened = self._opened
        among = await asyncio.to_thread(
            templates, opened.workspace, dogent_home(), trusted=opened.trust.trusted
        )
        if not typed:
            chosen = await self._choose(among)
            return await self._use(chosen) if chosen else tr("Nothing was written.")
        if template := called(typed.removeprefix("@@"), among):
            return await self._use(template)
        return await self._describe(typed)

    async def _choose(self, among: list[Template]) -> Template | None:
        from dogent_tui.settings.templates import template_folders
        from dogent_tui.storage.paths import dogent_home

        titles = await asyncio.to_thread(
            lambda: [f"{template.spelled} · {template.title}" for template in among]
        )
        folders = template_folders(self._opened.workspace, dogent_home())
        why = tr(
            "The template becomes .dogent/dogent.md. Your own templates are in {folders}.",
            folders=folders,
        )
        fills = (
            "" if self._offline else tr("Use /init WHAT YOU WRITE to have the agent fill it in.")
        )
        title = tr("What do you write in this folder?")
        place = await self._ask(title, f"{why} {fills}".strip(), titles)
        return None if place is None else among[place]

    async def _use(self, template: Template) -> str:
        from dogent_tui.settings.own_files import plan_change

        file = self._opened.workspace.constraints_file
        text = await asyncio.to_thread(template.text)
        done = await self._write(
            partial(plan_change, file, text), _asked_with(f"/init {template.spelled}")
        )
        if done == "denied":
            return tr(".dogent/dogent.md is unchanged.")
        return tr(
            "Applied {spelled} to .dogent/dogent.md. The agent follows it from now on.",
            spelled=template.spelled,
        )

    @property
    def _offline(self) -> bool:
        """Whether the built-in engine answers; it cannot fill in a template."""
        return self._opened.endpoint.kind == "offline"

    async def _describe(self, described: str) -> str:
        if self._offline:
            return tr(
                "Filling in a template needs an AI model: /setup connects one. /init alone lists"
                " templates to use as they are."
            )
        there = await asyncio.to_thread(self._opened.workspace.constraints_file.is_file)
        said = (
            tr("Set this folder up for what I write here: {described}", described=described),
            tr(
                "Write .dogent/dogent.md for it, following the template {template}: keep its"
                " headings and adapt the text below them.",
                template=f"@@built-in:{_GENERAL}",
            ),
            *([tr("There is one already: read it first.")] if there else []),
        )
        await self._screen.typed.send("\n\n".join(said), ())
        return ""

    # ── The lessons ───────────────────────────────────────────────────────────────────────────────

    @command(
        "learn",
        "Note what the agent should do differently next time",
        tr("[lesson | on | off]"),
    )
    async def _learn(self, typed: str) -> str:
        if not typed:
            self._screen.prompt.editor.replace_all("/learn ")
            return tr(
                "What should the agent do differently next time? Enter saves it to"
                " .dogent/lessons.md."
            )
        if typed in ("on", "off"):
            return await self._offer(on=typed == "on")
        return await self._note(typed)

    async def _offer(self, *, on: bool) -> str:
        from dogent_tui.settings.values import plan_settings

        because = _asked_with(f"/learn {'on' if on else 'off'}")
        done = await self._write(
            partial(plan_settings, self._opened.workspace, {"learn_auto": on}),
            because,
            exactly=True,
        )
        if done == "denied":
            return tr(".dogent/dogent.json is unchanged.")
        self._screen.lessons.offers = on
        return (
            tr("You'll be reminded of /learn after a failed run.")
            if on
            else tr("You won't be reminded of /learn.")
        )

    async def _note(self, lesson: str) -> str:
        from dogent_tui.settings.lessons import plan_lesson

        about = self._screen.lessons.about
        plan = partial(
            plan_lesson,
            self._opened.workspace,
            lesson,
            day=date.today().isoformat(),
            about=about,
        )
        done = await self._write(plan, _asked_with("/learn"))
        return (
            tr(".dogent/lessons.md is unchanged.")
            if done == "denied"
            else tr("Added to .dogent/lessons.md. The agent follows it from now on.")
        )

    # ── Files ─────────────────────────────────────────────────────────────────────────────────────

    @command("edit", "Edit a file in your own editor", "PATH", completes="file")
    async def _edit(self, typed: str) -> str:
        from dogent_tui.settings.own_files import OwnChange
        from dogent_tui.storage.files import content_of
        from dogent_tui.tui.terminal import edit_externally

        if not typed:
            return tr("Specify a file: /edit PATH.")
        path, workspace = typed.removeprefix("@").strip('"'), self._opened.workspace
        file = workspace.absolute(path)
        before = await asyncio.to_thread(content_of, file)
        if before is not None and not _is_text(before):
            return tr("{path} is not text: open it in a program made for it.", path=one_line(path))
        after = await edit_externally(self.app, file.name, before or b"")
        self._screen.refresh(layout=True)
        if after == (before or b""):
            return tr("{path} is unchanged.", path=one_line(path))
        if not _is_text(after):
            return await self._keep(file, after)
        change = OwnChange(file, before, after.decode())
        if (
            await self._write(
                lambda: change, tr("You changed it in your editor: /edit {path}", path=path)
            )
            == "denied"
        ):
            return await self._keep(file, after)
        return tr("Saved {relative}.", relative=workspace.relative(file))

    async def _keep(self, file: Path, edited: bytes) -> str:
        """Set aside what must not be written: no longer text, denied, or of a file that changed in
        the meantime.
        """
        from dogent_tui.storage.files import atomic_write, private_folder
        from dogent_tui.storage.paths import display_path, state_dir

        kept = (
            private_folder(state_dir() / "edited") / f"{datetime.now():%Y%m%d-%H%M%S}-{file.name}"
        )
        await asyncio.to_thread(atomic_write, kept, edited)
        return tr(
            "{name} is unchanged on disk. Your text is kept in {kept}.",
            name=one_line(file.name),
            kept=display_path(kept),
        )


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in content
