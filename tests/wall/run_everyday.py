"""Runs everyday commands within a throw-away root, with the wall and without it, and says where
the two differ.
"""

# ruff: noqa: E501 — what makes the places is one command a line

import faulthandler
import hashlib
import io
import json
import os
import re
import shutil
import sys
import tarfile
from pathlib import Path
from typing import Any

from tests.wall.session import Session
from tests.wall.throwaway import HOME, require_throwaway
from tests.wall.world import World, remove_tree, run_bare

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("everyday.jsonl").read_text("utf-8").splitlines()
]
_LIMIT_S = 30.0

_MADE = """
set -eu
cd /home/writer
printf '[user]\\n\\tname = U\\n\\temail = u@example.org\\n[init]\\n\\tdefaultBranch = main\\n[advice]\\n\\tdetachedHead = false\\n' > .gitconfig
mkdir -p docs/ws; cd docs/ws
mkdir -p chapters data src tests images 中文 .dogent .claude
printf '# The book\\n\\nA chapter after a chapter, and the end.\\nTODO: write\\n' > README.md
printf 'first note\\nsecond note\\nthe third\\n' > notes.md
printf '# Introduction\\n\\nThe first one. TODO check\\n' > chapters/01-intro.md
printf '# Methods\\n\\nThe second one has two parts.\\nThe parts are a and b.\\n' > chapters/02-methods.md
printf '# Results\\n\\nThe third one.\\nTODO: numbers\\n' > chapters/03-results.md
printf 'spaced\\n' > 'my notes.txt'
printf '# 第一章\\n\\n这是第一章。\\n' > 中文/第一章.md
printf 'name,city,age\\nann,oslo,31\\nbob,rome,45\\n李雷,北京,28\\n' > data/people.csv
printf 'name,amount\\nann,12\\nbob,7\\ncid,30\\n' > data/sales.csv
printf 'start\\nwarning: low\\nerror: none\\nend\\n' > data/log.txt
printf 'beta\\nalpha\\ngamma\\nalpha2\\n' > data/list.txt
printf 'gamma\\ngamma\\ndelta\\n' > data/list2.txt
printf 'a\\tb\\tc\\n' > data/tabs.txt
printf '{"name": "book", "version": "1", "tags": ["a", "b"]}\\n' > data/config.json
printf '[{"name": "ann"}, {"name": "bob"}]\\n' > data/users.json
printf 'create table s(a integer, b text);\\n' > data/schema.sql
printf 'caf\\351\\n' > latin1.txt
printf 'one\\r\\ntwo\\r\\n' > crlf.txt
printf '\\211PNG\\r\\n\\032\\n\\000\\000\\000\\rIHDR\\000\\000\\000\\001\\000\\000\\000\\001\\010\\002\\000\\000\\000\\220wS\\336' > images/a.png
head -c 4000 /dev/zero | tr '\\0' 'q' >> images/a.png
printf -- '--- notes.md\\n+++ notes.md\\n@@ -1,3 +1,3 @@\\n first note\\n-second note\\n+second note, patched\\n the third\\n' > old.patch
printf 'const {double} = require("./util");\\nconsole.log(double(4));\\n' > src/app.js
printf 'exports.double = x => 2 * x;\\n' > src/util.js
printf 'def double(x):\\n    return 2 * x\\n' > src/lib.py
printf 'from pathlib import Path\\nimport sys\\nsys.path.insert(0, str(Path(__file__).parent))\\nfrom lib import double\\nprint(double(4))\\n' > src/main.py
printf 'import sys, unittest\\nsys.path.insert(0, "src")\\nfrom lib import double\\n\\ndef test_double():\\n    assert double(2) == 4\\n\\nclass T(unittest.TestCase):\\n    def test_it(self):\\n        self.assertEqual(double(3), 6)\\n' > tests/test_lib.py
printf 'const a = require("assert"); a.equal(require("./src/util").double(2), 4); console.log("ok 1");\\n' > test.js
printf '{"name": "book", "version": "1.0.0", "scripts": {"test": "node test.js", "build": "mkdir -p dist && echo built > dist/out.txt"}}\\n' > package.json
printf 'all: book.html\\nbook.html: $(wildcard chapters/*.md)\\n\\tpandoc -s --metadata title=Book $^ -o $@\\nwords:\\n\\t@cat chapters/*.md | wc -w\\nclean:\\n\\trm -f book.html\\n' > Makefile
printf 'echo from a script\\n' > script.sh
printf 'greet() { echo "hello $1"; }\\n' > lib.sh
mkdir inner; echo a > inner/a.txt; echo b > inner/b.txt; tar czf archive.tar.gz inner; python3 -m zipfile -c archive.zip inner/a.txt inner/b.txt; rm -r inner
echo '# rules' > .dogent/dogent.md; echo '{}' > .dogent/dogent.json; echo '{}' > .claude/settings.json
git init -q; git add -A; git commit -qm 'First'
echo more >> README.md; git commit -qam 'Second'; git tag v0.1 -m v0.1
git checkout -q -b feature; echo feature > feature.md; git add feature.md; git commit -qm 'Feature'
git checkout -q main; echo third >> notes.md; git commit -qam 'Third'
printf 'first note\\nsecond note\\nthe third\\n' > notes.md; git commit -qam 'Fourth'
"""

