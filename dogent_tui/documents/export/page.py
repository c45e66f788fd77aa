"""The page that is printed: one HTML text that holds all it needs, and may load nothing."""

import re
from collections.abc import Mapping
from html import escape

import msgspec

from dogent_tui.documents.export.body import TOC_PLACE, Body, Heading
from dogent_tui.documents.export.code import STYLES
from dogent_tui.documents.export.source import FrontMatter

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'"
"""Content Security Policy, the second wall: the first is that nothing else is written, the third that no request leaves."""

_CONTENTS = {"de": "Inhalt", "es": "Índice", "fr": "Sommaire", "it": "Indice", "ja": "目次", "ko": "목차", "pt": "Sumário",
             "ru": "Содержание", "zh": "目录", "zh-tw": "目錄", "zh-hk": "目錄", "zh-hant": "目錄"}  # fmt: skip

_KANA = re.compile("[\u3041-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HAN = re.compile("[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")

_PAPER_ONLY = "<style>@media screen { body { display: none } }</style>"
"""Nobody sees the page on a screen: laying it out for one before it is printed takes as long as printing it."""
_LOADS = re.compile(r"url\(|@font-face", re.IGNORECASE)
"""What a style sheet has loaded for what is drawn: before printing, which waits for nothing."""


class Page(msgspec.Struct, frozen=True):
    """A document that is ready to be printed. `contents` are the headings of its table of contents, none where it has none."""

    title: str
    lang: str
    front: FrontMatter
    body: Body
    styles: tuple[str, str]
    contents: tuple[Heading, ...] = ()

    def html(self, pages: Mapping[str, int] | None = None) -> str:
        """Return the page; `pages` tells on which page each heading stands, by its name, once that is known."""
        built_in, own = self.styles
        toc = self._toc(pages or {}) if self.contents else ""
        body = self.body.html
        body = body.replace(TOC_PLACE, toc, 1) if TOC_PLACE in body else toc + body
        language = f' lang="{escape(self.lang)}"' if self.lang else ""
        return (
            f'<!DOCTYPE html>\n<html{language}><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{escape(self.title, quote=False)}</title>'
            f"<style>@layer built-in {{\n{built_in}\n{STYLES}\n}}</style>{'' if _LOADS.search(own) else _PAPER_ONLY}"
            f"<style>{own}</style></head>\n"
            f"<body>{self._head()}\n{body}</body></html>"
        )

    def _head(self) -> str:
        """Return the title as the front matter gives it, unless the text begins with it anyway."""
        front = self.front
        repeats = bool(self.body.headings) and self.body.title == front.title
        lines = [("title", front.title if not repeats else ""), ("subtitle", front.subtitle)]
        lines += [("author", ", ".join(front.authors)), ("date", front.date)]
        written = "".join(f'<p class="{name}">{escape(text, quote=False)}</p>' for name, text in lines if text)
        return f'<header class="document">{written}</header>' if written else ""

    def _toc(self, pages: Mapping[str, int]) -> str:
        top = min(heading.level for heading in self.contents)
        entries = "".join(
            f'<li class="level-{heading.level - top + 1}"><a href="#{escape(heading.name)}"><span class="text">'
            f'{escape(heading.text, quote=False)}</span><span class="number">{pages.get(heading.name, "")}</span></a></li>'
            for heading in self.contents
        )
        title = self.front.toc_title or contents_title(self.lang)
        return f'<nav class="toc"><p class="toc-title">{escape(title, quote=False)}</p><ol>{entries}</ol></nav>'


def contents_title(lang: str) -> str:
    """Return what a table of contents is called in `lang`."""
    tag = lang.lower()
    return _CONTENTS.get(tag) or _CONTENTS.get("-".join(tag.split("-")[:2])) or _CONTENTS.get(tag.split("-")[0], "Contents")


def contents_of(body: Body, front: FrontMatter) -> tuple[Heading, ...]:
    """Return the headings of a table of contents; the document's own title is none of its parts."""
    is_title = body.title and front.title in {"", body.title}
    parts = body.headings[1:] if is_title else body.headings
    if not parts:
        return ()
    top = min(heading.level for heading in parts)
    return tuple(heading for heading in parts if heading.level < top + front.toc_depth and heading.text)


def language_of(text: str) -> str:
    """Return the language of `text` where its script tells: what fonts are chosen by. Empty for all others."""
    sample = text[:20_000]
    letters = len(_LETTER.findall(sample)) or 1
    if len(_HANGUL.findall(sample)) / letters > 0.2:
        return "ko"
    kana, han = len(_KANA.findall(sample)), len(_HAN.findall(sample))
    if (kana + han) / letters < 0.1:
        return ""
    return "ja" if kana / (kana + han) > 0.1 else "zh-CN"
