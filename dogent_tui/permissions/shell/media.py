"""Programs for pictures, sound and films: their operands may name protocols and formats, which may read or write other files."""

import re
from dataclasses import replace

from dogent_tui.language import tr
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.table import by_table, maybe
from dogent_tui.permissions.shell.words import Field

_FFMPEG_VALUED = {
    "-i", "-ss", "-to", "-t", "-vf", "-af", "-f", "-c:v", "-c:a", "-c", "-r", "-b:v", "-b:a", "-frames:v", "-vframes", "-s",
    "-map", "-loglevel", "-crf", "-preset", "-pix_fmt", "-ar", "-ac", "-filter_complex", "-lavfi", "-filter:v", "-filter:a",
    "-metadata",
}  # fmt: skip
_FILTERS = ("-vf", "-af", "-filter_complex", "-lavfi", "-filter:v", "-filter:a")
_MAGICK_VALUED = {
    "-resize", "-quality", "-crop", "-density", "-rotate", "-background", "-geometry", "-gravity", "-fill", "-font", "-pointsize",
    "-annotate", "-extent", "-write", "-format", "-colorspace", "-depth", "-type", "-level", "-blur", "-sharpen",
}  # fmt: skip
_PROTOCOL = re.compile(r"[a-z][a-z0-9+_,]*:", re.IGNORECASE)
_FILE_IN_FILTER = re.compile(r"movie|subtitles|\bass\b|file\b|lut3d|[=:]['\\]*(/|\.\.|~)")
_READING_FORMATS = {"text", "label", "caption", "pango", "msl", "mvg", "svg", "url", "video", "fd", "inline"}


def _ffmpeg(call: Call) -> None:
    """Inputs come after `-i`; every other operand is an output, which `-y` replaces."""
    call.execute()
    parsed = parse(call.args, _FFMPEG_VALUED, words=True)
    for value in parsed.values(*_FILTERS):
        if value.dynamic or _FILE_IN_FILTER.search(value.text):
            call.doubt(tr("It may read a file that its text names."), value)
    for value in parsed.values("-i"):
        _stream(call, value, is_output=False)
    several = any(value.text in {"tee", "concat", "segment"} for value in parsed.values("-f"))
    for operand in parsed.operands:
        if several:
            call.doubt(tr("The files it takes or writes are only known when it runs."), operand)
        _stream(call, operand, is_output=operand is parsed.operands[-1] or _is_there(call, operand))


def _stream(call: Call, operand: Field, is_output: bool) -> None:
    if "://" in operand.text:
        call.network(tr("It sends its output to a web address.") if is_output else tr("It loads a document from the web."))
    elif _PROTOCOL.match(operand.text) and not operand.text.startswith("pipe:"):
        call.doubt(tr("It may read a file that its text names."), operand)
    elif is_output:
        call.output(operand)
    else:
        maybe(call, operand)


def _is_there(call: Call, operand: Field) -> bool:
    path = None if operand.dynamic else call.recorder.resolve(operand, call.state, call.name)
    entry = None if path is None else call.recorder.disk.entry(str(path))
    return entry is not None and entry.kind == "file"


def _magick(call: Call) -> None:
    """ImageMagick: inputs, then one output; a format may stand before each name (`png:x`)."""
    call.execute()
    parsed = parse(call.args, _MAGICK_VALUED, words=True)
    for value in parsed.values("-annotate"):
        if value.dynamic or "@" in value.text:
            call.doubt(tr("It may read a file that its text names."), value)
    for operand in parsed.operands[:-1]:
        maybe(call, _without_format(call, operand))
    for output in [*parsed.operands[-1:], *parsed.values("-write")]:
        if "://" in output.text:
            call.network(tr("It sends its output to a web address."))
        else:
            call.output(_without_format(call, output))


def _without_format(call: Call, operand: Field) -> Field:
    """Return the name without its format; note what the format does besides."""
    name, colon, rest = operand.text.partition(":")
    if not colon or "/" in name or rest.startswith("//"):
        return operand
    if name.lower() == "ephemeral":
        call.lose(tr("It deletes files."), operand)
    elif "@" in rest or (name.lower() in _READING_FORMATS and "/" in rest):
        call.doubt(tr("It may read a file that its text names."), operand)
    return replace(operand, text=rest)


def _identify(call: Call) -> None:
    inner = [arg if arg.text.startswith("-") else _without_format(call, arg) for arg in call.args]
    by_table(replace(call, args=inner))


_EXIF_RUNS = re.compile(
    r"-(if\d*|config|execute\d*|stay_open|@|p|printformat|userparam|diff|geotag.*|w!?|textout!?|tagout!?|api)$", re.IGNORECASE
)
_EXIF_MOVES = re.compile(r"-(filename|directory|testname|hardlink|symlink)[<=+]", re.IGNORECASE)


def _exiftool(call: Call) -> None:
    """exiftool renames and moves by writing the tags `FileName` and `Directory`; conditions and formats are Perl."""
    call.execute()
    for arg in call.args:
        if _EXIF_MOVES.match(arg.text):
            call.lose(tr("It moves what it is given."), arg)
        elif _EXIF_RUNS.match(arg.text):
            call.doubt(tr("It may run the text that it is given."), arg)
        elif "=" in arg.text and arg.text.startswith("-"):
            maybe(call, replace(arg, text=arg.text.partition("=")[2].removeprefix("<")))
    for operand in parse(call.args, words=True).operands:
        maybe(call, operand)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("ffmpeg", "avconv"), _ffmpeg),
    **dict.fromkeys(("convert", "magick", "montage", "composite", "compare"), _magick),
    "identify": _identify,
    "exiftool": _exiftool,
}
