"""Text and document tools whose command line is more than a row of operands."""

import re
from dataclasses import replace

from dogent_tui.language import tr
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import Parsed, parse
from dogent_tui.permissions.shell.table import by_table, maybe, unknown_program
from dogent_tui.permissions.shell.text import DYNAMIC

_PAIRS = {"--arg": False, "--argjson": False, "--slurpfile": True, "--rawfile": True}
"""Options of jq that take a name and a value, and whether the value is a file."""


def _jq(call: Call) -> None:
    call.execute()
    rest = []
    words = [arg.text for arg in call.args]
    until = min((words.index(word) for word in ("--args", "--jsonargs") if word in words), default=len(words))
    args = iter(call.args[:until])
    for arg in args:
        if arg.text not in _PAIRS:
            rest.append(arg)
            continue
        next(args, None)
        value = next(args, None)
        if value is not None and _PAIRS[arg.text]:
            call.read(value)
    parsed = parse(rest, {"-f", "--from-file", "-L", "--indent"})
    for file in parsed.values("-f", "--from-file", "-L"):
        call.read(file)
    operands = parsed.operands if parsed.has("-f", "--from-file") else parsed.operands[1:]
    for operand in operands:
        call.read(operand)
    if any(re.search(r"\b(import|include)\s*\"", word) for word in words):
        call.doubt(tr("It may read a file that its text names."))


def _yq(call: Call) -> None:
    call.execute()
    parsed = parse(
        call.args, {"-o", "--output-format", "-p", "--input-format", "-I", "--indent", "--from-file", "-s", "--split-exp"}
    )
    if parsed.has("-s", "--split-exp") or any(re.search(r"\bload\w*\s*\(", operand.text) for operand in parsed.operands):
        call.doubt(tr("The files it takes or writes are only known when it runs."))
    operands = (
        parsed.operands[1:] if parsed.operands and parsed.operands[0].text in {"eval", "e", "ea", "eval-all"} else parsed.operands
    )
    for operand in operands[1:] or operands:
        if parsed.has("-i", "--inplace"):
            call.edit(operand)
        else:
            call.read(operand)


_PANDOC_TEXT = {
    "-f", "-r", "--from", "--read", "-t", "-w", "--to", "--write", "-M", "--metadata", "-V", "--variable", "--toc-depth",
    "--columns",
    "--wrap", "--highlight-style", "--syntax-highlighting", "--shift-heading-level-by", "--top-level-division", "--number-offset",
    "--dpi", "--eol", "--tab-stop", "--markdown-headings", "--reference-location", "-T", "--title-prefix", "--id-prefix",
    "--slide-level", "--default-image-extension", "--track-changes", "--email-obfuscation", "--ipynb-output",
    "--indented-code-classes", "--variable-json", "--figure-caption-position", "--table-caption-position", "--split-level",
}  # fmt: skip
_PANDOC_READ = {
    "-H", "-B", "-A", "--include-in-header", "--include-before-body", "--include-after-body", "-c", "--css", "--template",
    "--bibliography", "--csl", "--citation-abbreviations", "--reference-doc", "--metadata-file", "--abbreviations", "-d",
    "--defaults", "--epub-cover-image", "--epub-metadata", "--epub-embed-font", "--syntax-definition",
}  # fmt: skip
_PANDOC_FORMATS = {"-f", "-r", "--from", "--read", "-t", "-w", "--to", "--write"}
"""A format may be a Lua file."""
_PANDOC_RUN = {"-F", "--filter", "-L", "--lua-filter"}
_PANDOC_OUT = {"-o", "--output", "--log"}
_PANDOC_FOLDER = {"--data-dir", "--resource-path", "--extract-media"}
_PANDOC_OTHER = {"--pdf-engine", "--pdf-engine-opt", "--request-header"}


def _pandoc_code(call: Call, parsed: Parsed) -> None:
    """pandoc is a Lua interpreter too, and runs Lua files as filters, readers and writers."""
    if [operand.text for operand in parsed.operands[:1]] in (["lua"], ["server"]):
        call.doubt(tr("It runs code that is only known when it runs."), parsed.operands[0])
    for value in parsed.values(*_PANDOC_RUN, *_PANDOC_FORMATS, "-d", "--defaults"):
        path = None if value.dynamic else call.recorder.resolve(value, call.state, call.name)
        if path is not None and call.recorder.disk.written(str(path)):
            call.doubt(tr("It runs a file that the same command writes."), value)


def _pandoc(call: Call) -> None:
    call.execute()
    valued = _PANDOC_TEXT | _PANDOC_READ | _PANDOC_RUN | _PANDOC_OUT | _PANDOC_FOLDER | _PANDOC_OTHER
    parsed = parse(call.args, valued)
    _pandoc_code(call, parsed)
    for operand in [*parsed.operands, *parsed.values(*_PANDOC_READ)]:
        if "://" in operand.text:
            call.network(tr("It loads a document from the web."))
        else:
            call.read(operand)
    for value in [*parsed.values(*_PANDOC_FOLDER), *parsed.values(*_PANDOC_RUN)]:
        maybe(call, value)
    if any("/" in engine.text for engine in parsed.values("--pdf-engine")):
        call.doubt(tr("It runs a program of the caller's choice."))
    if any("escape" in value.text for value in parsed.values("--pdf-engine-opt")):
        call.doubt(tr("It lets a document run programs."))
    stems = {operand.text.rpartition(".")[0] for operand in parsed.operands}
    for output in parsed.values(*_PANDOC_OUT):
        derived = output.text.rpartition(".")[0] in stems and not output.text.endswith((".md", ".txt", ".markdown", ".rst"))
        if derived:
            call.edit(output)  # the same document exported again
        else:
            call.output(output)


