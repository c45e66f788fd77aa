"""Text and document tools whose command line is more than a row of operands."""

from dogent_tui.language import tr
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.table import by_table, maybe, unknown_program

_PAIRS = {"--arg": False, "--argjson": False, "--slurpfile": True, "--rawfile": True}
"""Options of jq that take a name and a value, and whether the value is a file."""


def _jq(call: Call) -> None:
    call.execute()
    rest = []
    args = iter(call.args)
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
    for operand in [] if parsed.has("--args", "--jsonargs") else operands:
        call.read(operand)


def _yq(call: Call) -> None:
    call.execute()
    parsed = parse(call.args, {"-o", "--output-format", "-p", "--input-format", "-I", "--indent", "--from-file"})
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
_PANDOC_RUN = {"-F", "--filter", "-L", "--lua-filter"}
_PANDOC_OUT = {"-o", "--output", "--log"}
_PANDOC_FOLDER = {"--data-dir", "--resource-path", "--extract-media"}
_PANDOC_OTHER = {"--pdf-engine", "--pdf-engine-opt", "--request-header"}


def _pandoc(call: Call) -> None:
    call.execute()
    valued = _PANDOC_TEXT | _PANDOC_READ | _PANDOC_RUN | _PANDOC_OUT | _PANDOC_FOLDER | _PANDOC_OTHER
    parsed = parse(call.args, valued)
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


_CONVERTER_VALUED = {
    "-i", "-ss", "-to", "-t", "-vf", "-af", "-f", "-c:v", "-c:a", "-r", "-b:v", "-b:a", "-resize", "-quality", "-crop",
    "-density",
    "-rotate", "-background", "-geometry", "-frames:v", "-vframes", "-s", "-map", "-loglevel", "-gravity", "-fill", "-font",
    "-pointsize", "-annotate", "-extent", "-o",
}  # fmt: skip


def _converter(call: Call) -> None:
    """ffmpeg, ImageMagick: inputs, then one output."""
    call.execute()
    parsed = parse(call.args, _CONVERTER_VALUED, words=True)
    for value in parsed.values("-vf", "-af", "-annotate"):
        if value.dynamic or "@" in value.text or "movie=" in value.text:
            call.doubt(tr("It may read a file that its text names."), value)
    for operand in [*parsed.values("-i"), *parsed.operands[:-1]]:
        maybe(call, operand)
    for output in [*parsed.operands[-1:], *parsed.values("-o")]:
        if "://" in output.text:
            call.network(tr("It sends its output to a web address."))
        else:
            call.output(output)


def _latex(call: Call) -> None:
    if any("shell-escape" in arg.text or "write18" in arg.text for arg in call.args):
        call.doubt(tr("It lets a document run programs."))
    if call.name == "latexmk" and any(arg.text in {"-c", "-C"} for arg in call.args):
        call.lose(tr("It deletes the files that a document was built with."))
    unknown_program(call)


def _pager(call: Call) -> None:
    """`less +!command` and `more +!command` run something before the first page is shown."""
    if any(arg.text.startswith("+") and "!" in arg.text for arg in call.args):
        call.doubt(tr("It runs a command when it starts."))
    by_table(call)


def _converts_to(call: Call) -> None:
    """Programs that write their second operand."""
    call.execute()
    operands = parse(call.args).operands
    for operand in operands[:1]:
        call.read(operand)
    for operand in operands[1:]:
        call.output(operand)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("jq", "jaq", "gojq"), _jq),
    "yq": _yq,
    "pandoc": _pandoc,
    **dict.fromkeys(("ffmpeg", "convert", "magick"), _converter),
    **dict.fromkeys(("pdflatex", "xelatex", "lualatex", "latexmk", "tex", "latex"), _latex),
    **dict.fromkeys(("less", "more", "most"), _pager),
    "ps2pdf": _converts_to,
}
