"""Which settings there are, with the words for a person: of the folder, of a profile."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dogent_tui.tui.settings.draft import Kind, Setting, SettingsDraft
from dogent_tui.workspace.secrets import is_missing
from dogent_tui.workspace.templates import templates
from dogent_tui.workspace.trust import FolderTrust

LLM, WEB, VISION = "claude.json", "web.json", "vision.json"

_OFFLINE = "offline"
_REFERENCES = "env:NAME takes it from the environment, keyring:NAME from the system’s keyring."
_FOLDER: Sequence[tuple[str, str, Kind, Any, str, str]] = (
    ("profile", "Who answers", "choice", "", "what the environment says", "A profile of yours, or the offline engine."),
    ("web_profile", "Who searches the web", "choice", "", "the agent’s own tools", "A profile of yours for searching."),
    ("vision_profile", "Who looks at pictures", "choice", "glm-4.6v", "", "A profile of yours for pictures and videos."),
    ("primary_language", "Language of replies", "text", "", "that of the prompt", "For example: English, 简体中文."),
    ("doc_template", "Document template", "choice", "", "none", "Documents follow it, unless the prompt names another."),
    ("images_path", "Folder for images", "folder", "./images", "", "Where images from the web are saved, inside the workspace."),
    ("theme", "Colors", "choice", "", "those for this terminal", "They hold as soon as this is saved."),
    ("review_edits", "Review each change", "switch", False, "", "What the agent writes is put to you, change by change."),
    ("sandbox", "Sandbox for commands", "switch", False, "", "The agent’s commands write nothing outside the folder."),
    ("learn_auto", "Offer to note lessons", "switch", True, "", "After a run that failed or was stopped."),
)  # fmt: skip

_FIELDS: Mapping[str, Sequence[tuple[str, str, Kind, str, str]]] = {
    LLM: (
        ("ANTHROPIC_BASE_URL", "Address", "address", "Anthropic’s own", "Of a Messages API, without /v1/messages."),
        ("ANTHROPIC_AUTH_TOKEN", "Key, as bearer token", "secret", "", f"What most endpoints want. {_REFERENCES}"),
        ("ANTHROPIC_API_KEY", "Key, as x-api-key", "secret", "", f"What Anthropic itself wants. {_REFERENCES}"),
        ("ANTHROPIC_MODEL", "Model", "text", "that of the endpoint", "The model that answers."),
        ("ANTHROPIC_SMALL_FAST_MODEL", "Small model", "text", "that of the endpoint", "For small tasks beside the conversation."),
        ("API_TIMEOUT_MS", "Patience", "number", "ten minutes", "Milliseconds that a request may take."),
    ),
    WEB: (
        ("provider", "Provider", "choice", "not set", "Who searches."),
        ("api_key", "Key", "secret", "", _REFERENCES),
        ("cse_id", "Search engine id", "secret", "", "Only Google wants one."),
        ("endpoint", "Address", "address", "the provider’s own", "SearXNG needs that of your server."),
        ("timeout_s", "Patience", "number", "20", "Seconds that a search may take, at most 120."),
    ),
    VISION: (
        ("provider", "Provider", "choice", "not set", "openai is also for whatever is compatible with it."),
        ("model", "Model", "text", "the provider’s own", "The model that looks."),
        ("base_url", "Address", "address", "the provider’s own", "Without /chat/completions or /v1/messages."),
        ("api_key", "Key", "secret", "", _REFERENCES),
        ("timeout_s", "Patience", "number", "that of the provider", "Seconds that a look may take, at most 3600."),
        ("max_side", "Largest side", "number", "that of the provider", "Pixels of a picture that is sent."),
        ("max_video_mb", "Largest video", "number", "that of the provider", "Megabytes of a video that is sent."),
    ),
}  # fmt: skip


def folder_settings(draft: SettingsDraft) -> list[Setting]:
    """Return the settings of the folder, and those of all folders after them."""
    file, own = draft.workspace.settings_file, draft.home / "dogent.json"
    settings = [Setting(file, (key,), label, kind, about, default, unset) for key, label, kind, default, unset, about in _FOLDER]
    everywhere = Setting(own, ("sandbox",), "Sandbox in all folders", "switch", "As above, wherever you work.", default=False)
    return [*settings, everywhere]


def profile_settings(file: Path, name: str) -> list[Setting]:
    """Return the settings of the profile `name` of `file`."""
    return [
        Setting(file, ("profiles", name, key), label, kind, about, unset=unset)
        for key, label, kind, unset, about in _FIELDS[file.name]
    ]


def options_of(setting: Setting, draft: SettingsDraft, themes: Sequence[str]) -> list[tuple[Any, str]]:
    """Return what can be chosen, as value and words; None takes the setting out."""
    unset = (None, f"Not chosen: {setting.unset}" if setting.unset else "Not chosen")
    key = setting.path[-1]
    if key == "theme":
        return [unset, *((name, name) for name in themes)]
    if key == "doc_template":
        found = templates(draft.workspace, draft.home, trusted=FolderTrust(draft.workspace).trusted)
        return [unset, *((template.spelled, template.spelled) for template in found)]
    if key == "provider":
        return [(name, name) for name in _providers(setting.file.name)]
    if key == "profile":
        names = [(name, f"{name} · {summary(draft, draft.home / LLM, name)}") for name in draft.profiles(draft.home / LLM)]
        return [unset, *names, (_OFFLINE, "offline · the built-in engine, no AI model")]
    file = draft.home / (WEB if key == "web_profile" else VISION)
    names = [(name, f"{name} · {summary(draft, file, name)}") for name in draft.profiles(file)]
    return [unset, *names] if key == "web_profile" else names


def summary(draft: SettingsDraft, file: Path, name: str) -> str:
    """Return a profile in a few words: what it asks, where, and whether it has its key."""
    data = draft.profile(file, name)
    address = next((data[key] for key in ("ANTHROPIC_BASE_URL", "endpoint", "base_url") if data.get(key)), "")
    parts = [data.get("ANTHROPIC_MODEL") or data.get("model") or data.get("provider") or "", _host(address)]
    return " · ".join([*(str(part) for part in parts if part), key_state(file, data)])


def key_state(file: Path, data: Mapping[str, Any]) -> str:
    """Return whether a profile has the key that it needs."""
    if file.name == LLM:
        has_key = any(not is_missing(data.get(key)) for key in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"))
        return "key set" if has_key else "no key"
    if data.get("provider") == "searxng" and is_missing(data.get("api_key")):
        return "needs no key"
    return "no key" if is_missing(data.get("api_key")) else "key set"


def chosen_profile(draft: SettingsDraft, file: Path) -> Setting:
    """Return the setting of the folder that chooses a profile of `file`."""
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
    """Return the host of an address, without whatever else it holds."""
    try:
        return urlsplit(str(address)).hostname or ""
    except ValueError:
        return ""
