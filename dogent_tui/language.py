"""The language of the interface: English, and the translations in `locale` (GNU gettext).

``tr("Nothing was written.")`` returns a message in the language of the interface; values are filled
in: ``tr("There is no theme {name}.", name=name)``. Constants contain messages too, so `choose` sets
the language before any of them is imported; a change takes effect at the next start. ``make
messages`` collects what is to be translated.
"""

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gettext import NullTranslations

__all__ = ["LANGUAGES", "choose", "interface_language", "listing", "ngettext", "sentences", "tr"]

LANGUAGES = ("en", "zh_CN")
"""The languages of the interface. The messages in the code are English."""

VARIABLE = "DOGENT_LANGUAGE"
"""The variable that overrides everything else."""

_LOCALE = os.path.join(os.path.dirname(__file__), "locale")  # noqa: PTH118, PTH120 — `--version` does without pathlib
_SIMPLIFIED = ("zh_cn", "zh_sg", "zh_hans", "zh-hans", "zh-cn", "zh-sg")

_chosen: list[str] = []


def choose(name: str) -> None:
    """Use the language `name` unless the environment overrides it. Call this before messages are
    imported.
    """
    _chosen[:] = [name] if name else []
    interface_language.cache_clear()
    _translations.cache_clear()


@cache
def interface_language() -> str:
    """Return the language of the interface, one of `LANGUAGES`: from the environment, the settings,
    or the system.
    """
    return spoken(os.environ, _chosen[0] if _chosen else "")


def spoken(environ: Mapping[str, str], chosen: str = "") -> str:
    """Return which of `LANGUAGES` is specified by `environ` and by what was `chosen` in the
    settings; English by default.
    """
    system = next(filter(None, map(environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    named = environ.get(VARIABLE) or chosen or system
    plain = named.partition(".")[0].partition("@")[0].lower()
    return "zh_CN" if plain == "zh" or plain.startswith(_SIMPLIFIED) else "en"


def tr(message: str, /, **values: object) -> str:
    """Return `message` in the language of the interface, with `values` filled in. Without values,
    braces stay as they are.
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
    return tr("{things} and {last}", things=tr(", ").join(first), last=last) if first else last


def and_more(words: Sequence[str], most: int) -> str:
    """Return the first `most` of `words` separated by commas, and the number of the others."""
    named, more = ", ".join(words[:most]), len(words) - most
    return tr("{named} and {more} more", named=named, more=more) if more > 0 else named


def sentences(*said: str) -> str:
    """Join sentences. After a Chinese full stop, which is wide, there is no blank."""
    text = ""
    for sentence in filter(None, said):
        text += sentence if not text or text.endswith(("。", "！", "？")) else f" {sentence}"
    return text


PHRASE_GAP = " · "


def phrases(*said: str) -> str:
    """Join phrases, leaving out those that are empty."""
    return PHRASE_GAP.join(filter(None, said))


@cache
def _translations() -> "NullTranslations | None":
    language = interface_language()
    if language == "en":
        return None
    import gettext  # on use: English needs none of it

    return gettext.translation("dogent_tui", _LOCALE, [language], fallback=True)