_LATEXMK_RUNS = re.compile(
    r"--?(e|r|(pdf|xe|lua|dvilua)?latex=.*|pretex=.*|usepretex.*|new-viewer|pv|pvc|p|deps-out=.*)", re.DOTALL
)


def _latex(call: Call) -> None:
    if any("shell-escape" in arg.text or "write18" in arg.text for arg in call.args):
        call.doubt(tr("It lets a document run programs."))
    if any("\\" in arg.text for arg in call.args):  # a document on the command line
        call.doubt(tr("It may read a file that its text names."))
    if call.name == "latexmk" and any(_LATEXMK_RUNS.fullmatch(arg.text) for arg in call.args):
        call.doubt(tr("It lets a document run programs."))
    if call.name == "latexmk" and any(arg.text in {"-c", "-C", "-CA", "-gg", "-CF"} for arg in call.args):
        call.lose(tr("It deletes the files that a document was built with."))
    unknown_program(call)


def _pager(call: Call) -> None:
    """`less +COMMAND` and `more +COMMAND` carry out a command of theirs before the first page: a place to go to is harmless."""
    if any(
        re.fullmatch(r"\+{1,2}(\d+[gGp%]?|[gGF]|[/?][^!|]*)?", arg.text) is None for arg in call.args if arg.text.startswith("+")
    ):
        call.doubt(tr("It runs a command when it starts."))
    by_table(call)


def _desk_calculator(call: Call) -> None:
    """dc runs what follows `!` as a shell command, whether it comes as an argument, a file or the input."""
    texts = [arg.text for arg in call.args] + (
        [call.state.script] if call.state.script is not None else [*(call.state.stdin or ())]
    )
    if any("!" in text or DYNAMIC in text for text in texts) or (call.state.stdin is None and call.state.script is None):
        call.doubt(tr("It may run a command that its text names."))
    by_table(call)


def _converts_to(call: Call) -> None:
    """Programs that write their second operand."""
    call.execute()
    operands = parse(call.args, _CONVERTS_VALUED, words=True).operands
    for operand in operands[:1]:
        call.read(operand)
    ending = ".txt" if call.name == "pdftotext" else ".pdf"
    beside = [replace(one, text=one.text.rpartition(".")[0] + ending) for one in operands[:1] if "." in one.text]
    for operand in operands[1:]:
        call.output(operand)
    for operand in beside if len(operands) == 1 else []:
        if ending == ".pdf":
            call.edit(operand)  # the same document made again
        else:
            call.output(operand)


_CONVERTS_VALUED = {"-f", "-l", "-r", "-x", "-y", "-W", "-H", "-enc", "-eol", "-opw", "-upw", "-fixed"}


def _office(call: Call) -> None:
    """An office program: with `--convert-to` it writes a file of that kind where it stands, or in a folder that is named."""
    unknown_program(call)
    parsed = parse(call.args, {"--convert-to", "--outdir", "-f", "-o"}, words=True)
    folder = [value.text.rstrip("/") + "/" for value in parsed.values("--outdir")][-1:] or [""]
    for output in parsed.values("-o"):
        call.output(output)
    for kind in parsed.values("--convert-to", "-f"):
        ending = kind.text.partition(":")[0]
        for operand in parsed.operands:
            name = operand.text.rpartition("/")[2].rpartition(".")[0]
            made = replace(operand, text=f"{folder[0]}{name}.{ending}")
            if ending in {"md", "txt", "csv", "text", "rst"}:
                call.output(made)
            else:
                call.edit(made)
    if parsed.has("--macro", "-macro") or any(arg.text.startswith("macro:") for arg in call.args):
        call.doubt(tr("It lets a document run programs."))


def _ghostscript(call: Call) -> None:
    if any(arg.text in {"-c", "-", "-_"} or re.match(r"-d(NOSAFER|DELAYSAFER|SAFER=f)", arg.text) for arg in call.args):
        call.doubt(tr("It may run the text that it is given."))
    unknown_program(call)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("jq", "jaq", "gojq"), _jq),
    "yq": _yq,
    "pandoc": _pandoc,
    **dict.fromkeys(
        ("pdflatex", "xelatex", "lualatex", "latexmk", "tex", "latex", "pdftex", "xetex", "luatex", "luahbtex", "context"), _latex
    ),
    **dict.fromkeys(("less", "more", "most"), _pager),
    **dict.fromkeys(("ps2pdf", "ps2pdf12", "ps2pdf13", "ps2pdf14", "pdftotext"), _converts_to),
    **dict.fromkeys(("soffice", "libreoffice", "lowriter", "unoconv"), _office),
    "dc": _desk_calculator,
    **dict.fromkeys(("gs", "ghostscript"), _ghostscript),
}
