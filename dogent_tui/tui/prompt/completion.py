"""What the picker completes: the token at the cursor, and what it may become. Plain functions,
without a screen.
"""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from dogent_tui.language import tr
from dogent_tui.tui.commands.table import SYNONYMS, Command

if TYPE_CHECKING:
    from dogent_tui.tui.prompt.citations import Citations

CompletionKind = Literal["file", "sheet", "command", "word", "template", "citation"]

# A name in Latin letters before the @ is an e-mail address; a Chinese word before it is a sentence
# without spaces. What ends an unquoted path is, for completing it, what `workspace.references`
# says, without the rarer marks.
_BARE = r"""[^\s"#@!?,:;'`()\[\]{}<>|，。；：！？、（）【】「」『』《》“”‘’]*"""
_REFERENCE = re.compile(
    r"(?<![A-Za-z0-9_.%+\-@/])@"
    r'(?:"(?P<quoted>[^"\n]*)(?P<closed>")?|(?P<plain>' + _BARE + r"))"
    r'(?P<sheet_part>#(?:"(?P<quoted_sheet>[^"\n]*)|(?P<sheet>[^\s"#]*)))?$'
)
_REST = re.compile(_BARE)
_ARGUMENT = re.compile(r"/(\S+) +(?![@/~.])(.*)$")
"""A command and a path in the workspace. One that leads out of it is not looked for there, and
``@`` begins a reference.
"""
_TEMPLATE = re.compile(r"(?<![\w@/.])@@([\w:-]*)$")
_CITATION = re.compile(r"\[(?:[^\[\]\n]*[\s;；-])?(?<!@)@([^\[\]@,，;；\"\n#]{0,80})$")
"""An ``@`` in an open bracket, and what was typed of a key, an author or a title."""
_COMMAND = re.compile(r"/(\S*)$")
_LAST_WORD = re.compile(r'/(\S+) +((?:(?:@?"[^"]*"|[^\s"]+)\s+)*)(?![@/~.])("[^"]*|[^\s"]*)$')
"""A command, the words after it, and the one that is being typed."""
# characters before the cursor that are looked at: a path is shorter, and a line may be long
_REACH = 500


MARKDOWN = (".md", ".markdown")
"""How the names of Markdown files end, in lower case."""
_MOST_LOOKED_AT = 2_000
"""Files found among which those are looked for."""


class Completion(msgspec.Struct, frozen=True):
    """The token at the cursor: columns `start` to `end` of its line would be replaced.

    `path`: the file whose sheets are asked for. `bare`: no blank follows, as after the argument of
    a command, which is a path without an ``@``. `command` and `before`: whose word is asked for,
    and what was typed between its name and that.
    """

    kind: CompletionKind
    query: str
    start: int
    end: int
    path: str = ""
    bare: bool = False
    command: str = ""
    before: str = ""


class Candidate(msgspec.Struct, frozen=True):
    """A row of the picker. `positions`: the matched characters of `label`. `insert`: what replaces
    the token.

    `detail` says what it is, `argument` how what follows a command is named, `key` which key does
    the same. `more`: the picker stays open with what comes next
    (a folder's content, the argument of a command). `runs`: Enter may send at once.
    """

    label: str
    insert: str
    detail: str = ""
    argument: str = ""
    key: str = ""
    positions: tuple[int, ...] = ()
    more: bool = False
    runs: bool = False


class Candidates(msgspec.Struct, frozen=True):
    """What a search found. `indexing`: more may be found in a moment."""

    rows: tuple[Candidate, ...] = ()
    indexing: bool = False


class FileHit(Protocol):
    """A file or folder that matched. `path` is relative to the workspace; `positions` are its
    matched characters.
    """

    @property
    def path(self) -> str: ...  # noqa: D102
    @property
    def is_folder(self) -> bool: ...  # noqa: D102
    @property
    def positions(self) -> Sequence[int]: ...  # noqa: D102


