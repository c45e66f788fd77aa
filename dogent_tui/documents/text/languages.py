"""Which names belong to source code, and what a fenced block calls the language."""

from collections.abc import Mapping
from pathlib import Path

TABLES = frozenset({".csv", ".tsv", ".tab", ".psv"})
"""Names of tables in text."""

_LANGUAGES: Mapping[str, str] = {
    "bash": "sh bash zsh", "bibtex": "bib", "c": "c h", "cpp": "cpp cc cxx hpp hh hxx",
    "csharp": "cs", "css": "css", "clojure": "clj", "cmake": "cmake", "dart": "dart",
    "diff": "diff patch", "dockerfile": "dockerfile", "elixir": "ex exs", "erlang": "erl",
    "fsharp": "fs", "go": "go", "graphql": "graphql gql", "groovy": "groovy gradle",
    "haskell": "hs", "ini": "ini cfg conf properties editorconfig", "java": "java",
    "javascript": "js mjs cjs jsx", "json": "json jsonl ndjson geojson webmanifest",
    "json5": "json5", "julia": "jl", "kotlin": "kt kts", "latex": "tex sty cls", "less": "less",
    "lisp": "lisp el", "lua": "lua", "makefile": "mk", "nix": "nix", "objectivec": "m mm",
    "ocaml": "ml mli", "perl": "pl pm", "php": "php", "powershell": "ps1 psm1", "protobuf": "proto",
    "python": "py pyi pyw", "r": "r", "ruby": "rb", "rust": "rs", "scala": "scala", "scheme": "scm",
    "scss": "scss sass", "sql": "sql", "svelte": "svelte", "swift": "swift", "terraform": "tf",
    "toml": "toml", "typescript": "ts tsx mts cts", "typst": "typ", "vim": "vim", "vue": "vue",
    "xml": "xml xsd xsl xslt svg plist opml rss atom", "yaml": "yaml yml", "zig": "zig",
}  # fmt: skip
_BY_SUFFIX = {
    f".{suffix}": language
    for language, suffixes in _LANGUAGES.items()
    for suffix in suffixes.split()
}
_BY_NAME = {
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "dockerfile": "dockerfile",
    "cmakelists.txt": "cmake",
}


def language_of(path: Path) -> str:
    """Return what a fenced block of the file's text is to be called, empty where it is not
    source code.
    """
    return _BY_NAME.get(path.name.lower()) or _BY_SUFFIX.get(path.suffix.lower(), "")