_NORMAL = (
    (re.compile(r"\b[0-9a-f]{7,64}\b"), "HASH"),
    (re.compile(r"\b\d{1,2}:\d{2}(:\d{2})?(\.\d+)?"), "TIME"),
    (re.compile(r"\d+(\.\d+)? ?(ms|us|usec|nsec|seconds|s)\b"), "SPAN"),
    (re.compile(r"/tmp/[\w.]+|tmp\.?\w{4,10}\b"), "TEMPORARY"),
    (re.compile(r"(?<=[\[ ]) *\d{1,7}(?=\]|: | Term| Kill| Done| Abort| Seg)"), "PID"),
    (re.compile(r"(line|job|pid) \d+"), "NUMBER"),
    (re.compile(r"\bindex HASH\.\.HASH"), "index"),
    (re.compile(r"\S+: line NUMBER: +(PID )?"), ""),
)
_PACKED = re.compile(
    r".*\.(zip|gz|tgz|tar|txz|xz|bz2|zst|db|db-\w+|pyc|docx|epub|bundle)|.*/\.git/.*|.*__pycache__.*"
)
_GIT = """git status --porcelain; git log --all --format='%s %D' --date-order; git stash list; git branch -a; git tag; git config --local --list; git diff"""


def run(argument: dict[str, Any]) -> list[dict[str, Any]]:
    """Run every `of`-th row from `first` on."""
    require_throwaway()
    rows = [row for row in ROWS if argument.get("only", "") in row["id"]][
        argument["first"] :: argument["of"]
    ]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # nobody's everyday environment
    packed = _packed()
    return [_result(row, packed) for row in rows]


def _packed() -> bytes:
    done = run_bare(_MADE, HOME, HOME)
    assert done.returncode == 0, done.stdout.decode()
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        archive.add(HOME, arcname=".")
    return made.getvalue()


def _result(row: dict[str, Any], packed: bytes) -> dict[str, Any]:
    sys.stderr.write(f"everyday: {row['id']}\n")
    faulthandler.dump_traceback_later(4 * _LIMIT_S, exit=True)
    result: dict[str, Any] = {
        "id": row["id"],
        "command": row["command"],
        "asks": row.get("asks", False),
        "asked": [],
    }
    if missing := [name for name in row.get("needs", ()) if not shutil.which(name)]:
        return {**result, "missing": missing}
    bare = _run_bare(row["command"], _made_anew(packed))
    walled, asked = _run_walled(row["command"], _made_anew(packed))
    names = ("status", "output", "tree")
    differs = {
        name: [one, other]
        for name, one, other in zip(names, bare, walled, strict=True)
        if one != other
    }
    return {
        **result,
        "asked": asked,
        "differs": {name: _shortened(*both) for name, both in differs.items()},
    }


def _shortened(bare: Any, walled: Any) -> list[Any]:
    if not isinstance(bare, dict):
        return [str(bare)[-600:], str(walled)[-600:]]
    names = sorted(name for name in {*bare, *walled} if bare.get(name) != walled.get(name))
    return [{name: str(tree.get(name))[:300] for name in names[:10]} for tree in (bare, walled)]


def _made_anew(packed: bytes) -> World:
    world = World(state=HOME / ".local/state")
    for place in (*HOME.iterdir(), *Path("/tmp").iterdir()):
        remove_tree(place) if place.is_dir() and not place.is_symlink() else place.unlink()
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(HOME, filter="fully_trusted")
    return world


def _run_bare(command: str, world: World) -> tuple[int, str, dict[str, str]]:
    wrapped = f"eval {_quoted(command)} </dev/null && pwd -P >| /dev/null"  # as the CLI does
    with (world.home / "output").open("wb") as output:
        done = run_bare(wrapped, world.workspace, world.home, _LIMIT_S, output=output)
    text = (world.home / "output").read_text(errors="replace")
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return status, _normal(text), _tree(world)


def _run_walled(command: str, world: World) -> tuple[tuple[int, str, dict[str, str]], list[str]]:
    session = Session(world, keeps=True, limit_s=_LIMIT_S)
    early = ["before"] if session.asks_early(command) else []
    try:
        ran = session.bash(command)
    finally:
        session.close()
    lines = [
        line for line in ran.output.splitlines(keepends=True) if not line.startswith("dogent-tui: ")
    ]
    return (ran.status, _normal("".join(lines)), _tree(world)), early + list(ran.asked)


def _normal(text: str) -> str:
    for pattern, word in _NORMAL:
        text = pattern.sub(word, text)
    return text


def _tree(world: World) -> dict[str, str]:
    """Return what is in the workspace: names, kinds, rights and texts, and what Git says of it."""
    found: dict[str, str] = {}
    for folder, folders, files in os.walk(world.workspace):
        for name in [*folders, *files]:
            path = Path(folder, name)
            inside = str(path.relative_to(world.workspace))
            if not inside.startswith(".git/"):
                found[_normal(inside)] = _shown(path)
    found[".git"] = _normal(
        run_bare(_GIT, world.workspace, world.home).stdout.decode(errors="replace")
    )
    return found


def _shown(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    status = path.stat()
    if not path.is_file():
        return f"{status.st_mode:o}"
    if _PACKED.fullmatch(str(path)):
        return f"{status.st_mode:o}"
    content = path.read_bytes()
    text = (
        hashlib.sha256(content).hexdigest()
        if b"\0" in content
        else _normal(content.decode(errors="backslashreplace"))
    )
    return f"{status.st_mode:o} {text}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