class FileSource(Protocol):
    """The part of the workspace's file index that the picker uses. Its methods may be called in
    a thread.
    """

    @property
    def ready(self) -> bool: ...  # noqa: D102
    def search(self, query: str, limit: int = ...) -> Sequence[FileHit]: ...  # noqa: D102
    def browse(self, folder: str) -> Sequence[FileHit]: ...  # noqa: D102


def completion_at(
    line: str,
    column: int,
    *,
    first_line: bool = False,
    path_commands: Container[str] = (),
    word_commands: Container[str] = (),
) -> Completion | None:
    """Return what could be completed at `column` of `line`, or None.

    A command stands at the very start of the `first_line`; what follows one of `path_commands` is a
    path, and what follows one of `word_commands` are words and paths.
    """
    begin = max(0, column - _REACH)
    before = line[begin:column]
    if first_line and begin == 0 and (command := _COMMAND.match(before)):
        return Completion("command", command[1], 0, column)
    if (
        first_line
        and begin == 0
        and (argument := _ARGUMENT.match(before))
        and argument[1] in path_commands
    ):
        return Completion("file", argument[2], argument.start(2), len(line), bare=True)
    if (
        first_line
        and begin == 0
        and (last := _LAST_WORD.match(before))
        and last[1] in word_commands
    ):
        quoted = last[3].startswith('"')
        end = _token_end(line, column, quoted=quoted)
        return Completion(
            "word",
            last[3].removeprefix('"'),
            last.start(3),
            end,
            bare=True,
            command=last[1],
            before=last[2],
        )
    if template := _TEMPLATE.search(before):
        return Completion("template", template[1], begin + template.start(), column)
    if citation := _CITATION.search(before):
        start, end = begin + citation.start(1) - 1, _token_end(line, column, quoted=False)
        return Completion("citation", citation[1], start, end, bare=True)
    if "@" not in before or (match := _REFERENCE.search(before)) is None:
        return None
    start = begin + match.start()
    path = match["quoted"] if match["plain"] is None else match["plain"]
    if match["sheet_part"] is not None:
        return _sheet_completion(match, path, start, line, column) if path else None
    if match["closed"]:
        return None
    return Completion("file", path, start, _token_end(line, column, quoted=match["plain"] is None))


def _sheet_completion(
    match: re.Match[str], path: str, start: int, line: str, column: int
) -> Completion | None:
    if match["quoted"] is not None and not match["closed"]:
        return None  # a # inside of a quoted name
    quoted = match["quoted_sheet"] is not None
    query = match["quoted_sheet"] if quoted else match["sheet"]
    return Completion("sheet", query, start, _token_end(line, column, quoted=quoted), path)


def _token_end(line: str, column: int, *, quoted: bool) -> int:
    """Return where the token ends to the right of the cursor: a quoted one with the quote that
    follows, if one does.
    """
    if quoted:
        return column + 1 if line[column : column + 1] == '"' else column
    rest = _REST.match(line, column)
    return rest.end() if rest else column


