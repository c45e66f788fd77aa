"""The user's own configuration files under ``~/.dogent``, made on the first run as stubs to fill
in.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dogent_tui.errors import ConfigError
from dogent_tui.language import tr
from dogent_tui.settings.secrets import PLACEHOLDER
from dogent_tui.storage.files import json_text, private_folder

_TEN_MINUTES_MS = 600_000

STUBS: Mapping[str, Mapping[str, Any]] = {
    # Endpoints that speak Anthropic's Messages API.
    "claude.json": {
        "profiles": {
            "anthropic": {"ANTHROPIC_API_KEY": PLACEHOLDER},
            "deepseek": {
                "ANTHROPIC_BASE_URL": "https://api.deepseek.com/anthropic",
                "ANTHROPIC_AUTH_TOKEN": PLACEHOLDER,
                "ANTHROPIC_MODEL": "deepseek-chat",
                "ANTHROPIC_SMALL_FAST_MODEL": "deepseek-chat",
                "API_TIMEOUT_MS": _TEN_MINUTES_MS,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": 1,
            },
            "glm": {
                "ANTHROPIC_BASE_URL": "https://open.bigmodel.cn/api/anthropic",
                "ANTHROPIC_AUTH_TOKEN": PLACEHOLDER,
                "ANTHROPIC_MODEL": "glm-4.6",
                "ANTHROPIC_SMALL_FAST_MODEL": "glm-4.5-air",
                "API_TIMEOUT_MS": _TEN_MINUTES_MS,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": 1,
            },
        }
    },
    # Search providers: two of the first design, which are hard to get today, and three that are
    # not.
    "web.json": {
        "profiles": {
            "google": {
                "provider": "google_cse",
                "api_key": PLACEHOLDER,
                "cse_id": PLACEHOLDER,
                "timeout_s": 20,
            },
            "bing": {
                "provider": "bing",
                "api_key": PLACEHOLDER,
                "endpoint": "https://api.bing.microsoft.com/v7.0",
                "timeout_s": 20,
            },
            "brave": {"provider": "brave", "api_key": PLACEHOLDER, "timeout_s": 20},
            "tavily": {"provider": "tavily", "api_key": PLACEHOLDER, "timeout_s": 20},
            "searxng": {
                "provider": "searxng",
                "endpoint": "http://localhost:8080",
                "timeout_s": 20,
            },
        }
    },
    "vision.json": {
        "profiles": {
            "glm-4.6v": {
                "provider": "glm-4.6v",
                "model": "glm-4.6v",
                "base_url": "https://open.bigmodel.cn/api/paas/v4",
                "api_key": PLACEHOLDER,
            },
            "openai": {
                "provider": "openai",
                "model": "gpt-4.1-mini",
                "base_url": "https://api.openai.com/v1",
                "api_key": PLACEHOLDER,
            },
            "anthropic": {
                "provider": "anthropic",
                "model": "claude-haiku-4-5",
                "base_url": "https://api.anthropic.com",
                "api_key": PLACEHOLDER,
            },
        }
    },
}
"""File name → what a new one holds."""


def ensure_home_files(home: Path) -> None:
    """Make those of the files that are not there yet, readable by the user only. What is there,
    even a link, stays.

    Raises ConfigError if the folder cannot be written.
    """
    try:
        private_folder(home)
        for name, content in STUBS.items():
            _create(home / name, json_text(content))
    except OSError as error:
        raise ConfigError(
            tr(
                "The folder {home} for your profiles is not writable: {strerror}.",
                home=home,
                strerror=(error.strerror or str(error)).lower(),
            ),
            tr("Fix its permissions, or set DOGENT_HOME to another folder."),
        ) from error


def _create(path: Path, text: str) -> None:
    try:
        # O_EXCL, not a look beforehand: two first runs at the same time, or a user's editor, lose
        # nothing.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(descriptor)
