"""Programs that talk to other machines, and package managers, which do so and run what they fetch."""

from dogent_tui.language import tr
from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.table import unknown_program

_PROGRAMS = (
    "wget", "wget2", "aria2c", "axel", "http", "https", "xh", "httpie", "curlie", "ssh", "scp", "sftp", "ftp", "lftp", "tftp",
    "nc", "ncat",
    "netcat", "telnet", "socat", "rclone", "aws", "gcloud", "az", "gsutil", "s3cmd", "mc", "gh", "hub", "glab",
    "uvx", "pipx", "ping", "ping6", "dig", "host", "nslookup", "drill", "traceroute", "tracepath", "mtr", "whois", "nmap", "croc",
    "wormhole", "magic-wormhole", "transfer", "yt-dlp", "youtube-dl", "lynx", "w3m", "links", "elinks", "mosh", "rsh",
    "rlogin", "rcp",
    "sshfs", "ngrok", "cloudflared", "heroku", "vercel", "netlify", "fly", "surge", "twine", "dropbox", "ollama",
    "ssh-copy-id", "ssh-keygen", "ssh-add", "gist", "curlftpfs", "smbclient", "ldapsearch", "kinit", "claude", "llm",
    "chromium", "google-chrome", "firefox", "chrome", "cpan", "cpanm", "ntpdate", "chronyc", "rdate", "resolvectl",
    "systemd-resolve", "huggingface-cli", "hf", "kaggle", "bower", "nuget", "conan", "vcpkg", "fnm", "volta", "swaks",
    "irssi", "weechat", "snmpget",
)  # fmt: skip
_EXCHANGES = tr("It exchanges data with another machine.")


def _curl(call: Call) -> None:
    call.network(_EXCHANGES)
    parsed = parse(
        call.args, {"-o", "--output", "-T", "--upload-file", "-K", "--config", "-c", "--cookie-jar", "-D", "--dump-header"}
    )
    for value in parsed.values("-o", "--output", "-c", "--cookie-jar", "-D", "--dump-header"):
        call.output(value)
    for value in parsed.values("-T", "--upload-file", "-K", "--config"):
        call.read(value)


def _network(call: Call) -> None:
    if [arg.text for arg in call.args] not in (["--version"], ["--help"], ["-V"], ["-version"], ["-h"]):
        call.network(_EXCHANGES)


_LOCAL: dict[str, set[str]] = {
    "pip": {"list", "show", "freeze", "check", "--version", "-V", "help", "inspect"},
    "npm": {
        "test",
        "t",
        "run",
        "run-script",
        "start",
        "ls",
        "list",
        "--version",
        "-v",
        "help",
        "pkg",
        "version",
        "root",
        "prefix",
        "explain",
    },
    "yarn": {"test", "run", "start", "list", "why", "--version", "build", "lint"},
    "pnpm": {"test", "run", "start", "list", "ls", "why", "--version", "build", "lint"},
    "bun": {"test", "run", "--version"},
    "cargo": {
        "build",
        "test",
        "run",
        "check",
        "fmt",
        "clippy",
        "doc",
        "tree",
        "metadata",
        "--version",
        "bench",
        "b",
        "t",
        "r",
        "c",
    },
    "go": {"build", "test", "run", "vet", "fmt", "doc", "version", "env", "list"},
    "gem": {"list", "--version"},
    "bundle": {"exec", "list", "check"},
    "composer": {"show", "validate"},
    "mvn": {"test", "compile", "package", "verify"},
    "gradle": {"test", "build", "check"},
    "deno": {"fmt", "lint", "test", "check", "--version"},
    "openssl": {"dgst", "rand", "version", "md5", "sha1", "sha256", "sha512", "prime"},
    "brew": {"list", "info", "--version", "--prefix"},
    "svn": {"status", "st", "stat", "diff", "di", "info", "add", "help", "resolve", "propget", "proplist", "--version"},
    "hg": {
        "status",
        "st",
        "log",
        "diff",
        "annotate",
        "blame",
        "cat",
        "branch",
        "branches",
        "tags",
        "tag",
        "id",
        "identify",
        "add",
        "commit",
        "ci",
        "summary",
        "root",
        "files",
        "manifest",
        "heads",
        "parents",
        "grep",
        "help",
        "version",
        "--version",
        "bookmarks",
        "init",
    },
    "rustup": {"show", "which", "doc", "--version"},
    "tlmgr": {"list", "info", "search", "version", "--version", "conf", "path"},
    "luarocks": {"list", "show", "--version"},
    "opam": {"list", "show", "--version"},
    "dotnet": {"build", "test", "run", "--version", "--info", "format"},
    "mix": {"test", "compile", "run", "format", "help"},
    "getent": {"passwd", "group", "services", "protocols"},
}
"""Subcommands of package managers that stay on this machine."""


def _package_manager(call: Call) -> None:
    words = [arg for arg in call.args if not arg.text.startswith("-") or arg.text in _LOCAL[call.name]]
    first = words[0].text if words else ""
    if first not in _LOCAL[call.name]:
        if first == "clean":
            call.lose(tr("It removes what was built."))
        call.network(tr("It installs, publishes or asks for packages."))
        return
    if any("clean" in word.text or word.text in {"uninstall", "rm", "remove"} for word in words[1:]):
        call.lose(tr("It removes something."))
    for value in parse(call.args, {"-out"}, words=True).values("-out") if call.name == "openssl" else []:
        call.output(value)
    if call.name == "bundle" and first == "exec":
        call.runner.run_fields(words[1:], call.state.copy())
        return
    unknown_program(call)


def _npx(call: Call) -> None:
    """npx runs what is installed in the project, and fetches what is not."""
    parsed = parse(call.args, {"-p", "--package", "-c", "--call"}, stop_at_operand=True)
    if [arg.text for arg in call.args] in (["--version"], ["-v"], ["--help"]):
        return
    if parsed.has("-c", "--call") or not parsed.operands:
        call.network(tr("It may install a package and run it."))
        return
    name = parsed.operands[0].text
    local = call.state.cwd is not None and call.recorder.disk.entry(f"{call.state.cwd}/node_modules/.bin/{name}") is not None
    if parsed.has("-p", "--package") or not (local or parsed.has("--no-install", "--no")):
        call.network(tr("It may install a package and run it."))
    call.runner.run_fields(parsed.operands, call.state.copy())


HANDLERS: dict[str, Handler] = {
    "curl": _curl,
    **dict.fromkeys(("npx", "bunx"), _npx),
    **dict.fromkeys(_PROGRAMS, _network),
    **dict.fromkeys(_LOCAL, _package_manager),
}
