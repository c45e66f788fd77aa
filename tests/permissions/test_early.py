"""What is asked before a command runs: the network, places outside, plain deletion; and what runs
where no wall is available.
"""

import pytest

from dogent_tui.permissions.model import ToolCall
from dogent_tui.permissions.policy import decide

GIT = """[core]
\tbare = false
[remote "origin"]
\turl = git@github.com:me/book.git
[remote "fork"]
\turl = https://example.org/fork.git
\tpushurl = ssh://git@push.example.org:22/fork.git
[remote "near"]
\turl = ../near.git
[branch "draft"]
\tremote = fork
"""


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "w"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "home" / ".ssh").mkdir(parents=True)
    (tmp_path / "home" / ".ssh" / "id").write_text("k")
    for name in ("a.md", "b.md", "sub/a.md"):
        (folder / name).write_text("a")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text(GIT)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "outside.txt").write_text("s")
    (folder / "link").symlink_to(tmp_path / "outside.txt")
    return folder


def bash(command, root, **more):
    return decide(ToolCall("Bash", {"command": command}), root, root.parent / "home", **more)


def hosts(command, root):
    return {
        effect.written for effect in bash(command, root).asked if effect.kind.value == "network"
    }


def test_a_linked_worktree_fetches_from_the_remote_of_its_own_branch(root):
    own = root / ".git/worktrees/sub"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/draft\n")
    (own / "commondir").write_text("../..\n")
    (root / "sub/.git").write_text(f"gitdir: {own}\n")
    assert hosts("git fetch; git -C sub fetch", root) == {
        "https://github.com",
        "https://example.org",
    }


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("curl -sL https://example.org/x -o y.html", "example.org"),
        ("curl example.org/x", "example.org"),
        ("wget http://[2001:db8::1]:8080/x", "[2001:db8::1]"),
        ('curl "$URL"', ""),
        ("U=https://example.org; curl $U/x", ""),
        ("for i in 1 2; do curl https://example.org/$i; done", "example.org"),
        ("x=$(curl -s https://example.org)", "example.org"),
        ("bash -c 'curl https://example.org'", "example.org"),
        ("timeout 5 env A=1 curl https://example.org", "example.org"),
        ("echo https://example.org | xargs curl", ""),
        ("exec 3<>/dev/tcp/example.org/80", "example.org"),
        ("ssh me@example.org ls", "example.org"),
        ("scp a.md me@example.org:x", "example.org"),
        ("rsync -a sub/ example.org:sub/", "example.org"),
        ("pandoc https://example.org/a -o a2.md", "example.org"),
        ("git push", "github.com"),
        ("git push origin main", "github.com"),
        ("git fetch fork", "example.org"),
        ("git push fork", "push.example.org"),
        ("cd sub && git pull", "github.com"),
        ("git -C sub fetch", "github.com"),
        ("git push --delete origin x", "github.com"),
        ("git clone https://example.org/x.git", "example.org"),
        ("git clone git@example.org:x/y", "example.org"),
        ("git push https://example.org/x.git main", "example.org"),
        ("git remote update", "github.com"),
        ("git submodule update --init", ""),
        ("git submodule add --name x https://example.org/x.git lib", "example.org"),
        ('git submodule add "$URL"', ""),
        ("docker pull x", ""),
        ("npm install", "registry.npmjs.org"),
        ("npx cowsay", "registry.npmjs.org"),
        ("cargo install x", "static.crates.io"),
        ("gh pr list", "github.com"),
    ],
)
def test_the_network_is_asked_for_with_its_machines(root, command, where):
    assert (f"https://{where}" if where else "") in hosts(command, root)


@pytest.mark.parametrize(
    "command",
    [
        "curl --version",
        "curl http://localhost:8000/x",
        "curl 127.0.0.1:8000",
        "npm test",
        "npm run build",
        "pip list",
        "cargo build",
        "git log origin/main",
        "git push near",
        "git ls-remote nowhere",
        "git init -q --bare new.git && git push new.git main",
        "git push sub main",
        "pip install --no-index --find-links wheels book",
        "npm install --offline",
        "git remote -v",
        "git config remote.origin.url https://example.org/x",
        "git remote add x https://example.org/x",
        "echo https://example.org",
        "grep https://example.org a.md",
        "git commit -m https://x.org",
        "rsync -a sub/ copy/",
        "go test ./...",
        "uv run x.py",
        "python3 -m http.server",
        "git lfs ls-files",
        "git submodule add $PWD/sub lib",
        "git submodule sync",
        "sed s,https://a.b,c, a.md",
    ],
)
def test_what_stays_here_is_not(root, command):
    assert bash(command, root).verdict == "allow"


