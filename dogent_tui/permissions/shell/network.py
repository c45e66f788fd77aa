"""Programs that talk to other machines, and package managers, which do so and run what they fetch."""

from dogent_tui.permissions.shell.call import Call, Handler
from dogent_tui.permissions.shell.options import parse
from dogent_tui.permissions.shell.table import unknown_program

_PROGRAMS = (
    "wget", "wget2", "aria2c", "axel", "http", "https", "xh", "httpie", "curlie", "ssh", "scp", "sftp", "ftp", "lftp", "tftp",
    "nc", "ncat",
    "netcat", "telnet", "socat", "openssl", "rclone", "aws", "gcloud", "az", "gsutil", "s3cmd", "mc", "gh", "hub", "glab",
    "npx", "bunx",
    "uvx", "pipx", "ping", "ping6", "dig", "host", "nslookup", "drill", "traceroute", "tracepath", "mtr", "whois", "nmap", "croc",
    "wormhole", "magic-wormhole", "transfer", "yt-dlp", "youtube-dl", "lynx", "w3m", "links", "elinks", "mosh", "rsh",
    "rlogin", "rcp",
    "sshfs", "ngrok", "cloudflared", "heroku", "vercel", "netlify", "fly", "surge", "twine", "deno", "dropbox", "ollama",
    "ssh-copy-id", "ssh-keygen", "ssh-add", "gist", "curlftpfs", "smbclient", "ldapsearch", "kinit", "claude", "llm",
    "wkhtmltopdf", "chromium", "google-chrome", "firefox", "chrome",
)  # fmt: skip
_EXCHANGES = "It exchanges data with another machine."


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
    if [arg.text for arg in call.args] not in (["--version"], ["--help"], ["-V"]):
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
    "brew": {"list", "info", "--version", "--prefix"},
}
"""Subcommands of package managers that stay on this machine."""


def _package_manager(call: Call) -> None:
    words = [arg for arg in call.args if not arg.text.startswith("-") or arg.text in _LOCAL[call.name]]
    first = words[0].text if words else ""
    if first not in _LOCAL[call.name]:
        if first == "clean":
            call.lose("It removes what was built.")
        call.network("It installs, publishes or asks for packages.")
        return
    if any("clean" in word.text or word.text in {"uninstall", "rm", "remove"} for word in words[1:]):
        call.lose("It removes something.")
    if call.name == "bundle" and first == "exec":
        call.runner.run_fields(words[1:], call.state.copy())
        return
    unknown_program(call)


HANDLERS: dict[str, Handler] = {
    "curl": _curl,
    **dict.fromkeys(_PROGRAMS, _network),
    **dict.fromkeys(_LOCAL, _package_manager),
}
