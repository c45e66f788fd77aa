"""The words for findings."""

from collections.abc import Iterator, Mapping
from typing import Any

from dogent_tui.documents.bibliography import unused_entries
from dogent_tui.documents.pandoc.escapes import code_span, escaped, link_target
from dogent_tui.language import ngettext, phrases, tr
from dogent_tui.plain import one_line
from dogent_tui.sources.quotes.verdicts import VERDICTS, CheckReport, Finding, Verdict

_VERDICTS: Mapping[Verdict, str] = {
    "verbatim": tr("verbatim"),
    "altered": tr("altered"),
    "found_elsewhere": tr("found elsewhere"),
    "not_found": tr("not found"),
    "unreadable_source": tr("source cannot be read"),
}
_FLAGS = {
    "negation": tr("negation"),
    "number": tr("number"),
    "name": tr("name"),
    "unit": tr("unit"),
    "order": tr("order of words"),
    "page": tr("page"),
}
_LONG = 120


def verdict(finding: Finding) -> str:
    """Return the verdict with its significance: ``altered (negation)``."""
    why = ", ".join(_FLAGS[flag] for flag in finding.flags)
    return f"{_VERDICTS[finding.verdict]} ({why})" if why else _VERDICTS[finding.verdict]


def where(source: str | None, place: Mapping[str, Any]) -> str:
    """Return the place of a passage: ``report.pdf, page 3``; empty if there is none."""
    if source is None:
        return ""
    parts = [source]
    if page := place.get("page"):
        parts.append(tr("page {page}", page=page))
    if sheet := place.get("sheet"):
        parts.append(tr("sheet {sheet}", sheet=sheet))
    if line := place.get("line"):
        parts.append(tr("line {line}", line=line))
    return ", ".join(parts)


def difference(finding: Finding) -> str:
    """Return the difference in one line: ``does [-not-] wait``."""
    pieces = []
    for kind, text in finding.diff:
        bare, room = text.strip(), text[len(text.rstrip()) :]
        marked = f"[-{bare}-]{room}" if kind == "delete" else f"{{+{bare}+}}{room}"
        pieces.append(text if kind == "equal" or not bare else marked)
    return "".join(pieces)


def finding_lines(draft: str, finding: Finding) -> Iterator[str]:
    """Yield a finding as lines for a terminal."""
    shown = one_line(finding.text, _LONG)
    yield f"{draft}:{finding.line}:{finding.column}: {verdict(finding)}: {shown}"
    if place := where(finding.source, finding.place):
        yield f"    {place}"
    if finding.diff:
        yield f"    {difference(finding)}"


def appendix(report: CheckReport, addresses: Mapping[str, str]) -> str:
    """Return “Sources checked” as Markdown: each claim with its verdict and place. `addresses` are
    those of sources, on the web or relative to the draft; for a pdf, the page is added.
    """
    title = tr("Sources checked")
    lines = [f"# {title} {{.unnumbered}}", "", escaped(summary(report)), ""]
    for found in report.findings:
        text = " ".join(found.text.split())
        said = code_span(text) if "@" in text else f"“{escaped(text)}”"
        place = escaped(where(found.source, found.place))
        address, page = addresses.get(found.source or "", ""), found.place.get("page")
        if address:
            address += f"#page={page}" if page else ""
            place = f"[{place}]({link_target(address)})"
        lines.append("- " + phrases(said, escaped(verdict(found)), place))
    return "\n".join(lines)


def summary(report: CheckReport) -> str:
    """Return a sentence with the counts, and another about what the draft does not cite."""
    unused = f" {unused_entries(report.unused)}" if report.unused else ""
    if not report.findings:
        return tr("There is nothing to check.") + unused
    counts = [
        f"{report.summary[each]} {_VERDICTS[each]}" for each in VERDICTS if report.summary[each]
    ]
    checked = ngettext(
        "{count} claim checked",
        "{count} claims checked",
        len(report.findings),
        count=len(report.findings),
    )
    return f"{checked}: {', '.join(counts)}.{unused}"