def test_settings_that_rewrite_addresses_make_the_machine_unknown(root):
    (root / ".git" / "config").write_text(
        GIT + '[url "https://evil.example/"]\n\tinsteadOf = git@github.com:\n'
    )
    assert hosts("git push", root) == {""}


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("cat ../outside.txt", "read"),
        ("cat link", "read"),
        ("cat < ../outside.txt", "read"),
        ("cat ../none.txt", "read"),
        ("cat ~/.ssh/id", "read"),
        ("cat $HOME/.ssh/id", "read"),
        ("head > /dev/null -1 /etc/shadow", "read"),
        ("cd .. && ls", "read"),
        ("mytool ../outside.txt", "read"),
        ("mytool --in=../outside.txt", "read"),
        ("ls ../*", "read"),
        ("find .. -name x", "read"),
        ("ls /tmp", "read"),
        ("git -C .. log", "read"),
        ("rsync -a --link-dest=/etc sub/ copy/", "read"),
        ("git --git-dir=/srv/x.git log", "read"),
        ("cp ../outside.txt .", "read"),
        ("ln -s ~/.ssh keys", "read"),
        ("../outside.txt", "execute"),
        ("echo x > ../new.txt", "create"),
        ("echo x >> ../outside.txt", "write"),
        ("tee ../new.txt < a.md", "create"),
        ("cp a.md ../new.md", "create"),
        ("cp -t .. a.md", "write"),
        ("echo x > ~/out.md", "create"),
        ("sed -i s/a/b/ ../outside.txt", "write"),
        ("dd if=a.md of=../x", "create"),
        ("pandoc a.md -o ../x.pdf", "create"),
        ("rm ../outside.txt", "delete"),
        ("if x; then rm -f ../outside.txt; fi", "delete"),
        ("mv ../outside.txt .", "move"),
    ],
)
def test_places_outside(root, command, kind):
    assert {effect.kind.value for effect in bash(command, root).asked} == {kind}


@pytest.mark.parametrize(
    "command",
    [
        "/usr/bin/env ls",
        "ln -s ../a.md sub/a",
        "ls /usr/share /opt /bin",
        "cat /proc/cpuinfo",
        "echo x > /tmp/no-such-file",
        "mktemp -p /tmp x.XXXX",
        "tar xf a.tar -C /tmp/",
        "latexmk -outdir=/tmp a.tex",
        "cd /tmp && touch x",
        "echo x > /tmp/no-such && cat /tmp/no-such",
        "mkdir -p ~/.cache/x",
        "echo ~/.ssh",
        "grep /etc/passwd a.md",
        "grep -r x ..x",
        "mytool /nowhere/at/all",
        "cat /dev/null > out",
        "sed s,/etc/passwd,x, a.md",
        "git commit -m /etc",
        "awk '/etc/' a.md",
        "test -f /etc/passwd",
        "rsync -a --link-dest=../old sub/ copy/",
    ],
)
def test_places_that_are_no_question(root, command):
    assert bash(command, root).verdict == "allow"


def test_a_further_place_that_commands_see_is_no_question(root):
    assert bash("cat ../outside.txt", root, visible=(root.parent,)).verdict == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "rm a.md",
        "rm -rf sub",
        "rm *.md",
        "unlink a.md",
        "cd sub && rm a.md",
        "(cd sub; rm a.md)",
        "nice rm a.md",
        "bash -c 'rm a.md'",
        "\\rm a.md",
        "/bin/rm a.md",
        "mv a.md c.md",
        "mv -t sub b.md",
        "> a.md",
        ": > a.md",
        "true > a.md",
        "cat /dev/null > a.md",
        "cp /dev/null a.md",
        "truncate -s 0 a.md",
        "truncate -s0 a.md",
        "git rm a.md",
        "git mv a.md c.md",
        "git clean -fd",
        "git branch -D x",
        "git stash drop",
        "git reset --hard",
        "shred a.md",
        "ls | rm a.md",
        "sudo rm a.md",
        "kill 1",
        "kill -9 1234",
        "pkill node",
        "doas ls",
        "echo 'open; rm a.md",
        'echo "open',
    ],
)
def test_plain_deletion_and_the_rights_of_others(root, command):
    assert bash(command, root).verdict in {"ask", "deny"}


