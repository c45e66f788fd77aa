"""Formulas in TeX as MathML, by pandoc: it is here already, and knows more of TeX than the Python libraries."""

import json
import re
import tempfile
from html import escape

import msgspec

from dogent_tui.documents.export.images import shown
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.program import run_pandoc
from dogent_tui.language import tr

_API_VERSION = [1, 23, 1]
"""Of pandoc's JSON (pandoc 3.x)."""
_LIMIT_S = 20.0
_LONGEST = 20_000
"""Characters of a formula. Longer ones are not formulas."""
_MARK = re.compile(r'<div id="formula-(\d+)">\n(.*?)\n</div>(?=\n<div id="formula-|\s*\Z)', re.DOTALL)


class Formula(msgspec.Struct, frozen=True):
    """A formula as it stands in the Markdown, between one dollar sign or two (`display`)."""

    tex: str
    display: bool = False


def to_mathml(formulas: list[Formula], known: dict[Formula, str]) -> tuple[dict[Formula, str], list[str]]:
    """Return the MathML of each of `formulas` that pandoc understands, and warnings. Blocks.

    `known` is what was asked before, and grows; nobody is asked where it suffices.
    """
    wanted = [formula for formula in dict.fromkeys(formulas) if len(formula.tex) <= _LONGEST and formula not in known]
    warnings = _ask(wanted, known) if wanted else []
    if warnings:
        return {}, warnings
    failed = [formula.tex for formula in dict.fromkeys(formulas) if formula not in known]
    return known, [tr("The formula {tex} was not understood and is shown as TeX.").format(tex=shown(tex)) for tex in failed[:10]]


def _ask(wanted: list[Formula], known: dict[Formula, str]) -> list[str]:
    """Put the MathML of the formulas `wanted` into `known`, and return why that was not possible."""
    document = {
        "pandoc-api-version": _API_VERSION,
        "meta": {},
        "blocks": [_block(number, formula) for number, formula in enumerate(wanted)],
    }
    try:
        with tempfile.TemporaryFile() as source:
            source.write(json.dumps(document).encode())
            source.seek(0)
            written = run_pandoc(["-f", "json", "-t", "html5", "--mathml"], source, name=tr("The formulas"), limit_s=_LIMIT_S)
    except DocumentError as error:
        return [tr("Formulas are shown as TeX: {error}").format(error=error)]
    for number, html in _MARK.findall(written.data.decode("utf-8", "replace")):
        mathml = html.removeprefix("<p>").removesuffix("</p>")
        if mathml.startswith("<math"):
            known[wanted[int(number)]] = mathml
    return []


def as_tex(formula: Formula) -> str:
    """Return the HTML of a formula that nobody understood."""
    tag = "div" if formula.display else "span"
    return f'<{tag} class="tex"><code>{escape(formula.tex, quote=False)}</code></{tag}>'


def _block(number: int, formula: Formula) -> dict[str, object]:
    kind = {"t": "DisplayMath" if formula.display else "InlineMath"}
    return {"t": "Div", "c": [[f"formula-{number}", [], []], [{"t": "Para", "c": [{"t": "Math", "c": [kind, formula.tex]}]}]]}
