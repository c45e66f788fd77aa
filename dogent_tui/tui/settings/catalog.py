"""The settings of the folder and of a profile, with the texts shown to the user."""

import contextlib
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from dogent_tui.language import phrases, tr
from dogent_tui.local_models.model import LABELS
from dogent_tui.plain import one_line
from dogent_tui.settings.profiles import ENVIRONMENT, OFFLINE, environment_endpoint
from dogent_tui.settings.secrets import is_missing
from dogent_tui.settings.templates import templates
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.tui.exporting.first_page import THEMES
from dogent_tui.tui.keymap import KeyAction
from dogent_tui.tui.settings.draft import Setting, SettingsDraft

LLM, WEB, VISION = "claude.json", "web.json", "vision.json"

_HEAD = 8_192
"""The number of bytes of a citation style searched for its title."""
_LANGUAGES = (("en", "English"), ("zh_CN", "简体中文"))
_NOTIFY = (("bell", tr("a bell")), ("off", tr("none")))
_USAGE = (("tokens", tr("tokens")), ("cost", tr("cost, where it is known")))
_SERVER = "DOGENT_LOCAL_SERVER"
_REFERENCES = tr("env:NAME reads it from the environment, keyring:NAME from the system's keyring.")
_Row = tuple[Any, ...]
"""A key, and the fields of its `Setting` from the label on."""
_FOLDER = (
    ("profile", tr("Model"), "choice", tr("A profile, or the offline engine."),
        tr("from the environment")),
    ("web_profile", tr("Web search profile"), "choice", tr("A profile for web search."),
        tr("the agent's own tools")),
    ("vision_profile", tr("Vision profile"), "choice", tr("A profile for images and videos."),
        "", "glm-4.6v"),
    ("primary_language", tr("Reply language"), "text", tr("For example: English, 简体中文."),
        tr("same as the prompt")),
    ("doc_template", tr("Document template"), "choice",
        tr("Unless the prompt specifies another."), tr("none")),
    ("bibliography", tr("Bibliography"), "text",
        tr("A .bib, CSL JSON or YAML file; a document may name its own."),
        tr("each .bib of this folder")),
    ("csl", tr("Citation style"), "choice",
        tr("A .csl file of this folder; zotero.org/styles has thousands."),
        tr("Chicago, author and year")),
    ("images_path", tr("Images folder"), "folder",
        tr("For images from the web; inside this folder."), "", "./images"),
    ("export_theme", tr("Theme of documents"), "choice",
        tr("For pdf and docx, unless the document says."), tr("article")),
    ("review_edits", tr("Review each change"), "switch",
        tr("You review every change the agent writes."), "", False),
    ("learn_auto", tr("Offer to note lessons"), "switch",
        tr("After a run that failed or was stopped."), "", True),
    ("theme", tr("Theme"), "choice", tr("Takes effect when you save."),
        tr("matched to the terminal")),
)  # fmt: skip

_OWN = (
    ("profile", tr("Model elsewhere"), "choice",
        tr("When the folder sets none: a profile, or the offline engine."),
        tr("from the environment")),
    ("language", tr("Language of the interface"), "choice",
        tr("Takes effect at the next start. If not set: the system's."),
        tr("system language"), "", _LANGUAGES),
    ("status_usage", tr("Usage in the status bar"), "choice",
        tr("What the conversation has used."), tr("not shown"), "", _USAGE),
    ("budget_usd", tr("Budget"), "number",
        tr("Dollars a conversation may cost before you are asked, where costs are known."),
        tr("no limit")),
    ("notify", tr("Notifications"), "choice",
        tr("When the agent asks or is done, and another window has the focus."),
        tr("words and a bell"), "", _NOTIFY),
)  # fmt: skip
"""The user's settings for all folders."""

_GROUPS = {
    "profile": tr("Models"),
    "primary_language": tr("Writing"),
    "review_edits": tr("Working with the agent"),
    "theme": tr("Look"),
}
"""The first setting of each group of the folder's settings → the heading of the group."""

