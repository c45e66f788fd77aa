"""Inline Python, by its syntax tree: what it may import and call, and which files it names."""

import ast
import re
from dataclasses import replace

from dogent_tui.language import tr
from dogent_tui.permissions.model import EffectKind
from dogent_tui.permissions.shell.call import Call
from dogent_tui.permissions.shell.listing import below
from dogent_tui.permissions.shell.python_values import Values
from dogent_tui.permissions.shell.text import ANY, DYNAMIC, SOME
from dogent_tui.permissions.shell.words import Field

_HARMLESS_MODULES = {
    "json", "re", "math", "cmath", "csv", "statistics", "datetime", "time", "calendar", "collections", "itertools", "functools",
    "operator", "string", "textwrap", "unicodedata", "random", "hashlib", "base64", "binascii", "html", "pprint", "decimal",
    "fractions", "numbers", "bisect", "heapq", "copy", "enum", "dataclasses", "typing", "types", "locale", "difflib", "struct",
    "zlib", "uuid", "secrets", "colorsys", "keyword", "token", "tokenize", "ast", "fnmatch", "glob", "io", "codecs", "os",
    "os.path", "sys", "pathlib", "argparse", "logging", "warnings", "traceback", "platform", "array", "abc", "configparser",
    "tomllib", "xml.etree", "xml.etree.ElementTree", "html.parser", "urllib.parse", "__future__", "zoneinfo", "graphlib",
    "contextlib", "sysconfig", "collections.abc", "this", "zipfile", "importlib", "importlib.util", "importlib.metadata",
    "shutil", "posixpath", "ntpath", "email", "hmac", "queue", "threading", "gzip", "bz2", "lzma", "mimetypes",
    "xml.dom.minidom", "urllib",
}  # fmt: skip
_LIBRARIES = {
    "Levenshtein", "PIL", "PyPDF2", "bs4", "chardet", "charset_normalizer", "dateutil", "docx", "docx2txt", "ebooklib", "emoji",
    "fitz", "frontmatter", "html2text", "jieba", "lxml", "markdown", "markdown_it", "markdownify", "matplotlib", "mistune",
    "networkx", "nltk", "numpy", "opencc", "openpyxl", "orjson", "pandas", "pangu", "pdfplumber", "polars", "pptx", "pypdf",
    "pypinyin", "pytz", "rapidfuzz", "regex", "rich", "ruamel", "scipy", "seaborn", "simplejson", "sklearn", "sympy",
    "tabulate", "textstat", "tiktoken", "toml", "tomli", "tomli_w", "tqdm", "typing_extensions", "ujson", "wcwidth",
    "wordcloud", "xlrd", "xlsxwriter", "yaml", "zhon",
}  # fmt: skip
"""Packages whose modules read and write documents and data, and run nothing."""
_SAFE_ATTRIBUTES = {
    "os": {
        "path", "sep", "linesep", "getcwd", "listdir", "walk", "scandir", "stat", "environ", "getenv", "name", "cpu_count",
        "fspath",
        "makedirs", "mkdir", "curdir", "pardir", "extsep", "pathsep", "getpid", "PathLike", "DirEntry", "access", "F_OK",
        "R_OK", "lstat", "fsencode", "fsdecode", "uname", "times", "get_terminal_size", "devnull", "W_OK", "X_OK",
    },
    "shutil": {"which", "copy", "copy2", "copyfile", "get_terminal_size", "disk_usage"},
    "importlib": {"util", "metadata"},
    "sys": {
        "argv", "stdin", "stdout", "stderr", "exit", "version", "version_info", "maxsize", "platform", "getsizeof", "path",
        "executable", "byteorder", "maxunicode", "getdefaultencoding", "implementation", "getrecursionlimit", "float_info",
        "setrecursionlimit", "flags", "stdlib_module_names", "prefix", "getfilesystemencoding",
    },
}  # fmt: skip
_DELETING = {"remove", "unlink", "rmdir", "removedirs", "rename", "renames", "replace", "rmtree", "move", "truncate"}
_FORBIDDEN_NAMES = {
    "eval", "exec", "compile", "__import__", "getattr", "setattr", "delattr", "globals", "locals", "vars", "breakpoint",
    "__builtins__",
    "__loader__", "__spec__",
}  # fmt: skip
_FORBIDDEN_ATTRIBUTES = {
    "system", "popen", "symlink_to", "hardlink_to", "link_to", "extractall", "extract", "urlopen", "urlretrieve", "chmod",
    "lchmod", "kill", "modules", "meta_path", "f_globals", "f_builtins", "f_locals", "tb_frame", "gi_frame", "sympify",
    "parse_expr", "attrgetter", "methodcaller", "eval", "to_sql", "read_sql", "read_pickle", "to_pickle", "read_html",
    "load_module", "FileIO", "fileinput", "unsafe_load", "full_load", "basicConfig", "FileHandler", "expanduser", "home",
    "chdir", "fchdir",
}  # fmt: skip
_MODULES_WITHIN = {"os", "_os", "sys", "_sys", "subprocess", "shutil", "builtins", "posix", "nt", "socket", "importlib", "ctypes"}
"""Modules that other modules have imported: reaching one through them is a way around."""
_READING_METHODS = {"read_text", "read_bytes", "iterdir", "stat", "exists", "is_file", "is_dir", "glob", "rglob"}
_WRITING_METHODS = {"write_text", "write_bytes"}
_TABLE_READERS = {
    "read_csv", "read_excel", "read_json", "read_table", "read_fwf", "read_parquet", "Document", "Presentation", "load_workbook",
    "open_workbook", "PdfReader", "imread", "loadtxt", "genfromtxt",
}  # fmt: skip
_TABLE_WRITERS = {
    "to_csv", "to_excel", "to_json", "to_markdown", "to_html", "to_latex", "to_parquet", "to_xml", "to_stata", "to_feather",
    "savefig", "save", "savetxt", "savez", "savemat", "imsave", "imwrite", "write_image", "write_html", "tofile", "memmap",
}  # fmt: skip
_PARSERS = {"parse", "read", "load", "fromfile", "iterparse", "ElementTree"}
_FILE_FUNCTIONS = {"listdir", "walk", "scandir", "glob", "iglob", "getsize", "getmtime", "stat"}
_PATH_QUESTIONS = {"exists", "isfile", "isdir", "islink", "lexists", "getsize", "getmtime", "getctime", "realpath", "samefile"}
_TEXT_METHODS = {
    "startswith", "endswith", "split", "rsplit", "replace", "find", "rfind", "index", "count", "strip", "lstrip", "rstrip",
    "join", "partition", "rpartition", "removeprefix", "removesuffix", "append", "get", "add", "write", "writelines", "format",
    "encode", "setdefault", "pop", "remove", "insert", "extend", "update", "add_argument", "add_paragraph", "add_heading",
}  # fmt: skip
_FILE_KEYWORDS = {"file", "path", "filename", "fname", "fp", "path_or_buf", "excel_writer", "filepath_or_buffer", "io"}
_COPIERS = {"copy", "copy2", "copyfile"}
_FILE_NAMES = _TABLE_READERS | _COPIERS | {"ZipFile"}
_STREAMS = {"sys.stdin", "sys.stdout", "sys.stderr", "sys.stdin.buffer", "sys.stdout.buffer"}
_MODE = re.compile(r"[rwaxbtU+]{1,4}")
_RUNS = re.compile(r"exec([vl]p?e?|_module|file|_cmd|_command)?|spawn\w*")


