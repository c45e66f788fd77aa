"""Words that a document needs in its own language, such as “Figure” and “Contents”, and the
direction of its script.
"""

import re
import unicodedata

_KEYS = ["contents", "fig", "tbl", "sec", "eq", "lst"]
_KEYS += ["note", "tip", "important", "warning", "caution"]
_TERMS = {
    "ar": "المحتويات شكل جدول قسم معادلة قائمة ملاحظة نصيحة مهم تحذير تنبيه",
    "de": "Inhalt Abbildung Tabelle Abschnitt Gleichung Listing Hinweis Tipp Wichtig Warnung Achtung",  # noqa: E501
    "en": "Contents Figure Table Section Equation Listing Note Tip Important Warning Caution",
    "es": "Índice Figura Tabla Sección Ecuación Listado Nota Consejo Importante Advertencia Precaución",  # noqa: E501
    "fr": "Sommaire Figure Tableau Section Équation Listing Note Conseil Important Avertissement Attention",  # noqa: E501
    "he": "תוכן איור טבלה סעיף משוואה רשימה הערה עצה חשוב אזהרה זהירות",
    "it": "Indice Figura Tabella Sezione Equazione Listato Nota Suggerimento Importante Avviso Attenzione",  # noqa: E501
    "ja": "目次 図 表 節 式 リスト 注記 ヒント 重要 警告 注意",
    "ko": "목차 그림 표 절 식 목록 참고 팁 중요 경고 주의",
    "pt": "Sumário Figura Tabela Seção Equação Listagem Nota Dica Importante Aviso Cuidado",
    "ru": "Содержание Рисунок Таблица Раздел Уравнение Листинг Примечание Совет Важно Предупреждение Осторожно",  # noqa: E501
    "zh": "目录 图 表 节 式 代码 注意 提示 重要 警告 小心",
    "zh-hant": "目錄 圖 表 節 式 程式碼 注意 提示 重要 警告 小心",
}
TRADITIONAL = re.compile("zh-(tw|hk|mo|hant)")
_RIGHT_TO_LEFT = re.compile("(ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)(-|$)|.*-(arab|hebr)")
_LETTER = re.compile(r"[^\W\d_]")


def term(lang: str, key: str) -> str:
    """Return the word for `key` (``contents``, ``fig``, the kind of a call-out) in `lang` (BCP 47,
    may be empty).
    """
    tag = lang.lower()
    found = "zh-hant" if TRADITIONAL.match(tag) else tag.partition("-")[0]
    return _TERMS.get(found, _TERMS["en"]).split()[_KEYS.index(key)]


def own_title(kind: str, title: str) -> str:
    """Return the `title` of a call-out, "" if it is the word for its `kind` in some language."""
    at = _KEYS.index(kind)
    return "" if title in {words.split()[at] for words in _TERMS.values()} else title


def is_right_to_left(lang: str, text: str) -> bool:
    """Return whether a document is written from right to left, according to its language or to most
    letters at the start of its `text`.
    """
    if lang:
        return bool(_RIGHT_TO_LEFT.match(lang.lower()))
    letters = _LETTER.findall(text[:20_000])
    return sum(unicodedata.bidirectional(one) in {"R", "AL"} for one in letters) * 2 > len(letters)