_FIELDS = {
    LLM: (
        ("ANTHROPIC_BASE_URL", tr("Address"), "address",
            tr("A Messages API, without /v1/messages."), tr("Anthropic's own")),
        ("ANTHROPIC_AUTH_TOKEN", tr("Key (bearer token)"), "secret",
            tr("What most endpoints expect.") + f" {_REFERENCES}"),
        ("ANTHROPIC_API_KEY", tr("Key (x-api-key)"), "secret",
            tr("What Anthropic expects.") + f" {_REFERENCES}"),
        ("ANTHROPIC_MODEL", tr("Model"), "text", tr("The main model."), tr("the endpoint's")),
        ("ANTHROPIC_SMALL_FAST_MODEL", tr("Small model"), "text", tr("For small tasks."),
            tr("the endpoint's")),
        (_SERVER, tr("Local server"), "choice", tr("For your own model; needs no key."),
            tr("none"), "", tuple(LABELS.items())),
        ("API_TIMEOUT_MS", tr("Timeout"), "number", tr("Milliseconds a request may take."),
            tr("ten minutes")),
    ),
    WEB: (
        ("provider", tr("Provider"), "choice", tr("The search service."), tr("not set")),
        ("api_key", tr("Key"), "secret", _REFERENCES),
        ("cse_id", tr("Search engine id"), "secret", tr("Only for Google.")),
        ("endpoint", tr("Address"), "address", tr("SearXNG needs your server's address."),
            tr("the provider's own")),
        ("timeout_s", tr("Timeout"), "number", tr("Seconds a search may take, at most 120."), "20"),
    ),
    VISION: (
        ("provider", tr("Provider"), "choice", tr("Use openai for any compatible service."),
            tr("not set")),
        ("model", tr("Model"), "text", tr("The vision model."), tr("the provider's own")),
        ("base_url", tr("Address"), "address",
            tr("Without /chat/completions or /v1/messages."), tr("the provider's own")),
        ("api_key", tr("Key"), "secret", _REFERENCES),
        ("timeout_s", tr("Timeout"), "number", tr("Seconds an analysis may take, at most 3600."),
            tr("the provider's")),
        ("max_side", tr("Largest side"), "number",
            tr("In pixels; larger images are scaled down."), tr("the provider's")),
        ("max_video_mb", tr("Largest video"), "number", tr("In megabytes."), tr("the provider's")),
    ),
}  # fmt: skip


def _settings(file: Path, rows: Iterable[_Row], *above: str) -> list[Setting]:
    """Return the settings of `rows`, whose keys are in `file` below those `above`."""
    return [Setting(file, (*above, key), *said) for key, *said in rows]


def folder_settings(draft: SettingsDraft) -> list[Setting]:
    """Return the settings of the folder, followed by those for all folders."""
    settings = _settings(draft.workspace.settings_file, _FOLDER)
    everywhere = _settings(draft.home / "dogent.json", _OWN)
    if environment_endpoint() is None:
        for rows in settings, everywhere:
            rows[0] = msgspec.structs.replace(rows[0], unset=tr("the offline engine"))
    if elsewhere := draft.value(everywhere[0]):
        settings[0] = msgspec.structs.replace(
            settings[0], unset=tr("as elsewhere: {elsewhere}", elsewhere=elsewhere)
        )
    return [*settings, *everywhere]


def heading_over(setting: Setting, draft: SettingsDraft) -> str:
    """Return the heading of the group that starts with `setting`, "" if none does."""
    if setting.file == draft.workspace.settings_file:
        return _GROUPS.get(setting.path[-1], "")
    return tr("In all folders") if setting.path[-1] == "profile" else ""


def profile_settings(file: Path, name: str) -> list[Setting]:
    """Return the settings of the profile `name` of `file`."""
    return _settings(file, _FIELDS[file.name], "profiles", name)


def key_settings(draft: SettingsDraft, actions: Iterable[KeyAction]) -> list[Setting]:
    """Return the settings for the keys of `actions`."""
    rows = [(action.id, action.words, "key", "", action.default) for action in actions]
    return _settings(draft.home / "dogent.json", rows, "keys")


