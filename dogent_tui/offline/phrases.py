"""What the engine says, in English and in Chinese, and which requests it suggests."""

from collections.abc import Sequence

from dogent_tui.offline.desk import extension
from dogent_tui.offline.words import Language, words


def phrase(language: Language, name: str, /, **slots: object) -> str:
    """Return what is said, with its slots filled in."""
    said: str = words()["says"][name][language == "zh"]
    return said.format(**slots)


def suggestions(language: Language, paths: Sequence[str]) -> list[str]:
    """Return three requests that work with the files that are here."""
    texts = [path for path in paths if extension(path) in ("md", "txt", "docx", "pdf")]
    texts.sort(key=lambda path: path.casefold().endswith("readme.md"))
    tables = [path for path in paths if extension(path) in ("csv", "tsv", "xlsx")]
    markdown = [path for path in texts if extension(path) == "md"]
    having = {"text": texts, "table": tables, "texts": texts[1:] and texts, "markdown": markdown}
    having |= {"words": texts, "empty": ["-"], "empty2": ["-"], "empty3": ["-"]}
    made = ((words()["suggests"][name], files) for name, files in having.items() if files)
    return [said[language == "zh"].format(*files) for said, files in made][:3]
