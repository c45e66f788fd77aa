"""The providers: how to ask each about a picture or a video, and where its reply contains the
answer.

Formats according to their public references: OpenAI's Chat Completions, which Zhipu's GLM-4.6V
follows and extends with `video_url`, and Anthropic's Messages.
"""

import asyncio
import base64
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from dogent_tui.language import tr
from dogent_tui.settings.config_check import meant
from dogent_tui.vision.answer import parse_answer, question
from dogent_tui.vision.model import (
    Analysis,
    Clip,
    ImageLimits,
    Picture,
    VideoLimits,
    VisionClient,
    VisionError,
    VisionProfile,
)
from dogent_tui.vision.profiles import check_address
from dogent_tui.vision.provider_request import post_json

_MB = 1 << 20
_IMAGE_S = 120.0
_VIDEO_S = 300.0
_ANSWER_TOKENS = 8192
"""The answer limit that Anthropic's API requires."""

_CUT = tr("The vision model's answer was cut off: there is too much to describe.")
_SMALLER = tr("Cut the image or video into parts and ask about each.")


class ChatCompletions:
    """Providers with Chat Completions: OpenAI and compatible ones."""

    path = "/chat/completions"
    image_limits = ImageLimits(side=2048, bytes=12 * _MB)
    video_limits: VideoLimits | None = VideoLimits(20 * _MB, ("mp4", "webm", "mov", "mkv", "avi"))

    def __init__(self, profile: VisionProfile) -> None:
        self._profile = profile
        self.image_limits = _image_limits(self.image_limits, profile)
        self.video_limits = _video_limits(self.video_limits, profile)

    async def analyze_image(self, picture: Picture) -> Analysis:
        """See `VisionClient.analyze_image`."""
        return await self._ask(
            "image_url", picture.mime, picture.data, question("image", picture.note), _IMAGE_S
        )

    async def analyze_video(self, clip: Clip) -> Analysis:
        """See `VisionClient.analyze_video`."""
        return await self._ask("video_url", clip.mime, clip.data, question("video"), _VIDEO_S)

    async def _ask(
        self, part: str, mime: str, data: bytes, words: str, patience_s: float
    ) -> Analysis:
        url = await asyncio.to_thread(_data_url, mime, data)
        content = [{"type": part, part: {"url": url}}, {"type": "text", "text": words}]
        body = {
            **self._profile.extra,
            "stream": False,
            "model": self._profile.model,
            "messages": [{"role": "user", "content": content}],
        }
        headers = {"Authorization": f"Bearer {self._profile.api_key}"}
        address = _address(self._profile.base_url, self.path)
        reply = await post_json(
            address, headers, body, self._profile, self._profile.timeout_s or patience_s
        )
        return parse_answer(self.answer_of(reply))

    def answer_of(self, reply: Mapping[str, Any]) -> str:
        """Return the words of the model. Raises VisionError."""
        choices = reply.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise _no_answer(self._profile)
        reason = choice.get("finish_reason")
        if message.get("refusal") or reason in {"content_filter", "sensitive"}:
            raise _declined()
        if reason == "length":
            raise VisionError(_CUT, _SMALLER, code="too_long")
        return _text_of(message.get("content"))


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


class Anthropic:
    """Anthropic's Messages API: pictures up to 5 MB, scaled down there if a side has more than 1568
    pixels. No videos.
    """

    image_limits = ImageLimits(side=1568, bytes=5 * _MB * 3 // 4)
    video_limits: VideoLimits | None = None

    def __init__(self, profile: VisionProfile) -> None:
        self._profile = profile
        self.image_limits = _image_limits(self.image_limits, profile)

    async def analyze_image(self, picture: Picture) -> Analysis:
        """See `VisionClient.analyze_image`."""
        data = await asyncio.to_thread(_base64, picture.data)
        source = {"type": "base64", "media_type": picture.mime, "data": data}
        content = [
            {"type": "image", "source": source},
            {"type": "text", "text": question("image", picture.note)},
        ]
        body = {
            "max_tokens": _ANSWER_TOKENS,
            **self._profile.extra,
            "stream": False,
            "model": self._profile.model,
            "messages": [{"role": "user", "content": content}],
        }
        headers = {"x-api-key": self._profile.api_key, "anthropic-version": "2023-06-01"}
        address = _address(self._profile.base_url, "/messages", version="/v1")
        reply = await post_json(
            address, headers, body, self._profile, self._profile.timeout_s or _IMAGE_S
        )
        if reply.get("stop_reason") == "refusal":
            raise _declined()
        if reply.get("stop_reason") == "max_tokens":
            raise VisionError(_CUT, _SMALLER, code="too_long")
        if not isinstance(reply.get("content"), list):
            raise _no_answer(self._profile)
        return parse_answer(_text_of(reply["content"]))

    async def analyze_video(self, clip: Clip) -> Analysis:  # noqa: ARG002 — the protocol's
        """Raise VisionError: videos are not supported."""
        raise VisionError(
            tr("Anthropic's models don't accept videos."),
            tr("Choose a vision profile that does, such as glm-4.6v."),
            code="unsupported",
        )


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


def _image_limits(limits: ImageLimits, profile: VisionProfile) -> ImageLimits:
    return replace(limits, side=int(profile.max_side) or limits.side)


def _video_limits(limits: VideoLimits | None, profile: VisionProfile) -> VideoLimits | None:
    return limits and replace(limits, bytes=int(profile.max_video_mb) * _MB or limits.bytes)


def _address(base: str, path: str, version: str = "") -> str:
    """Return the address of a request: `base` may already contain the path and the API version."""
    if base.endswith(path):
        return base
    return f"{base}{path}" if base.endswith(version) else f"{base}{version}{path}"


def _data_url(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{_base64(data)}"


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _text_of(content: object) -> str:
    """Return the text of a message: a string, or a list of parts some of which are texts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [
        part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"
    ]
    return "".join(text for text in texts if isinstance(text, str))


def _declined() -> VisionError:
    return VisionError(
        tr("The vision model declined to describe this."),
        tr("Describe it yourself, or choose another model."),
        code="refused",
    )


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
