"""The engine's answers: each verb of `requests` has a method here. Everything else is declined with
a sentence.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from dogent_tui.offline import drafts
from dogent_tui.offline.conversation import (
    DOCUMENTS,
    EXPORT,
    PASTED,
    PROPOSE,
    Conversation,
    Materials,
)
from dogent_tui.offline.passages import MARK, Document, Index, Passage, good
from dogent_tui.offline.requests import Request, parse_request
from dogent_tui.offline.tables import ask, operation_of
from dogent_tui.offline.words import extension, language_of, pattern, phrase, suggest, terms, words
from dogent_tui.plain import words_of

_ANSWERS, _SAYS_ALL, _BESIDE = 0.25, 0.45, 0.5
"""The coverage from which on a passage counts: as an answer, for words that are not a question,
next to an answer from a table.
"""
_QUOTED, _LISTED, _PLACES, _LONGEST, _LONGEST_NAME = 2, 60, 3, 1_300, 200
"""The number of quoted passages, listed lines, places in a file, characters of a quote, and bytes
of a draft's name.
"""
_DRAFT, _ADDED, _SUMMARY, _LINE = 700, 300, 250, 60
"""Words."""
_ALONE = "(print mode)"
"""Part of the system prompt if no one is there to answer (`agent/prompts/not-asking.md`)."""
_WISH = re.compile(r"output format\W+(pdf|docx)", re.IGNORECASE)


class Finder:
    """Answers the current prompt of `talk`.

    The method of a verb yields the paragraphs of the answer, none if `_why` gives the reason. It
    raises Pending with calls that have to return first.
    """

    def __init__(self, talk: Conversation, desk: Materials) -> None:
        self._talk, self._desk = talk, desk
        self.request = self._request_of(-1)
        self.request.files += [PASTED] if talk.runs[-1].material else []
        self._why = words()["declines"].get(self.request.verb, "which")

    def answer(self) -> str:
        """Return the answer."""
        verb, missing, files = self.request.verb, self.request.missing, self.request.files
        method: Callable[[], Iterable[str]] = getattr(self, f"_{verb}", list)
        if method is not list and not files and (missing or not self._desk.paths):
            self._why, method = "missing" if missing else "no_files", list
        said = list(filter(None, method())) or self._decline()
        unread = "; ".join(f"`{path}` ({reason})" for path, reason in self._desk.unread.items())
        said += [self._say("unread", names=unread)] if unread else []
        return "\n\n".join(said + [self._say("mark")] * (not self._talk.introduced))

    def _decline(self) -> list[str]:
        """Return a sentence about why nothing is done, three requests that work here, and how to
        get a model.
        """
        request = self.request
        name = [*request.missing, request.target][0]
        why = self._say(self._why, name=name, topic=request.topic or request.old, path=name)
        works = (f"- {one}" for one in suggest(request.language, self._desk.paths))
        model = self._say("model_alone" if _ALONE in self._talk.system else "model")
        return [why, self._say("works"), "\n".join(works), model]

    def _say(self, name: str, /, **slots: object) -> str:
        return phrase(self.request.language, name, **slots)

    # ── Which files ───────────────────────────────────────────────────────────────────────────────

    def _request_of(self, at: int) -> Request:
        run = self._talk.runs[at]
        attached = [self._talk.shown(path) for path in run.attached]
        return parse_request(run.typed, attached, self._desk.paths)

    def sources(self) -> list[Document]:
        """Return what the request is about: the files and folders it names, otherwise all files
        here.
        """
        files, every = self.request.files, self._desk.paths
        named = [path for path in files if path == PASTED or extension(path)]
        named += [path for path in every if path.startswith(tuple(f"{one}/" for one in files))]
        # Of very many files only the first are read, those with names like the request.
        topic = set(terms(self.request.topic))
        every = [] if files else sorted(every, key=lambda path: -len(topic & set(terms(path))))
        wanted = [path for path in named or every if path != self.request.target]
        return self._desk.documents(wanted, drafts=bool(files))

    def _meant(self) -> list[Document]:
        """Return the files to act on: those that are named, otherwise what “it” refers to: written
        or named last.
        """
        named = self.request.files or [self.request.target] * bool(self.request.target)
        runs = () if named else range(len(self._talk.runs) - 1)
        earlier = [path for at in runs for path in self._request_of(at).files[:1]]
        return self._desk.documents(named or (self._talk.written() or earlier)[-1:], drafts=True)

    # ── Finding ───────────────────────────────────────────────────────────────────────────────────

    def _ask(self) -> Iterator[str]:
        topic, documents = self.request.topic, self.sources()
        typed = ["", *(run.typed for run in self._talk.runs)]
        before = typed[-2] if pattern("follow_up").match(typed[-1]) else ""
        if not terms(topic) and not before:
            yield from self._summarize() if self.request.files else ()
            return
        # A follow-up stands on its own, or else refers to the previous question.
        operation, earlier = operation_of(topic), operation_of(before)
        plain = pattern(earlier or operation).sub(" ", before) if operation else ""
        readings = [(topic, operation), (f"{plain} {topic}", operation or earlier)]
        tables = [table for document in documents for table in document.tables]
        said = (ask(tables, *one, named=bool(self.request.files)) for one in readings)
        answer = next(filter(None, said), "")
        index = Index(one for one in _passages(documents) if not (answer and one.table))
        least = _BESIDE if answer else _SAYS_ALL if self.request.verb == "phrase" else _ANSWERS
        hits = good(index.search(topic), least)
        if before and not hits:
            hits = good(index.search(f"{topic} {before}"), least)
            hits = [hit for hit in hits if set(terms(topic)) & set(terms(hit.passage.text))]
        yield answer
        yield from (_quote(hit.passage) for hit in hits[: 1 if answer else _QUOTED])

    _phrase = _ask

    def _find(self) -> Iterator[str]:
        sought, documents, lines = self.request.topic, self.sources(), list[str]()
        part = re.compile(rf".{{,60}}{re.escape(sought)}.{{,140}}", re.IGNORECASE)
        for document in documents if sought else ():
            places = enumerate(map(part.search, document.text.splitlines()), 1)
            said = [f"{at}: {found[0].strip()}" for at, found in places if found]
            lines += [f"- `{document.path}`, {one}" for one in said[:_PLACES]]
        if lines:
            yield from (self._say("found", topic=sought), "\n".join(lines[:_LISTED]))
        elif hits := good(Index(_passages(documents)).search(sought), _BESIDE):
            yield self._say("not_found", topic=sought)
            yield from (_quote(hit.passage) for hit in hits[:_QUOTED])

    def _compare(self) -> Iterator[str]:
        documents, sign = self.sources(), pattern("compares")
        topic, every = sign.sub(" ", self.request.topic), Index(_passages(documents))
        asked = [(every, side) for side in (topic, *sign.split(self.request.topic))]
        if self.request.files:
            yield from (ask(one.tables, topic, "each") for one in documents)
            texts = ([one for one in each.passages if not one.table] for each in documents)
            asked = [(Index(text), topic) for text in texts]
        hits = (hit for index, side in asked for hit in good(index.rank(side), 0.2)[:2])
        found = list(dict.fromkeys(hit.passage for hit in hits))
        yield from (*map(_quote, found), *drafts.differing(found, self.request.language))

    def _summarize(self) -> Iterator[str]:
        lines = self.request.lines
        if self.request.topic and not self.request.files:
            yield from self._ask()
        elif found := drafts.within(_passages(self._meant()), _LINE * lines or _SUMMARY):
            yield self._say("extracts")
            yield from map(_quote, found[: lines or None])

    # ── Acting ────────────────────────────────────────────────────────────────────────────────────

    def _list(self) -> Iterator[str]:
        paths = sorted(self._desk.existing)
        lines = [f"- `{path}`" for path in paths[:_LISTED]] + ["- …"] * (len(paths) > _LISTED)
        yield from (self._say("listed", count=len(paths)), "\n".join(lines))

    def _count(self) -> Iterator[str]:
        for one in self._meant():
            yield self._say("counted", path=one.path, count=len(words_of(one.text)))

    def _outline(self) -> Iterator[str]:
        for one in self._meant():
            lines = [f"{'  ' * (each.level - 1)}- {each.title}" for each in one.headings]
            yield self._say("headings" if lines else "no_headings", path=one.path)
            yield "\n".join(lines)

    def _contents(self) -> Iterator[str]:
        title = self._say("contents_title")
        for one in self._meant()[:1]:
            if below := [each for each in one.headings if each.level > 1 and each.title != title]:
                text = drafts.with_contents(one.text, below, title)
                yield self._change(one.path, text, self._say("contents", path=one.path))

    def _open(self) -> Iterator[str]:
        for one in (meant := self._meant()[:1]):
            yield self._say("open", path=one.path)
            yield _marked("\n".join(one.text.strip().splitlines()[:20]))
        if not meant and "/" not in self.request.topic:
            yield from self._ask()

    def _replace(self) -> Iterator[str]:
        old, new = self.request.old, self.request.new
        for one in self.sources():
            if count := one.text.count(old) if old else 0:
                said = self._say("proposed", path=one.path, count=count, old=old, new=new)
                yield self._change(one.path, one.text.replace(old, new), said)

    def _change(self, path: str, text: str, summary: str, *, is_new: bool = False) -> str:
        """Propose `text` for the file, or write it if it is new or no one can review; return the
        result.
        """
        if extension(path) in DOCUMENTS:
            return self._say("not_text", path=path)
        place = self._talk.absolute(path)
        if PROPOSE in self._talk.tools and not is_new:
            call = self._desk.call(PROPOSE, path=place, new_content=text, summary=summary)
        else:
            call = self._desk.call("Write", file_path=place, content=text)
        if call.error:
            return self._say("failed", path=path, reason=call.error)
        return f"{summary} {self._say('decided', outcome=call.review)}" if call.review else summary

    def _export(self) -> Iterator[str]:
        kinds = self.request.formats or [extension(self.request.target)]
        for one in self._meant()[:1]:
            is_markdown = extension(one.path) in ("md", "markdown")
            self._why, self.request.target = "format" if is_markdown else "only_markdown", one.path
            if is_markdown and kinds[0] in ("pdf", "docx"):
                yield from self._exported(one.path, kinds)

    def _exported(self, path: str, kinds: Sequence[str]) -> Iterator[str]:
        for kind in kinds:
            call = self._desk.call(EXPORT, md_path=self._talk.absolute(path), format=kind)
            name = "not_exported" if call.error else "exported"
            yield self._say(name, path=path, reason=call.error, made=call.text.strip())

    # ── Drafting ──────────────────────────────────────────────────────────────────────────────────

    def _draft(self) -> Iterator[str]:
        request = self.request
        self._why = "no_material" if terms(request.topic) else "no_topic"
        documents = self.sources()
        outlines = [one for one in documents if pattern("is_outline").search(one.path)]
        if request.files and 0 < len(outlines) < len(documents):  # names the headings, not a source
            request.headings += [each.title for each in outlines[0].headings if each.level > 1]
            documents = [one for one in documents if one not in outlines]
        every, found = _passages(documents), self._material(documents)
        sections = drafts.sections_of(every, found, request.headings, request.words or _DRAFT)
        if not any(quoted for _, quoted in sections):
            return
        known = documents[0].title if len(documents) == 1 else ""
        title = request.topic[:1].upper() + request.topic[1:] or known or self._say("report")
        draft = drafts.compose(sections, request.language, self._desk.keys)
        path = self._free(title)
        files = ", ".join(f"`{name}`" for name in dict.fromkeys(one.path for one in draft.quoted))
        wrote = self._say("wrote", path=path, count=len(draft.quoted), files=files)
        yield self._change(path, f"# {title}\n\n{MARK}\n\n{draft.text}\n", wrote, is_new=True)
        if path not in self._talk.written():
            return
        if request.target not in ("", path):
            yield self._say("taken", path=request.target)
        wish = _WISH.search(self._talk.system) if EXPORT in self._talk.tools else None
        kinds = request.formats or ([wish[1].lower()] if wish else [])
        yield from (*draft.remarks, *self._exported(path, kinds))

    def _free(self, title: str) -> str:
        """Return the path for a draft: an unused one, or that of this run's draft."""
        calls = self._talk.runs[-1].calls
        made = (self._talk.shown(call.path) for call in calls if call.name == "Write")
        named = "-".join(re.findall(r"\w+", title.casefold())[:6])
        slug = named.encode()[:_LONGEST_NAME].decode(errors="ignore")
        stem, ending = posixpath.splitext(self.request.target or f"drafts/{slug}.md")
        ending = ending if ending in (".md", ".markdown", ".txt") else ".md"
        names = (f"{stem}-{at}{ending}" if at > 1 else stem + ending for at in range(1, 1_000))
        return next(made, "") or next(name for name in names if name not in self._desk.existing)

    def _material(self, documents: Sequence[Document]) -> list[Passage]:
        """Return the passages about the topic, including some from each named file."""
        request, found = self.request, _passages(documents)
        found = [one for one in found if language_of(one.text) == request.only] or found
        if not request.files:
            return drafts.on_topic(found, request.topic, named=False)
        each = [[one for one in found if one.path == document.path] for document in documents]
        about = [drafts.on_topic(some, request.topic, named=True) for some in each]
        both = zip(each, about, strict=True) if any(about) or not terms(request.topic) else ()
        return [one for some, mine in both for one in mine or some]

    def _add(self) -> Iterator[str]:
        request = self.request
        request.target = target = request.target or next(reversed(self._talk.written()), "")
        if target not in self._desk.existing:
            self._why = "missing" if target else "which"
        elif request.new:
            said = self._say("added_text", path=target, text=request.new)
            text = self._desk.text(target).rstrip()
            yield self._change(target, f"{text}\n\n{request.new}\n", said)
        elif found := drafts.within(self._material(self.sources()), request.words or _ADDED):
            text = self._desk.text(target)
            title = request.topic or found[0].heading or found[0].path
            sections = [(title[:1].upper() + title[1:], found)]
            part = drafts.compose(sections, request.language, self._desk.keys, text)
            said = self._say("added", path=target, count=len(part.quoted), title=sections[0][0])
            yield from (self._change(target, drafts.added(text, part), said), *part.remarks)


def _passages(documents: Sequence[Document]) -> list[Passage]:
    return [passage for document in documents for passage in document.passages]


def _quote(passage: Passage) -> str:
    text = passage.text if len(passage.text) <= _LONGEST else f"{passage.text[:_LONGEST]}…"
    asked = f"*{passage.question}*\n\n" if passage.question else ""
    where = "" if passage.question or not passage.where else f", {passage.where}"
    return f"{_marked(asked + text)}\n\n— `{passage.path}`{where}"


def _marked(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())