def _is_harmless(module: str) -> bool:
    return module in _HARMLESS_MODULES or module.partition(".")[0] in _LIBRARIES


def judge_code(call: Call, code: str, where: Field, args: list[Field]) -> None:
    """Note what Python code does; `args` are `sys.argv[1:]`. What cannot be followed becomes a doubt."""
    if DYNAMIC in code:
        call.doubt(tr("The code is only known when it runs."), where)
        return
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call.doubt(tr("The code cannot be understood."), where)
        return
    if any(arg.dynamic for arg in args):
        call.doubt(tr("An argument of the code is only known when it runs."), where)
    _Judge(call, where, Values(tree, call, [arg.text for arg in args])).visit(tree)


def _file_argument(node: ast.Call) -> list[ast.expr]:
    """Return the file among the arguments of a library function: the first one, or the one that is called so."""
    return node.args[:1] or [keyword.value for keyword in node.keywords if keyword.arg in _FILE_KEYWORDS][:1]


class _Judge(ast.NodeVisitor):
    def __init__(self, call: Call, where: Field, values: Values) -> None:
        self._call = call
        self._where = replace(where, text="")
        self._values = values
        self._imported: set[str] = set()

    def _doubt(self, note: str) -> None:
        self._call.doubt(note, self._where)

    def _at(self, text: str) -> Field:
        return replace(self._where, text=text)

    # ── Imports and names ───────────────────────────────────────────────────────────────────────────

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._imported.add(alias.asname or alias.name.partition(".")[0])
            if not self._ours(alias.name) and not _is_harmless(alias.name):
                self._doubt(tr("The code uses the module {alias}.").format(alias=alias.name))
            if alias.asname and alias.name in _SAFE_ATTRIBUTES:
                self._doubt(tr("The code gives {alias} another name.").format(alias=alias.name))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        allowed = _SAFE_ATTRIBUTES.get(module)
        known = self._ours(module) or _is_harmless(module)
        for alias in node.names:
            self._imported.add(alias.asname or alias.name)
            if alias.asname and alias.name in _FILE_NAMES:
                self._doubt(tr("The code gives {alias} another name.").format(alias=alias.name))
            if module in {"os", "shutil"} and alias.name in _DELETING:
                self._call.lose(tr("The code imports a function that deletes or moves files."), self._where)
            elif alias.name in {"open", *_MODULES_WITHIN, *_FORBIDDEN_ATTRIBUTES} or (
                allowed is not None and alias.name not in allowed
            ):
                self._doubt(tr("The code imports {alias} from {module}.").format(alias=alias.name, module=module))
            elif not known and not _is_harmless(f"{module}.{alias.name}"):
                self._doubt(tr("The code uses the module {module}.").format(module=module))

    def _ours(self, module: str) -> bool:
        """Return whether a module lies in the workspace; what it does is looked at as what a script there does."""
        call = self._call
        disk, rule = call.recorder.disk, call.recorder.rule
        if call.state.cwd is None or not module:
            return False
        base = f"{call.state.cwd}/{module.replace('.', '/')}"
        found = [rule.resolve(base + ending) for ending in (".py", "/__init__.py") if disk.entry(base + ending) is not None]
        if any(disk.written(str(path)) for path in found):
            self._doubt(tr("The code loads {module}, which the same command writes.").format(module=module))
        if not found or call.recorder.lenient > 2 or not all(map(rule.inside, found)):
            return False
        call.recorder.lenient += 1
        for path in found:
            judge_code(call, disk.text(str(path), 200_000) or "", self._where, [])
        call.recorder.lenient -= 1
        return True

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in _FORBIDDEN_NAMES:
            self._doubt(tr("The code uses {id}.").format(id=node.id))
        elif node.id in _SAFE_ATTRIBUTES or node.id == "open":
            self._doubt(tr("The code passes {id} around.").format(id=node.id))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        if node.attr.startswith("__") and node.attr not in {"__name__", "__doc__", "__version__", "__file__"}:
            self._doubt(tr("The code reaches for {attr}.").format(attr=node.attr))
        reaches = node.attr in _FORBIDDEN_ATTRIBUTES | _MODULES_WITHIN or (owner == "yaml" and node.attr == "load")
        if reaches or _RUNS.fullmatch(node.attr):
            self._doubt(tr("The code uses {attr}.").format(attr=node.attr))
        if (owner in {"os", "shutil"} and node.attr in _DELETING) or node.attr in {
            "unlink",
            "rmdir",
            "rmtree",
            "rename",
            "truncate",
        }:
            self._call.lose(tr("The code deletes or moves files."), self._where)
        elif owner in _SAFE_ATTRIBUTES and node.attr not in _SAFE_ATTRIBUTES[owner]:
            self._doubt(tr("The code uses {owner}.{attr}.").format(owner=owner, attr=node.attr))
        if owner not in _SAFE_ATTRIBUTES:
            self.visit(node.value)

    # ── Calls ───────────────────────────────────────────────────────────────────────────────────────

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name):
            self._named(node, function.id)
        else:
            if isinstance(function, ast.Attribute):
                self._method(node, function)
            self.visit(function)
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self.visit(argument)

    def _named(self, node: ast.Call, name: str) -> None:
        if name in {"open", "ZipFile"}:
            self._open(node, node.args[:1], 1)
        elif name in _TABLE_READERS:
            self._file(_file_argument(node), "r")
        elif name in _FILE_FUNCTIONS | _PATH_QUESTIONS and name in self._imported:
            self._file(node.args[:1], "r")
        elif name in {"mkdir", "makedirs"} and name in self._imported:
            self._file(node.args[:1], "a")
        elif name in _COPIERS and name in self._imported and len(node.args) + len(node.keywords) > 1:
            self._copy(node)
        elif name in _FORBIDDEN_NAMES:
            self._doubt(tr("The code uses {name}.").format(name=name))

    def _method(self, node: ast.Call, function: ast.Attribute) -> None:
        name = function.attr
        owner = function.value.id if isinstance(function.value, ast.Name) else ""
        if owner in {"os", "shutil"} and name in _DELETING:
            self._delete(node.args[:1])
        elif name in {"unlink", "rmdir", "rename"}:
            self._delete([function.value])
        elif name == "replace" and len(node.args) + len([word for word in node.keywords if word.arg in {"target", None}]) == 1:
            self._call.lose(tr("The code moves a file over another."), self._where)
        elif name in {"open", "ZipFile"}:
            if owner in self._imported or not self._is_path(function.value, node.args[:1]):
                self._open(node, node.args[:1], 1)
            else:
                self._open(node, [function.value], 0)
        elif ast.unparse(function.value) == "sys.path" and name in {"insert", "append", "extend"}:
            self._file(node.args[-1:], "r")
        elif owner == "shutil" and name in _COPIERS:
            self._copy(node)
        elif ast.unparse(function.value) in {"os.path", "posixpath"}:
            self._file(node.args[:1] if name in _PATH_QUESTIONS else [], "r")
        else:
            self._file_method(node, function, owner, name)

    def _is_path(self, owner: ast.expr, arguments: list[ast.expr]) -> bool:
        """Return whether a method `open` is that of a path, and its first argument a mode, not a file."""
        if not arguments or self._values.strings(owner) is not None:
            return True
        given = self._values.strings(arguments[0])
        return given is None or any(_MODE.fullmatch(text) for text in given)

    def _delete(self, expressions: list[ast.expr]) -> None:
        for expression in expressions:
            for path in self._values.strings(expression) or []:
                self._call.touch(EffectKind.DELETE, self._at(path))

    def _file_method(self, node: ast.Call, function: ast.Attribute, owner: str, name: str) -> None:
        if name in _WRITING_METHODS:
            self._file([function.value], "w")
        elif name in {"touch", "mkdir"} and owner != "os":
            self._file([function.value], "a")
        elif name in {"mkdir", "makedirs"}:
            self._file(node.args[:1], "a")
        elif name in _READING_METHODS and owner not in {"glob", "os"}:
            self._file([function.value], "r")
        elif name in _TABLE_READERS or (name in _FILE_FUNCTIONS and owner in {"os", "glob", *self._imported} - {"ast"}):
            self._file(_file_argument(node), "r")
        elif name in _TABLE_WRITERS:
            self._file(_file_argument(node), "w")
        elif name == "write":
            self._written(node)
        elif name in _PARSERS:
            self._parsed(node)
        elif name not in _TEXT_METHODS and owner not in {"os", "re", "json", "sys", ""}:
            self._named_outside(node)

    def _written(self, node: ast.Call) -> None:
        """`write` takes a text, or (ElementTree, PdfWriter) the name of a file."""
        for text in (self._values.strings(node.args[0]) or []) if node.args else []:
            path = self._call.recorder.resolve(self._at(text), self._call.state, self._call.name) if "\0" not in text else None
            entry = None if path is None else self._call.recorder.disk.entry(str(path))
            names_file = entry is not None and entry.kind == "file"
            if "zipfile" in self._imported:
                self._touch(self._at(text), "r")
            elif names_file or (
                text.startswith(("/", "../")) and self._imported & {"pypdf", "PyPDF2", "ET", "xml", "ElementTree"}
            ):
                self._touch(self._at(text), "w")

    def _parsed(self, node: ast.Call) -> None:
        """`parse`, `read`, `load` take an open file or (ElementTree, ConfigParser, numpy) the name of one."""
        for argument in node.args[:1]:
            for text in self._values.strings(argument) or []:
                self._touch(self._at(text), "r")
        if any(keyword.arg == "allow_pickle" for keyword in node.keywords):
            self._doubt(tr("The code opens a file in its own way."))

    def _named_outside(self, node: ast.Call) -> None:
        """Read a text that is given to a library as a path, where it names something that lies outside."""
        rule = self._call.recorder.rule
        for value in [*node.args, *(keyword.value for keyword in node.keywords)]:
            text = value.value if isinstance(value, ast.Constant) else None
            if isinstance(text, str) and text.startswith(("/", "../")) and rule.disk.entry(text) is not None:
                self._file([value], "r")

    def _open(self, node: ast.Call, file: list[ast.expr], mode_index: int) -> None:
        given = [keyword.value for keyword in node.keywords if keyword.arg == "mode"] or node.args[mode_index : mode_index + 1]
        mode = given[0].value if given and isinstance(given[0], ast.Constant) else None
        if given and not isinstance(mode, str):
            self._doubt(tr("How the code opens a file is only known when it runs."))
        file = file or [keyword.value for keyword in node.keywords if keyword.arg == "file"]
        self._file(file, mode if isinstance(mode, str) else "r")
        if any(keyword.arg in {"opener", None} for keyword in node.keywords):
            self._doubt(tr("The code opens a file in its own way."))

    def _file(self, expressions: list[ast.expr], mode: str) -> None:
        for expression in expressions:
            if ast.unparse(expression) in _STREAMS:
                continue
            names = self._values.strings(expression)
            if names is None:
                self._doubt(tr("A file name in the code is only known when it runs."))
            for name in names or []:
                for one in self._everything_below(name) if SOME in name else [name]:
                    self._touch(self._at(one), mode)

    def _everything_below(self, name: str) -> list[str]:
        """Return what a name may be that a search below a folder gave: all that is there, and something new."""
        folder, _, rest = name.partition(SOME)
        rest = rest.rpartition(SOME)[2]
        call = self._call
        path = call.recorder.resolve(self._at(folder or "."), call.state, call.name)
        if rest or path is None or not call.recorder.rule.inside(path):
            return [f"{folder}{ANY}{rest}"]
        below_it = below(call.recorder.rule, call.recorder.disk, str(path), lambda _name, kind: kind != "folder")
        return [DYNAMIC] if below_it is None else [f"{folder}{inner}" for inner in below_it] or [f"{folder}{ANY}"]

    def _copy(self, node: ast.Call) -> None:
        known = [self._values.strings(argument) for argument in node.args[:2]]
        sources, targets = known if len(known) == 2 else (None, None)
        if sources is None or targets is None:
            self._doubt(tr("What the code copies is only known when it runs."))
            return
        call = self._call
        for target in targets:
            path = call.recorder.resolve(self._at(target), call.state, call.name)
            entry = None if path is None else call.recorder.disk.entry(str(path))
            for source in sources:
                self._touch(self._at(source), "r")
                name = source.rstrip("/").rpartition("/")[2]
                self._touch(self._at(f"{target}/{name}" if entry is not None and entry.kind == "folder" else target), "w")

    def _touch(self, field: Field, mode: str) -> None:
        if "://" in field.text:
            self._call.network(tr("The code loads something from the web."))
        elif "w" in mode:
            self._call.output(field)
        elif set(mode) & set("ax+"):
            self._call.edit(field)
        else:
            self._call.read(field)
