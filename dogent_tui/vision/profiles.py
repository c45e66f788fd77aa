"""The profiles of ``~/.dogent/vision.json``: read for each picture, so that corrections take effect
at once.

``{"profiles": {NAME: {"provider", "model", "base_url", "api_key", "extra"?, "timeout_s"?,
"max_side"?, "max_video_mb"?}}}``
"""

from pathlib import Path

from dogent_tui.errors import ConfigError
from dogent_tui.language import tr
from dogent_tui.records import Json
from dogent_tui.settings import config_models
from dogent_tui.settings.config_check import checked, no_profile, read_profiles
from dogent_tui.settings.endpoint_url import check_url, sends_keys_in_clear
from dogent_tui.settings.secrets import revealed
from dogent_tui.storage.paths import display_path
from dogent_tui.vision.model import VisionError, VisionProfile

DEFAULT_PROFILE = "glm-4.6v"
"""The profile of a workspace that has chosen none (SPEC 1)."""

FILE = "vision.json"

_CHOOSE = tr('or set "vision_profile" in .dogent/dogent.json to another profile')


def load_profile(name: str, home: Path) -> VisionProfile:
    """Return the profile `name` of the folder `home`. Raises VisionError (`config`), which names
    the file and what to change.
    """
    name = name.strip() or DEFAULT_PROFILE
    file = home / FILE
    profiles, warnings = read_profiles(file)
    if name in profiles:
        return vision_profile(name, profiles[name], file)
    for warning in warnings:
        if warning.code != "config_unknown_key":
            raise _config(warning.message, warning.remedy)
    wrong = no_profile(name, profiles, file, tr("Add it there, {choose}.", choose=_CHOOSE))
    raise _config(wrong.message, wrong.remedy)


def vision_profile(name: str, data: Json, file: Path) -> VisionProfile:
    """Return the profile `name` of `file` as described by `data`. Raises VisionError (`config`)."""
    where = display_path(file)
    usable, warnings = checked(data, config_models.VisionProfile, file, ("profiles", name))
    for warning in warnings:
        # not ignored: another model, or another size, would cost money
        if warning.code == "config_wrong_type":
            raise _config(f"{_of(name, where)}: {warning.message}", warning.remedy)
    usable["base_url"] = usable.get("base_url", "").rstrip("/")
    usable["api_key"] = _key(usable.get("api_key", ""), name, where)
    profile = VisionProfile(name=name, where=where, **usable)
    _check(profile)
    return profile


def check_address(profile: VisionProfile) -> None:
    """Raise VisionError (`config`) if the key and the picture cannot be sent to the address of
    `profile` safely.
    """
    of = tr("The vision profile {profile}", profile=profile.name)
    if problem := check_url(profile.base_url):
        raise _config(
            tr("{of} names an endpoint that {problem}.", of=of, problem=problem),
            tr('Fix its "base_url" in {where}, {choose}.', where=profile.where, choose=_CHOOSE),
        )
    if sends_keys_in_clear(profile.base_url):
        raise _config(
            tr(
                "{of} would send its key and your images unencrypted to an endpoint outside this"
                " network.",
                of=of,
            ),
            tr(
                'Change its "base_url" in {where} to an https address, {choose}.',
                where=profile.where,
                choose=_CHOOSE,
            ),
        )


def _check(profile: VisionProfile) -> None:
    if not profile.api_key:
        raise _config(
            tr("The vision profile {profile} has no key.", profile=profile.name),
            tr(
                'Set "api_key" of {profile} in {where} (to any word if the endpoint needs none),'
                " {choose}.",
                profile=profile.name,
                where=profile.where,
                choose=_CHOOSE,
            ),
        )


def _key(text: str, name: str, where: str) -> str:
    """Return the key that `text` is, or refers to."""
    try:
        return revealed(text)
    except ConfigError as error:
        raise _config(
            tr("{where} has no key: {message}", where=_of(name, where), message=error.message),
            error.remedy,
        ) from None


def _of(name: str, where: str) -> str:
    return tr("The vision profile {name} in {where}", name=name, where=where)


def _config(message: str, remedy: str) -> VisionError:
    return VisionError(message, remedy, code="config")
