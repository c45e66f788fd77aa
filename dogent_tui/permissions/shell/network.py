"""Which hosts a command would reach, as far as its words tell."""

import re
from collections.abc import Sequence

from dogent_tui.permissions.git_config import host_of
from dogent_tui.permissions.shell.words import Word
from dogent_tui.permissions.text import names

_ASKS_FOR_HELP = {"--version", "--help", "-V", "-version", "-h", "-v", "help", "version"}
_ADDRESS = re.compile(r"(https?|ftps?|ssh|git|wss?|sftp|rsync)://\S+", re.IGNORECASE)
_BARE = re.compile(
    r"(?:[\w.-]+@)?((?:[\w-]+\.)+[A-Za-z]{2,}|\d+(?:\.\d+){3}|localhost)(?::\d+)?(?:[/?].*)?"
)
OWN = re.compile(r"localhost|127(\.\d+){1,3}|::1|0\.0\.0\.0")
"""The machine itself: behind the wall, each command has its own loopback."""
_VALUED = frozenset(f"-{letter}" for letter in "oOdHFTuUXAebcDKwmxilpPJSLRtfq")
"""Options of such programs that take a value."""

_BY_COLON = names(
    "scp sftp rcp sshfs rsync rclone aws gcloud az gsutil s3cmd heroku vercel netlify fly surge"
    " ngrok cloudflared croc wormhole magic-wormhole swaks smbclient ldapsearch kaggle"
    " huggingface-cli hf mail mailx sendmail mutt msmtp"
)
_BY_ADDRESS = _BY_COLON | names(
    "curl wget wget2 aria2c axel http https xh httpie curlie lynx w3m links elinks yt-dlp"
    " youtube-dl ping ping6 dig host nslookup drill traceroute tracepath mtr whois nmap nc ncat"
    " netcat telnet ftp lftp tftp ssh mosh rsh rlogin ssh-copy-id socat curlftpfs"
)
"""Programs that only use the network, with the host among their operands; by colon: the host ends
at a colon.
"""
_PROGRAMS = """
pip pip3 uv pipx poetry pipenv pdm uvx : pypi.org files.pythonhosted.org
twine : upload.pypi.org
npm pnpm bun npx bunx : registry.npmjs.org
yarn : registry.yarnpkg.com registry.npmjs.org
cargo : index.crates.io static.crates.io crates.io
go : proxy.golang.org sum.golang.org
gem bundle : rubygems.org index.rubygems.org
composer : repo.packagist.org api.github.com
conda mamba : repo.anaconda.com conda.anaconda.org
gh hub : github.com api.github.com
glab : gitlab.com
brew apt apt-get aptitude dnf yum zypper apk port snap flatpak tlmgr rustup opam luarocks pyenv \
 fnm volta nix playwright mise pacman docker podman ollama svn hg openssl :
"""
"""Programs : where they connect to, if known."""
_ALWAYS = names("uvx npx bunx gh hub glab")
"""Programs that always connect; the others do with these words:"""
_GOING = names(
    "install i ci add update up upgrade full-upgrade upgrade-all download search fetch publish"
    " upload login push pull sync lock audit outdated require create-project get dlx checkout co"
    " clone incoming outgoing s_client tap toolchain -S -Sy -Syu -Su"
)
_GOING_TOO = """
pip index|pip3 index|pip wheel|pip3 wheel|uv tool|uv pip|uv python|pipx run|npm x|npm exec|npm init
npm create|npm view|npm info|npm search|pnpm create|pnpm view|bun x|bun create|yarn create|yarn info
yarn -|bundle -|go mod|conda create|mamba create|docker run|docker build|docker compose|podman run
podman build|podman compose|ollama run
"""
_ROWS = [line.partition(":") for line in _PROGRAMS.strip().splitlines()]
_HOSTS = {
    name: tuple(to.split()) or ("",) for programs, _, to in _ROWS for name in programs.split()
}


def reached(name: str, args: Sequence[Word]) -> tuple[str, ...]:
    """Return the hosts that a command reaches, "" for an unnamed one; empty if it stays on this
    machine.
    """
    texts = [arg.text for arg in args if arg.literal]
    if texts and len(texts) == len(args) and set(texts) <= _ASKS_FOR_HELP and name != "host":
        return ()
    if name in {"python", "python3"} and texts[:2] == ["-m", "pip"]:
        name, texts = "pip", texts[2:]
    found = [host for arg in args if _names_host(arg) and (host := host_of(arg.text))]
    if name in _BY_ADDRESS:
        found = found or _operands(name, args)
        if name != "rsync" and not (found and all(arg.literal or arg.quoted for arg in args)):
            found.append("")
    elif name in _HOSTS:
        words = [text for text in texts if not text.startswith("-") or name == "pacman"]
        operation = words[0] if words else "-"
        goes = operation in _GOING or f"{name} {operation}" in re.split(r"[|\n]", _GOING_TOO)
        goes &= words != ["init"]  # npm's own, which asks nobody
        hosts = [host for host in _HOSTS[name] if host or not found]
        goes = (goes or name in _ALWAYS) and not {"--offline", "--no-index"} & set(texts)
        found = [*hosts, *found] if goes else []
    return tuple(dict.fromkeys(host for host in found if not OWN.fullmatch(host)))


def _names_host(arg: Word) -> bool:
    return _ADDRESS.match(arg.text) is not None and (arg.literal or arg.text.count("/") > 2)


def _operands(name: str, args: Sequence[Word]) -> list[str]:
    """Return the host among the operands of a program that accepts it without ``https://``."""
    for before, arg in zip(("", *(arg.text for arg in args)), args, strict=False):
        if arg.text.startswith("-") or before in _VALUED or not arg.literal:
            continue
        match = None if name in _BY_COLON else _BARE.fullmatch(arg.text)
        if host := match[1] if match else host_of(arg.text):
            return [host]
    return []