class Completions:
    """Finds candidates for a completion. `search` may be slow (an index, a workbook): call it in
    a thread.
    """

    def __init__(
        self,
        files: FileSource,
        *,
        format_reference: Callable[[str, str | None], str],
        sheet_names: Callable[[str], Sequence[str]],
        templates: Callable[[], Sequence[tuple[str, str]]] = tuple,
        citations: "Callable[[], Citations] | None" = None,
        commands: Iterable[Command] = (),
    ) -> None:
        """Search `files` and `commands`.

        `format_reference` writes a reference to a path and a sheet; `sheet_names` lists the sheets
        of a workspace path; `templates` how each document template is spelled, and its title;
        `citations` is what may be cited.
        """
        self._files = files
        self._format = format_reference
        self._sheet_names = sheet_names
        self._templates = templates
        self._citations = citations
        self._table = commands

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands that ``/`` offers now."""
        return tuple(self._table)

    def usage(self, text: str) -> str:
        """Return how the command that `text` begins with is typed; empty where it takes no
        argument, or there is none.
        """
        name = text.split(maxsplit=1)[0] if text.strip() else ""
        return next(
            (
                command.usage
                for command in self.commands
                if f"/{command.name}" == name and command.argument
            ),
            "",
        )

    @property
    def path_commands(self) -> frozenset[str]:
        """The names of the commands whose argument is a file."""
        return frozenset(command.name for command in self.commands if command.completes == "file")

    @property
    def word_commands(self) -> frozenset[str]:
        """The names of the commands whose argument is several words."""
        return frozenset(
            command.name for command in self.commands if command.completes in ("markdown", "word")
        )

    def search(self, completion: Completion, limit: int = 50) -> Candidates:
        """Return at most `limit` candidates, best first."""
        if completion.kind == "word":
            return self._find_words(completion, limit)
        if completion.kind == "template":
            return Candidates(self._find_templates(completion.query)[:limit])
        if completion.kind == "citation":
            return self._find_citations(completion.query, limit)
        if completion.kind == "command":
            return Candidates(self._find_commands(completion.query)[:limit])
        if completion.kind == "sheet":
            return Candidates(self._find_sheets(completion)[:limit])
        return self._find_files(completion.query, limit, bare=completion.bare)

    def _find_files(self, query: str, limit: int, *, bare: bool) -> Candidates:
        indexing = not self._files.ready
        if not query.endswith("/"):
            hits = list(self._files.search(query, limit))
            named = query.rstrip(".-")
            if (
                named != query
            ):  # the whole name of a file first, where a sentence may have ended with it
                hits[:0] = [
                    hit
                    for hit in self._files.search(named, limit)
                    if hit.path == named and hit not in hits
                ]
            found = tuple(self._file_row(hit, bare=bare) for hit in hits)
            is_typed = bare and [row.insert for row in found] == [
                query
            ]  # nothing is left to be taken: Enter runs the command
            return Candidates(() if is_typed else found, indexing)
        rows = tuple(
            self._file_row(hit, bare=bare) for hit in self._files.browse(query.rstrip("/"))[:limit]
        )
        itself = Candidate(query, self._written(query, bare=bare), tr("the folder itself"))
        return Candidates((itself, *rows) if rows else (), indexing)

    def _find_citations(self, query: str, limit: int) -> Candidates:
        """Offer entries of bibliographies, and then files: what stands in brackets may be one."""
        rows: tuple[Candidate, ...] = ()
        reading = False
        if self._citations is not None:
            from dogent_tui.tui.prompt.citations import described, written  # on use

            entries, reading = self._citations().search(query, limit)
            rows = tuple(Candidate(one.key, written(one), described(one)) for one in entries)
        if " " in query:
            return Candidates(rows, reading)
        files = self._find_files(query, limit - len(rows), bare=False)
        return Candidates((*rows, *files.rows), reading or files.indexing)

    def _find_words(self, completion: Completion, limit: int) -> Candidates:
        """Offer the words of a command, and Markdown files where it takes one, each as long as
        none of its kind was typed.
        """
        before = completion.before.lower().replace('"', " ").split()
        command = next(
            (command for command in self.commands if command.name == completion.command), None
        )
        words, alone = (
            (command.words, command.completes == "word") if command is not None else ((), True)
        )
        offered = words if not any(word in before for word in words) else ()
        rows = [
            Candidate(word, word, positions=tuple(range(len(completion.query))), runs=alone)
            for word in offered
            if word.startswith(completion.query.lower())
        ]
        if alone:
            return Candidates(tuple(rows))
        if not any(word.endswith(MARKDOWN) for word in before):
            hits = self._files.search(completion.query, _MOST_LOOKED_AT)
            found = [
                hit for hit in hits if not hit.is_folder and hit.path.lower().endswith(MARKDOWN)
            ]
            rows += [
                Candidate(hit.path, _one_word(hit.path), positions=tuple(hit.positions))
                for hit in found
            ]
        return Candidates(tuple(rows[:limit]), not self._files.ready)

    def _written(self, path: str, *, bare: bool) -> str:
        """Return how `path` is written: bare only where nothing in it would be read as anything
        else.
        """
        plain = (
            path.isprintable()
            and path == path.strip()
            and not path.startswith("@")
            and '"' not in path
        )
        return path if bare and plain else self._format(path, None)

    def _file_row(self, hit: FileHit, *, bare: bool) -> Candidate:
        path = hit.path.rstrip("/")
        if not hit.is_folder:
            return Candidate(path, self._written(path, bare=bare), positions=tuple(hit.positions))
        written = self._written(f"{path}/", bare=bare)
        # A quoted folder stays open at its end, so that what follows is typed inside of the quotes.
        return Candidate(
            f"{path}/", written.removesuffix('"'), positions=tuple(hit.positions), more=True
        )

    def _find_sheets(self, completion: Completion) -> tuple[Candidate, ...]:
        names = list(self._sheet_names(completion.path))
        found = _fuzzy(completion.query, names)
        return tuple(
            Candidate(
                names[index], self._format(completion.path, names[index]), positions=positions
            )
            for index, positions in found
        )

    def _find_templates(self, query: str) -> tuple[Candidate, ...]:
        found = list(self._templates())
        rows = (
            (found[index], positions)
            for index, positions in _fuzzy(query, [spelled for spelled, _ in found])
        )
        return tuple(
            Candidate(
                f"@@{spelled}",
                f"@@{spelled}",
                title,
                positions=tuple(position + 2 for position in positions),
            )
            for (spelled, title), positions in rows
        )

    def _find_commands(self, query: str) -> tuple[Candidate, ...]:
        commands = self.commands
        typed = query.lower()
        positions_of = dict(_fuzzy(query, [command.name for command in commands]))
        meant = {SYNONYMS[name] for name in SYNONYMS if len(typed) > 1 and name.startswith(typed)}
        for index, command in enumerate(commands):
            if command.name in meant:
                positions_of.setdefault(index, ())

        def fit(match: tuple[int, tuple[int, ...]]) -> tuple[bool, bool, bool, int]:
            command = commands[match[0]]
            starts = command.name.startswith(typed)
            return (
                not starts,
                command.name not in meant,
                command.forgets,
                match[0] if starts else 0,
            )  # the others as the search ranked them

        return tuple(
            self._command_row(commands[index], positions)
            for index, positions in sorted(positions_of.items(), key=fit)
        )

    def _command_row(self, command: Command, positions: tuple[int, ...]) -> Candidate:
        shifted = tuple(position + 1 for position in positions)
        name = f"/{command.name}"
        goes_on = command.needs_argument and bool(command.completes)
        return Candidate(
            name,
            name,
            command.help,
            command.argument,
            command.key(),
            shifted,
            goes_on,
            runs=not command.needs_argument,
        )


def _one_word(path: str) -> str:
    return f'"{path}"' if any(character.isspace() for character in path) else path


def _fuzzy(query: str, names: list[str]) -> list[tuple[int, tuple[int, ...]]]:
    """Return index and matched positions of each of `names` that matches, best first; all of
    them for an empty query.
    """
    if not query:
        return [(index, ()) for index in range(len(names))]
    from frizbee import Matcher  # compiled code, not needed before the first picker opens

    return [
        (match.index, _characters(names[match.index], match.indices))
        for match in Matcher(query).match_list_indices(names)
    ]


def _characters(name: str, offsets: Sequence[int]) -> tuple[int, ...]:
    """Return frizbee's `offsets`, which count UTF-8 bytes, as positions in `name`."""
    data = name.encode()
    return tuple(sorted({len(data[:offset].decode(errors="ignore")) for offset in offsets}))