@pytest.mark.parametrize(
    "command",
    [
        "rm none.md",
        "rm -f *.bak",
        "false || rm a.md",
        "test -f x || rm a.md",
        "if x; then rm a.md; fi",
        "f() { rm a.md; }; f",
        "git rm -n a.md",
        "rm -i a.md",
        "mv --interactive a.md c.md",
        "git clean -nd",
        "truncate -s 9 a.md",
        "echo x > a.md",
        "echo x > c.md; rm c.md",
        "kill %1",
        "sleep 9 & kill $!",
        "kill -0 1",
        "kill -l",
        "find . -name '*.md' -delete",
        "ls | xargs rm",
        "python3 -c 'import os; os.remove(\"a.md\")'",
        "make clean",
        "eval rm a.md",
        "env -S 'rm a.md'",
        "X=a.md; rm $X",
        "D=..; ls $D",
        "echo 'rm a.md'",
        "rm .dogent/memory.md",
        "> none.md",
        ": > .dogent/memory.md",
        "git branch x",
        "git stash",
        "git commit --amend",
        "cat <<X\nrm a.md\nX",
    ],
)
def test_what_is_not_plain_is_left_to_the_outcome(root, command):
    assert bash(command, root).verdict == "allow"


@pytest.mark.parametrize(
    "command",
    ["find . -name '*.md' -delete", "if x; then rm a.md; fi", "echo x > .git/config", "rm *.md"],
)
def test_where_it_is_only_taken_back_more_is_asked_before(root, command):
    assert bash(command, root, wall="partial").verdict == "ask"
    assert bash("echo x > a.md; ls", root, wall="partial").verdict == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "ls -la sub",
        "cat a.md b.md",
        "cat a.md | wc -l",
        "head -5 a.md; tail -n 3 b.md",
        "grep -n x a.md",
        "cat a.md 2>/dev/null",
        "wc < a.md",
        "cd sub && cat a.md",
        "echo hello",
        "pwd",
        "cat a.md && ls",
    ],
)
def test_without_a_wall_known_readers_run(root, command):
    assert bash(command, root, wall="none").verdict == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "make",
        "python3 x.py",
        "cat link",
        "cat ../outside.txt",
        "cat *.md",
        "cat $X",
        "ls $(ls)",
        "ls `ls`",
        "cat a.md > c.md",
        "ls &",
        "f() { ls; }",
        "if ls; then ls; fi",
        "A=1 ls",
        "PATH=. ls",
        "sort -o a.md b.md",
        "sort --compress-program=./x a.md",
        "grep -rf x .",
        "git status",
        "git log",
        "git -c core.pager=x log",
        "git log --output=x",
        "git show --ext-diff",
        "git branch x",
        "./ls",
        "cat <<X\n$(rm a.md)\nX",
        "ls\x1b",
        "cat 'a",
        "",
        "diff <(ls) a.md",
        "tail -f --pid=1 a.md",
        "find . -delete",
        "cd .. && ls",
        "cd",
        "file -C -m x",
        "ls -la /etc",
        "cat /dev/tcp/a/1",
        "alias ls=rm",
    ],
)
def test_without_a_wall_all_else_is_asked_about(root, command):
    decision = bash(command, root, wall="none")
    assert decision.verdict == "ask"
    assert not decision.rememberable


def test_a_command_for_the_tool_of_a_server_runs_behind_no_wall_of_ours(root):
    def run(command):
        return decide(
            ToolCall("mcp__shell__run", {"command": command}), root, root.parent / "home"
        ).verdict

    assert (run("ls"), run("make")) == ("ask", "ask")