def options_of(
    setting: Setting, draft: SettingsDraft, themes: Mapping[str, str]
) -> list[tuple[Any, str]]:
    """Return the choices as values and labels; None removes the setting."""
    unset = (
        None,
        tr("Not set: {unset}", unset=setting.unset) if setting.unset else tr("Not set"),
    )
    key = setting.path[-1]
    if setting.words:
        return [unset, *setting.words]
    if key == "theme":
        return [unset, *themes.items()]
    if key == "export_theme":
        return [unset, *THEMES.items()]
    if key == "doc_template":
        found = templates(draft.workspace, draft.home, trusted=FolderTrust(draft.workspace).trusted)
        return [unset, *((template.spelled, template.spelled) for template in found)]
    if key == "csl":
        return [unset, *_styles(draft.workspace.root, draft.value(setting))]
    if key == "provider":
        return [(name, name) for name in _providers(setting.file.name)]
    if key == "profile":
        names = [
            (name, f"{name} · {summary(draft, draft.home / LLM, name)}")
            for name in draft.profiles(draft.home / LLM)
        ]
        if draft.value(setting) == ENVIRONMENT or environment_endpoint() is not None:
            names.append((ENVIRONMENT, tr("environment · the key in your environment")))
        return [unset, *names, (OFFLINE, tr("offline · the built-in engine, no AI model"))]
    file = draft.home / (WEB if key == "web_profile" else VISION)
    names = [(name, f"{name} · {summary(draft, file, name)}") for name in draft.profiles(file)]
    return [unset, *names] if key == "web_profile" else names


def _styles(root: Path, chosen: Any) -> list[tuple[str, str]]:
    """Return the citation styles of a folder and its subfolders, and the `chosen` one, with their
    titles.
    """
    found = [*root.glob("*.csl"), *root.glob("*/*.csl")]
    titles = {str(path.relative_to(root)): _style_title(path) for path in sorted(found)}
    if isinstance(chosen, str) and chosen:
        titles.setdefault(chosen, "")
    return [(name, phrases(name, title)) for name, title in titles.items()]


def _style_title(path: Path) -> str:
    """Return the title in the head of a style (CSL 1.0.2, info)."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        head = file.read(_HEAD).decode(errors="replace")
        return one_line(html.unescape(next(iter(re.findall(r"<title>([^<]*)", head)), "")))
    return ""


def summary(draft: SettingsDraft, file: Path, name: str) -> str:
    """Return a profile in a few words: model, host, and whether it has its key."""
    data = draft.profile(file, name)
    address = next(
        (data[key] for key in ("ANTHROPIC_BASE_URL", "endpoint", "base_url") if data.get(key)), ""
    )
    parts = [
        data.get("ANTHROPIC_MODEL") or data.get("model") or data.get("provider") or "",
        _host(address),
    ]
    said = (str(part) for part in parts if part and part != name)
    return phrases(*said, key_state(file, data))


def key_state(file: Path, data: Mapping[str, Any]) -> str:
    """Return whether a profile has the key it needs."""
    if data.get(_SERVER) in LABELS:
        return tr("needs no key")
    is_llm = file.name == LLM
    keys = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY") if is_llm else ("api_key",)
    if not all(is_missing(data.get(key)) for key in keys):
        return tr("key set")
    return tr("needs no key") if data.get("provider") == "searxng" else tr("no key")


def chosen_profile(draft: SettingsDraft, file: Path) -> Setting:
    """Return the folder's setting that selects a profile of `file`."""
    key = {LLM: "profile", WEB: "web_profile", VISION: "vision_profile"}[file.name]
    return next(setting for setting in folder_settings(draft) if setting.path == (key,))


def _providers(name: str) -> Iterator[str]:
    if name == WEB:
        from dogent_tui.web.search.providers import PROVIDERS

        yield from PROVIDERS
    else:
        from dogent_tui.vision.providers import PROVIDER_NAMES

        yield from PROVIDER_NAMES


def _host(address: object) -> str:
    """Return only the host of an address."""
    try:
        return urlsplit(str(address)).hostname or ""
    except ValueError:
        return ""
