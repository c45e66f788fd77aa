"""The language of the interface: English, and what `locale` holds translations for (GNU gettext).

``tr("Nothing was written.")`` returns a message in the language of the interface; what varies is
filled in: ``tr("There is no theme {name}.", name=name)``. Messages stand in constants too, so the
language is settled before any of them is imported, by `choose`; a change counts from the next start
on. ``make messages`` collects what is to be translated.
"""

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gettext import NullTranslations

__all__ = ["LANGUAGES", "choose", "interface_language", "listing", "ngettext", "sentences", "tr"]

LANGUAGES = ("en", "zh_CN")
"""The languages of the interface. English is what stands in the code."""

VARIABLE = "DOGENT_LANGUAGE"
"""Names the language, before anything else does."""

_LOCALE = os.path.join(os.path.dirname(__file__), "locale")  # noqa: PTH118, PTH120 — `--version` does without pathlib
_SIMPLIFIED = ("zh_cn", "zh_sg", "zh_hans", "zh-hans", "zh-cn", "zh-sg")

_chosen: list[str] = []


def choose(name: str) -> None:
    """Have the interface speak `name` where the environment does not say otherwise. To be called
    before messages are imported.
    """
    _chosen[:] = [name] if name else []
    interface_language.cache_clear()
    _translations.cache_clear()


@cache
def interface_language() -> str:
    """Return the language of the interface, one of `LANGUAGES`: of the environment, of the
    settings, of the system.
    """
    return spoken(os.environ, _chosen[0] if _chosen else "")


def spoken(environ: Mapping[str, str], chosen: str = "") -> str:
    """Return which of `LANGUAGES` is meant by `environ`, and by what was `chosen` in the
    settings; English where none is.
    """
    system = next(filter(None, map(environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    named = environ.get(VARIABLE) or chosen or system
    plain = named.partition(".")[0].partition("@")[0].lower()
    return "zh_CN" if plain == "zh" or plain.startswith(_SIMPLIFIED) else "en"


def tr(message: str, /, **values: object) -> str:
    """Return `message` in the language of the interface, with `values` in the places that it has
    for them. Without any, nothing is filled in: braces stay as they are.
    """
    translations = _translations()
    said = message if translations is None else translations.gettext(message)
    return said.format(**values) if values else said


def ngettext(one: str, many: str, count: int, /, **values: object) -> str:
    """Return the message for `count` things in the language of the interface: `one` and `many`
    are the English ones. `values`: see `tr`.
    """
    translations = _translations()
    if translations is None:
        said = one if count == 1 else many
    else:
        said = translations.ngettext(one, many, count)
    return said.format(**values) if values else said


def listing(words: Sequence[str]) -> str:
    """Return `words` as a list within a sentence: “a, b and c”."""
    *first, last = words or ("",)
    return (
        tr("{things} and {last}").format(things=tr(", ").join(first), last=last) if first else last
    )


def and_more(words: Sequence[str], most: int) -> str:
    """Return the first `most` of `words` with commas between them, and how many more there are."""
    named, more = ", ".join(words[:most]), len(words) - most
    return tr("{named} and {more} more", named=named, more=more) if more > 0 else named


def sentences(*said: str) -> str:
    """Return what is `said` one after the other. After a full stop of Chinese, which is wide,
    there is no blank.
    """
    text = ""
    for sentence in filter(None, said):
        text += sentence if not text or text.endswith(("。", "！", "？")) else f" {sentence}"
    return text


@cache
def _translations() -> "NullTranslations | None":
    language = interface_language()
    if language == "en":
        return None
    import gettext  # on use: English needs none of it

    return gettext.translation("dogent_tui", _LOCALE, [language], fallback=True)
