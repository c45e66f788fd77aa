"""The providers: how to ask each about a picture or a video, and where its reply contains the
answer.

Formats according to their public references: OpenAI's Chat Completions, which Zhipu's GLM-4.6V
follows and extends with `video_url`, and Anthropic's Messages.
"""

import asyncio
import base64
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from dogent_tui.language import tr
from dogent_tui.records import Json, at
from dogent_tui.settings.config_check import meant
from dogent_tui.vision.answer import parse_answer, question
from dogent_tui.vision.model import (
    Analysis,
    Clip,
    ImageLimits,
    MediaType,
    Picture,
    VideoLimits,
    VisionError,
    VisionProfile,
)
from dogent_tui.vision.profiles import check_address
from dogent_tui.vision.provider_request import post_json

_MB = 1 << 20
_PATIENCE_S: Mapping[MediaType, float] = {"image": 120.0, "video": 300.0}
_ANSWER_TOKENS = 8192
"""The answer limit that Anthropic's API requires."""
_DECLINED = ("refusal", "content_filter", "sensitive")
_CUT = ("length", "max_tokens")
"""Why a model stopped."""


class VisionClient:
    """A provider with a profile. `image_limits` and `video_limits` say what it accepts; None: no
    videos.
    """

    image_limits: ImageLimits
    video_limits: VideoLimits | None = None

    def __init__(self, profile: VisionProfile) -> None:
        side, most = int(profile.max_side), int(profile.max_video_mb) * _MB
        self._profile = profile
        self.image_limits = replace(self.image_limits, side=side or self.image_limits.side)
        if self.video_limits is not None:
            self.video_limits = replace(self.video_limits, bytes=most or self.video_limits.bytes)

    async def look_at(self, media: Picture | Clip) -> Analysis:
        """Return what `media` shows. Raises VisionError."""
        profile = self._profile
        medium: MediaType = "image" if isinstance(media, Picture) else "video"
        data = (await asyncio.to_thread(base64.b64encode, media.data)).decode("ascii")
        words = question(medium, media.note if isinstance(media, Picture) else "")
        content = [self.part(medium, media.mime, data), {"type": "text", "text": words}]
        address, headers, needed = self.endpoint()
        body = {
            **needed,
            **profile.extra,
            "stream": False,
            "model": profile.model,
            "messages": [{"role": "user", "content": content}],
        }
        patience_s = profile.timeout_s or _PATIENCE_S[medium]
        said, reason = self.answer_of(await post_json(address, headers, body, profile, patience_s))
        if reason in _DECLINED:
            raise VisionError(
                tr("The vision model declined to describe this."),
                tr("Describe it yourself, or choose another model."),
                code="refused",
            )
        if reason in _CUT:
            raise VisionError(
                tr("The vision model's answer was cut off: there is too much to describe."),
                tr("Cut the image or video into parts and ask about each."),
                code="too_long",
            )
        return parse_answer(_text_of(said))

    def endpoint(self) -> tuple[str, dict[str, str], Json]:
        """Return the address to ask, the headers, and the fields of a body that must not be
        missing.
        """
        raise NotImplementedError

    def part(self, medium: MediaType, mime: str, data: str) -> Json:
        """Return the part of a message that shows `data`, which is base64."""
        raise NotImplementedError

    def answer_of(self, reply: Json) -> tuple[object, object]:
        """Return the content of the answer, and why the model stopped. Raises VisionError."""
        raise NotImplementedError


class ChatCompletions(VisionClient):
    """Providers with Chat Completions: OpenAI and compatible ones."""

    image_limits = ImageLimits(side=2048, bytes=12 * _MB)
    video_limits: VideoLimits | None = VideoLimits(20 * _MB, ("mp4", "webm", "mov", "mkv", "avi"))

    def endpoint(self) -> tuple[str, dict[str, str], Json]:
        """See `VisionClient.endpoint`."""
        address = _address(self._profile.base_url, "/chat/completions")
        return address, {"Authorization": f"Bearer {self._profile.api_key}"}, {}

    def part(self, medium: MediaType, mime: str, data: str) -> Json:
        """See `VisionClient.part`."""
        kind = f"{medium}_url"
        return {"type": kind, kind: {"url": f"data:{mime};base64,{data}"}}

    def answer_of(self, reply: Json) -> tuple[object, object]:
        """See `VisionClient.answer_of`."""
        choice = at(reply, dict, "choices", 0)
        if not (message := at(choice, dict, "message")):
            raise _no_answer(self._profile)
        reason = "refusal" if message.get("refusal") else choice.get("finish_reason")
        return message.get("content"), reason


