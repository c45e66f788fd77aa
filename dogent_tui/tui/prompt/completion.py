"""What the picker completes: the token at the cursor, and its completions. Plain functions,
independent of the screen.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

from dogent_tui.language import tr
from dogent_tui.markdown_search.model import is_markdown
from dogent_tui.records import Record
from dogent_tui.references.lookup import format_reference
from dogent_tui.tui.commands.table import SYNONYMS, Command

if TYPE_CHECKING:
    from dogent_tui.references.file_index import FileHit, FileIndex
    from dogent_tui.tui.prompt.citations import Citations

CompletionKind = Literal["file", "sheet", "command", "word", "template", "citation"]

# Latin letters before the @ make it an e-mail address; a Chinese word before it belongs to a
# sentence without spaces. An unquoted path ends where `workspace.references` says, except for some
# rarer characters.
_BARE = r"""[^\s"#@!?,:;'`()\[\]{}<>|，。；：！？、（）【】「」『』《》“”‘’]*"""
_REFERENCE = re.compile(
    r"(?<![A-Za-z0-9_.%+\-@/])@"
    r'(?:"(?P<quoted>[^"\n]*)(?P<closed>")?|(?P<plain>' + _BARE + r"))"
    r'(?P<sheet_part>#(?:"(?P<quoted_sheet>[^"\n]*)|(?P<sheet>[^\s"#]*)))?$'
)
_REST = re.compile(_BARE)
_ARGUMENT = re.compile(r"/(\S+) +(?![@/~.])(.*)$")
"""A command and a path in the workspace. Paths that lead outside are not completed, and ``@``
starts a reference.
"""
_TEMPLATE = re.compile(r"(?<![\w@/.])@@([\w:-]*)$")
_CITATION = re.compile(r"\[(?:[^\[\]\n]*[\s;；-])?(?<!@)@([^\[\]@,，;；\"\n#]{0,80})$")
"""An ``@`` within an open bracket, and what was typed of a key, an author or a title."""
_COMMAND = re.compile(r"/(\S*)$")
_LAST_WORD = re.compile(r'/(\S+) +((?:(?:@?"[^"]*"|[^\s"]+)\s+)*)(?![@/~.])("[^"]*|[^\s"]*)$')
"""A command, the words after it, and the word being typed."""
# characters considered before the cursor: a path is shorter, and a line may be long
_REACH = 500


_MOST_LOOKED_AT = 2_000
"""The number of matching files among which Markdown files are sought."""


class Completion(Record):
    """The token at the cursor: columns `start` to `end` of its line would be replaced.

    `path`: the workbook whose sheets are offered. `bare`: no blank is appended, as for the argument
    of a command, which is a path without ``@``. `command` and `before`: the command whose word is
    completed, and the words typed before it.
    """

    kind: CompletionKind
    query: str
    start: int
    end: int
    path: str = ""
    bare: bool = False
    command: str = ""
    before: str = ""


class Candidate(Record):
    """A row of the picker. `positions`: the matched characters of `label`. `insert`: the
    replacement of the token.

    `detail` describes it, `argument` names the argument of a command, `key` is the key that does
    the same. `more`: the picker stays open for what follows (the content of a folder, the argument
    of a command). `runs`: Enter may send at once.
    """

    label: str
    insert: str
    detail: str = ""
    argument: str = ""
    key: str = ""
    positions: tuple[int, ...] = ()
    more: bool = False
    runs: bool = False


class Candidates(Record):
    """The result of a search. `indexing`: more may be found shortly."""

    rows: tuple[Candidate, ...] = ()
    indexing: bool = False


def completion_at(
    line: str, column: int, *, commands: Mapping[str, str] | None = None
) -> Completion | None:
    """Return what can be completed at `column` of `line`, or None.

    A command is at the very start of the first line: `commands` then tells what each of them
    completes (see `Command.completes`); it is None for other lines.
    """
    begin = max(0, column - _REACH)
    before = line[begin:column]
    if commands is not None and begin == 0:
        if command := _COMMAND.match(before):
            return Completion("command", command[1], 0, column)
        if (argument := _ARGUMENT.match(before)) and commands.get(argument[1]) == "file":
            return Completion("file", argument[2], argument.start(2), len(line), bare=True)
        if (last := _LAST_WORD.match(before)) and commands.get(last[1]) in ("markdown", "word"):
            end = _token_end(line, column, quoted=last[3].startswith('"'))
            query, start = last[3].removeprefix('"'), last.start(3)
            return Completion("word", query, start, end, bare=True, command=last[1], before=last[2])
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
        return None  # a # within a quoted name
    quoted = match["quoted_sheet"] is not None
    query = match["quoted_sheet"] if quoted else match["sheet"]
    return Completion("sheet", query, start, _token_end(line, column, quoted=quoted), path)


def _token_end(line: str, column: int, *, quoted: bool) -> int:
    """Return the end of the token to the right of the cursor; for a quoted one, after the closing
    quote if there is one.
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
        files: "FileIndex",
        *,
        sheet_names: Callable[[str], Sequence[str]],
        templates: Callable[[], Sequence[tuple[str, str]]],
        citations: "Callable[[], Citations]",
        commands: Iterable[Command],
    ) -> None:
        """Search `files` and `commands`.

        Args:
            sheet_names: Returns the sheets of a workspace path.
            templates: The spelling and title of each document template.
            citations: The citable entries.
        """
        self._files = files
        self._sheet_names = sheet_names
        self._templates = templates
        self._citations = citations
        self._table = commands

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands currently offered after ``/``."""
        return tuple(self._table)

    def usage(self, text: str) -> str:
        """Return the usage of the command that `text` begins with; empty if it takes no argument or
        does not exist.
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

    @cached_property
    def _completes(self) -> Mapping[str, str]:
        return {command.name: command.completes for command in self.commands}

    def at(self, line: str, column: int, *, first_line: bool) -> Completion | None:
        """Return what can be completed at `column` of `line`; see `completion_at`."""
        return completion_at(line, column, commands=self._completes if first_line else None)

    def search(self, completion: Completion, limit: int = 50) -> Candidates:
        """Return at most `limit` candidates, best first."""
        match completion.kind:
            case "word":
                return self._find_words(completion, limit)
            case "citation":
                return self._find_citations(completion.query, limit)
            case "file":
                return self._find_files(completion.query, limit, bare=completion.bare)
            case "template":
                rows = self._find_templates(completion.query)
            case "command":
                rows = self._find_commands(completion.query)
            case "sheet":
                rows = self._find_sheets(completion)
        return Candidates(tuple(islice(rows, limit)))

    def _find_files(self, query: str, limit: int, *, bare: bool) -> Candidates:
        indexing = not self._files.ready
        if not query.endswith("/"):
            hits = list(self._files.search(query, limit))
            named = query.rstrip(".-")
            if named != query:  # first the whole token, which may end a sentence
                ended = self._files.search(named, limit)
                hits[:0] = [hit for hit in ended if hit.path == named and hit not in hits]
            found = tuple(self._file_row(hit, bare=bare) for hit in hits)
            if bare and [row.insert for row in found] == [query]:
                found = ()  # nothing is left to complete: Enter runs the command
            return Candidates(found, indexing)
        rows = tuple(
            self._file_row(hit, bare=bare) for hit in self._files.browse(query.rstrip("/"))[:limit]
        )
        itself = Candidate(query, self._written(query, bare=bare), tr("the folder itself"))
        return Candidates((itself, *rows) if rows else (), indexing)

    def _find_citations(self, query: str, limit: int) -> Candidates:
        """Offer entries of bibliographies, then files: text in brackets may be either."""
        from dogent_tui.tui.prompt.citations import described, written  # on use

        entries, reading = self._citations().search(query, limit)
        rows = tuple(Candidate(one.key, written(one), described(one)) for one in entries)
        if " " in query:
            return Candidates(rows, reading)
        files = self._find_files(query, limit - len(rows), bare=False)
        return Candidates((*rows, *files.rows), reading or files.indexing)

    def _find_words(self, completion: Completion, limit: int) -> Candidates:
        """Offer the words of a command, and Markdown files if it takes one, each kind until one of
        it has been typed.
        """
        before = completion.before.lower().replace('"', " ").split()
        command = next(each for each in self.commands if each.name == completion.command)
        alone, typed = command.completes == "word", tuple(range(len(completion.query)))
        rows = [
            Candidate(word, word, positions=typed, runs=alone)
            for word in command.words
            if word.startswith(completion.query.lower()) and not {*before} & {*command.words}
        ]
        if alone:
            return Candidates(tuple(rows))
        if not any(map(is_markdown, before)):
            rows += [
                Candidate(hit.path, _one_word(hit.path), positions=tuple(hit.positions))
                for hit in self._files.search(completion.query, _MOST_LOOKED_AT)
                if not hit.is_folder and is_markdown(hit.path)
            ]
        return Candidates(tuple(rows[:limit]), not self._files.ready)

    def _written(self, path: str, *, bare: bool) -> str:
        """Return the spelling of `path`: unquoted only if nothing in it would be read as something
        else.
        """
        plain = (
            path.isprintable()
            and path == path.strip()
            and not path.startswith("@")
            and '"' not in path
        )
        return path if bare and plain else format_reference(path, None)

    def _file_row(self, hit: "FileHit", *, bare: bool) -> Candidate:
        path = hit.path.rstrip("/")
        if not hit.is_folder:
            return Candidate(path, self._written(path, bare=bare), positions=tuple(hit.positions))
        written = self._written(f"{path}/", bare=bare)
        # A quoted folder has no closing quote, so that what follows is typed inside the quotes.
        return Candidate(
            f"{path}/", written.removesuffix('"'), positions=tuple(hit.positions), more=True
        )

    def _find_sheets(self, completion: Completion) -> Iterator[Candidate]:
        names = self._sheet_names(completion.path)
        for index, positions in _fuzzy(completion.query, names):
            written = format_reference(completion.path, names[index])
            yield Candidate(names[index], written, positions=positions)

    def _find_templates(self, query: str) -> Iterator[Candidate]:
        found = self._templates()
        for index, positions in _fuzzy(query, [spelled for spelled, _ in found]):
            name = f"@@{found[index][0]}"
            shifted = tuple(position + 2 for position in positions)
            yield Candidate(name, name, found[index][1], positions=shifted)

    def _find_commands(self, query: str) -> Iterator[Candidate]:
        commands, typed = self.commands, query.lower()
        found = dict(_fuzzy(query, [command.name for command in commands]))
        meant = {SYNONYMS[name] for name in SYNONYMS if len(typed) > 1 and name.startswith(typed)}
        for index, command in enumerate(commands):
            if command.name in meant:
                found.setdefault(index, ())

        def fit(index: int) -> tuple[bool, bool, bool, int]:
            command = commands[index]
            starts = command.name.startswith(typed)
            rank = index if starts else 0  # the others in the order of the search
            return not starts, command.name not in meant, command.forgets, rank

        for index in sorted(found, key=fit):
            command = commands[index]
            name, needs = f"/{command.name}", command.needs_argument
            yield Candidate(
                name,
                name,
                command.help,
                command.argument,
                command.key(),
                tuple(position + 1 for position in found[index]),
                more=needs and bool(command.completes),
                runs=not needs,
            )


def _one_word(path: str) -> str:
    return f'"{path}"' if any(character.isspace() for character in path) else path


def _fuzzy(query: str, names: Sequence[str]) -> list[tuple[int, tuple[int, ...]]]:
    """Return index and matched positions of each of `names` that matches, best first; all of
    them for an empty query.
    """
    if not query:
        return [(index, ()) for index in range(len(names))]
    from frizbee import Matcher  # compiled code, not needed until the first picker opens

    return [
        (match.index, _characters(names[match.index], match.indices))
        for match in Matcher(query).match_list_indices([*names])
    ]


def _characters(name: str, offsets: Sequence[int]) -> tuple[int, ...]:
    """Convert frizbee's `offsets` in UTF-8 bytes to positions in `name`."""
    data = name.encode()
    return tuple(sorted({len(data[:offset].decode(errors="ignore")) for offset in offsets}))
