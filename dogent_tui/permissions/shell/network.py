"""Which machines a command would reach, as far as its words tell."""

import re
from collections.abc import Sequence

from dogent_tui.permissions.git_config import host_of
from dogent_tui.permissions.shell.words import Word
from dogent_tui.permissions.text import names

_ASKS_FOR_HELP = {"--version", "--help", "-V", "-version", "-h", "-v", "help", "version"}
_ADDRESS = re.compile(r"(https?|ftps?|ssh|git|wss?|sftp|rsync)://\S+", re.IGNORECASE)
_BARE = re.compile(r"(?:[\w.-]+@)?((?:[\w-]+\.)+[A-Za-z]{2,}|\d+(?:\.\d+){3}|localhost)(?::\d+)?(?:[/?].*)?")
_OWN = re.compile(r"localhost|127(\.\d+){1,3}|::1|0\.0\.0\.0")
"""The machine itself: behind the wall, each command has its own."""
_VALUED = frozenset(f"-{letter}" for letter in "oOdHFTuUXAebcDKwmxilpPJSLRtfq")


_BY_ADDRESS = names(
    "curl wget wget2 aria2c axel http https xh httpie curlie lynx w3m links elinks yt-dlp youtube-dl ping ping6 dig host"
    " nslookup drill traceroute tracepath mtr whois nmap nc ncat netcat telnet ftp lftp tftp ssh scp sftp mosh rsh rlogin"
    " rcp ssh-copy-id sshfs socat curlftpfs"
)
"""Programs that do nothing else, with the machine among their operands."""
_TABLE = """
pip pip3 : install download search index wheel : pypi.org files.pythonhosted.org
uv : add sync lock tool pip publish python : pypi.org files.pythonhosted.org
pipx : install run upgrade inject upgrade-all : pypi.org files.pythonhosted.org
poetry pipenv pdm : install add update lock sync publish : pypi.org files.pythonhosted.org
uvx : * : pypi.org files.pythonhosted.org
twine : upload : upload.pypi.org
npm pnpm bun : install i ci add update up upgrade publish audit outdated view info search login \
 create init dlx x exec : registry.npmjs.org
yarn : - install add update up upgrade publish create dlx info : registry.yarnpkg.com registry.npmjs.org
npx bunx : * : registry.npmjs.org
cargo : install add update fetch publish search login : index.crates.io static.crates.io crates.io
go : get install : proxy.golang.org sum.golang.org
gem : install update fetch push search : rubygems.org index.rubygems.org
bundle : - install update add : rubygems.org index.rubygems.org
composer : install update require create-project : repo.packagist.org api.github.com
conda mamba : install create update search : repo.anaconda.com conda.anaconda.org
brew apt apt-get aptitude dnf yum zypper apk port snap flatpak tlmgr rustup opam luarocks pyenv fnm \
 volta nix playwright mise : install update upgrade search add fetch download full-upgrade toolchain tap :
pacman : -S -Sy -Syu -Su :
docker podman : pull push login run build search compose :
ollama : pull run push :
gh hub : * : github.com api.github.com
glab : * : gitlab.com
svn hg : checkout co update up clone pull push incoming outgoing :
openssl : s_client :
rclone aws gcloud az gsutil s3cmd heroku vercel netlify fly surge ngrok cloudflared croc wormhole \
 magic-wormhole swaks smbclient ldapsearch kaggle huggingface-cli hf mail mailx sendmail mutt msmtp : * :
"""
"""Programs : the first words by which they go to the network ("*": any; "-": without one too) : where to, if that is known."""


def _read(table: str) -> dict[str, tuple[set[str], tuple[str, ...]]]:
    rows = [row.split(":") for row in table.replace("\\\n", "").strip().splitlines()]
    return {name: (set(first.split()), tuple(hosts.split()) or ("",)) for names, first, hosts in rows for name in names.split()}


_PACKAGES = _read(_TABLE)


def reached(name: str, args: Sequence[Word]) -> tuple[str, ...]:
    """Return the machines that a command reaches, "" for one that it does not name; none where it stays here."""
    texts = [arg.text for arg in args if arg.literal]
    if texts and len(texts) == len(args) and set(texts) <= _ASKS_FOR_HELP and name != "host":
        return ()
    named = [host for arg in args if _names_host(arg) and (host := host_of(arg.text))]
    if name in _BY_ADDRESS:
        known = all(arg.literal or arg.quoted for arg in args)
        found = named or _operands(name, args)
        return _elsewhere(found if found and known else [*found, ""])
    if name == "rsync":
        return _elsewhere(named or _operands(name, args))
    if name in _PACKAGES:
        return _packages(name, texts, named)
    return _elsewhere(named)


def _names_host(arg: Word) -> bool:
    return _ADDRESS.match(arg.text) is not None and (arg.literal or arg.text.count("/") > 2)


def _packages(name: str, texts: list[str], named: list[str]) -> tuple[str, ...]:
    first, hosts = _PACKAGES[name]
    words = [text for text in texts if not text.startswith("-") or name == "pacman"]
    operation = words[0] if words else "-"
    if name == "go" and words[:1] == ["mod"]:
        operation = "get" if set(words[1:2]) & {"tidy", "download"} else ""
    known = (*hosts, *named) if any(hosts) else named or hosts
    return tuple(dict.fromkeys(known)) if first & {operation, "*"} else ()


def _operands(name: str, args: Sequence[Word]) -> list[str]:
    """Return the machines among the operands of a program that takes them without ``https://``."""
    copies = name in {"scp", "sftp", "rcp", "sshfs", "rsync"}
    for before, arg in zip(("", *(arg.text for arg in args)), args, strict=False):
        if arg.text.startswith("-") or before in _VALUED or not arg.literal:
            continue
        match = _BARE.fullmatch(arg.text)
        host = match[1] if match else host_of(arg.text)
        if name in {"ssh", "mosh", "ssh-copy-id", "ping"} and host is None:
            host = arg.text.rpartition("@")[2]  # a short name
        if host and (":" in arg.text or not copies):
            return [host]
    return []


def _elsewhere(hosts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(host for host in hosts if not _OWN.fullmatch(host)))