class OpenAi(ChatCompletions):
    """OpenAI itself accepts no videos; most compatible endpoints accept them as `video_url`."""

    def __init__(self, profile: VisionProfile) -> None:
        super().__init__(profile)
        if "api.openai.com" in profile.base_url:
            self.video_limits = None


class Glm(ChatCompletions):
    """Zhipu's GLM-4.6V: pictures up to 5 MB and 6000 pixels per side, which it scales down. Videos
    as mp4, mov and mkv.
    """

    # so that base64 stays below it too
    image_limits = ImageLimits(side=3072, bytes=5 * _MB * 3 // 4)
    video_limits: VideoLimits | None = VideoLimits(50 * _MB, ("mp4", "mov", "mkv"))


class Anthropic(VisionClient):
    """Anthropic's Messages API: pictures up to 5 MB, scaled down there if a side has more than 1568
    pixels. No videos.
    """

    image_limits = ImageLimits(side=1568, bytes=5 * _MB * 3 // 4)

    def endpoint(self) -> tuple[str, dict[str, str], Json]:
        """See `VisionClient.endpoint`."""
        address = _address(self._profile.base_url, "/messages", version="/v1")
        headers = {"x-api-key": self._profile.api_key, "anthropic-version": "2023-06-01"}
        return address, headers, {"max_tokens": _ANSWER_TOKENS}

    def part(self, medium: MediaType, mime: str, data: str) -> Json:
        """See `VisionClient.part`."""
        source = {"type": "base64", "media_type": mime, "data": data}
        return {"type": medium, "source": source}

    def answer_of(self, reply: Json) -> tuple[object, object]:
        """See `VisionClient.answer_of`."""
        if not isinstance(reply.get("content"), list):
            raise _no_answer(self._profile)
        return reply["content"], reply.get("stop_reason")


_PROVIDERS: Mapping[str, tuple[Callable[[VisionProfile], VisionClient], str, str]] = {
    "glm-4.6v": (Glm, "https://open.bigmodel.cn/api/paas/v4", "glm-4.6v"),
    "openai": (OpenAi, "https://api.openai.com/v1", ""),
    "anthropic": (Anthropic, "https://api.anthropic.com", ""),
}
"""Name of a provider in a profile → its client, and the default address and model."""


PROVIDER_NAMES = tuple(_PROVIDERS)
"""The providers that a profile can name."""


def client_for(profile: VisionProfile) -> VisionClient:
    """Return the client for `profile`. Raises VisionError (`config`) if the profile is
    incomplete.
    """
    if profile.provider not in _PROVIDERS:
        available = tr(
            "Available: {providers}; openai works for any compatible service.",
            providers=", ".join(_PROVIDERS),
        )
        raise VisionError(
            tr(
                'The vision profile {profile} has the unknown provider "{provider}".',
                profile=profile.name,
                provider=profile.provider,
            ),
            tr(
                "{known} Fix it in {where}.",
                known=meant(profile.provider, _PROVIDERS, available),
                where=profile.where,
            ),
            code="config",
        )
    make, address, model = _PROVIDERS[profile.provider]
    profile = replace(profile, base_url=profile.base_url or address, model=profile.model or model)
    if not profile.model:
        raise VisionError(
            tr("The vision profile {profile} has no model.", profile=profile.name),
            tr('Add "model" to it in {where}.', where=profile.where),
            code="config",
        )
    check_address(profile)
    return make(profile)


def _address(base: str, path: str, version: str = "") -> str:
    """Return the address of a request: `base` may already contain the path and the API version."""
    if base.endswith(path):
        return base
    return f"{base}{path}" if base.endswith(version) else f"{base}{version}{path}"


def _text_of(content: object) -> str:
    """Return the text of a message: a string, or a list of parts some of which are texts."""
    parts = (part for part in at(content, list) if at(part, str, "type") == "text")
    return at(content, str) or "".join(at(part, str, "text") for part in parts)


def _no_answer(profile: VisionProfile) -> VisionError:
    return VisionError(
        tr(
            "The endpoint of the vision profile {profile} did not answer like {provider}.",
            profile=profile.name,
            provider=profile.provider,
        ),
        tr('Check its "provider" and "base_url" in {where}.', where=profile.where),
        code="bad_answer",
    )
