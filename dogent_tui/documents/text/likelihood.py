"""The likelihood of a text in a language, by its characters alone: text decoded in the wrong
encoding combines letters that no alphabet has together, and rare Chinese characters.

Each character is considered separately. The share of a letter follows from its rank in the language
(Zipf's law); for Chinese characters and Hangul, a national standard lists the common ones.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache

_LETTERS: Mapping[str, str] = {
    "fr": "éèàêçôîûâùïëœüæÿ", "de": "üäößé", "es": "óíáñéúü", "pt": "ãçáéóíêõâúàôü",
    "it": "àèùòìé", "ca": "àéòèçíóïúü", "nl": "ëéïóöüè", "da": "øåæéö", "sv": "åäöé",
    "is": "áíðéóúþöýæ", "cs": "íáěéřýžščůúňťďó", "sk": "áíéýčžšúľťňôďäóĺŕ", "pl": "łąężóśćńź",
    "hu": "áéöóőüíúű", "hr": "čšžćđ", "ro": "ăâîșțşţ", "tr": "ıüşğöçâîi", "lt": "ėšžųįūčąę",
    "lv": "āīēšūņļģžķč", "et": "äõüöšž", "ru": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "uk": "оанитівреслкдумпзяьбгчхйцжєїшюфщґ", "bg": "аоиетнрсвдлкпмзъбугцчящжйхшюфь",
    "sr": "аиоенрступлдмкјвзгбшчцхжљњћђфџ", "be": "анаоіерстлкўмдпыувяьзйгбшчжёюцэхф",
    "el": "αοτειςηνσρπκλμυίάόγήέθδύώχφωβξζψϊ", "he": "יוהלארתבשמםנחדקפעסזגטכןצךףץ",
    "ar": "اليمونرتبةعدسفهكحقأجشطصخإىذضآئثزءغظؤپچژگیک",
    "th": "านรกอเงมยล่วดทส้ตะปบคหัิแจพชขใไีืู็ฟถโซณุศษผธ์ญฐภำฝฎฏฆฉฌฑฒฮฯ๊๋ึ",
}  # fmt: skip
"""The letters beyond ASCII of a language, the most frequent first."""
_CHINESE = {
    "ja": ("euc_jp", 0xCF, 1200),
    "zh_cn": ("gb2312", 0xD7, 1800),
    "zh_tw": ("big5", 0xC6, 2200),
}
"""The standard of a language, the last lead byte of its common characters, and their number."""
_HANGUL = (
    "이다는에의을가한고하지기로도사은서자어리인시그대나를수정있아일부해들과스라보구제전것으성주여장관게연상공학"
    "원유비적만조용국오면신동생안무화교실소우모계민내선회영방치트김박최윤임강남북울산광명진호현경"
)
_SIGNS = "°€–—“”„«»§…•·£±×²³½’‘ºª¿¡™©®\xa0"
_ASCII, _SIGN, _OTHER_SIGN, _FOREIGN = 1 / 40, 1 / 60, 1 / 600, 1 / 3000
_RARE, _STRANGE = 1 / 40_000, 1 / 500_000
_WITHIN_WORD = re.compile(
    r"(?<=[^\W\d_])[^\w\x00-\x7f’·\u0591-\u05c7\u064b-\u0652\u0e31-\u0e4e](?=[^\W\d_])"
)
"""A symbol, not a vowel sign or point of Hebrew, Arabic or Thai."""
_CAPITAL_WITHIN = re.compile(r"(?<=[^\W\d_])[^\W\d_\x00-\x7f]")
_ALONE = re.compile(r"(?<!\w)[^\W\d_\x00-\x7f](?![\w.])")
_TWO_ALPHABETS = re.compile(r"[a-zA-Z][\u0370-\u052f]|[\u0370-\u052f][a-zA-Z]")
"""A Latin letter next to a Greek or Cyrillic one."""
_UNLIKELY = 3.0
"""The penalty for a symbol between two letters, or for two alphabets in a word."""
_UNLIKELY_CAPITAL = 4.0
"""The penalty for a capital alone or after a small letter."""


def log_likelihood(text: str, languages: str) -> float:
    """Return the natural logarithm of the likelihood of `text` in the most likely of these
    languages.
    """
    count = Counter(text)
    capitals = sum(map(str.isupper, _ALONE.findall(text))) + sum(
        found[0].isupper() and text[found.start() - 1].islower()
        for found in _CAPITAL_WITHIN.finditer(text)
    )
    likeliest = max(
        sum(times * _of(character, language) for character, times in count.items())
        for language in languages.split()
    )
    unlikely = len(_WITHIN_WORD.findall(text)) + len(_TWO_ALPHABETS.findall(text))
    return likeliest - _UNLIKELY * unlikely - _UNLIKELY_CAPITAL * capitals


@lru_cache(maxsize=100_000)
def _of(character: str, language: str) -> float:
    return math.log(_share(character, language))


def _share(character: str, language: str) -> float:
    """Return the relative frequency of a character in a text."""
    if character.isascii():
        return _ASCII
    if share := _shares(language).get(character.lower()[0]):
        return share
    if language in {*_CHINESE, "ko"}:
        return _eastern(character, language)
    if character > "\u2e80":
        return _STRANGE
    if character.isalpha():
        return _FOREIGN
    return _SIGN if character in _SIGNS else _OTHER_SIGN


@cache
def _shares(language: str) -> dict[str, float]:
    letters = _LETTERS.get(language, "")
    total = sum(1 / (rank + 2) for rank in range(len(letters)))
    return {letter: 1 / (rank + 2) / total for rank, letter in enumerate(letters)}


def _eastern(character: str, language: str) -> float:
    if "\u3000" <= character < "\u3040" or "\uff01" <= character < "\uff61":
        return 1 / 100
    if "\u3040" <= character < "\u3100" and language == "ja":
        return 1 / 100
    if "\uff61" <= character < "\uffa0" and language == "ja":  # the narrow ones that banks use
        return 1 / 40
    if "\uac00" <= character < "\ud7a4" and language == "ko":
        if character in _HANGUL:
            return 1 / 200
        return 1 / 3000 if _lead(character, "euc_kr") else _STRANGE
    if "\u4e00" <= character < "\ua000" and language in _CHINESE:
        codec, last, common = _CHINESE[language]
        lead = _lead(character, codec)
        return _STRANGE if not lead else 1 / common if lead <= last else _RARE
    return _STRANGE if character > "\u2e80" else _OTHER_SIGN


def _lead(character: str, codec: str) -> int:
    """Return the first of the two bytes of a character, 0 if it has another number of bytes."""
    data = character.encode(codec, "ignore")
    return data[0] if len(data) == 2 else 0
