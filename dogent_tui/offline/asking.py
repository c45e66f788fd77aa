"""What the engine asks before it drafts: for whom and how long, then the outline. And what it chooses where nobody answers."""

import re
from collections.abc import Mapping
from dataclasses import replace

from dogent_tui.offline.answering import SKIPPED
from dogent_tui.offline.conversation import UI_REQUEST, Conversation, Run
from dogent_tui.offline.intent import Intent
from dogent_tui.offline.messages_api import ReplyText, ReplyToolUse
from dogent_tui.offline.outlining import Outline, parse_outline
from dogent_tui.offline.phrases import PHRASES

_COUNTS: Mapping[str, int] = {"short": 7, "medium": 15, "long": 32}
"""How many sentences a draft quotes, by the length that was chosen (as `intent` counts them)."""
_SAYS_LENGTH = re.compile(
    r"\b(?:short|brief|concise|quick|long|detailed|thorough|comprehensive|in depth|full|complete|pages?|words|sentences"
    r"|lines|points|bullets|quotes|items|one-?page\w*|tl;?dr)\b|简短|简要|简洁|短|详细|全面|完整|深入|页|字|句|条",
    re.IGNORECASE,
)
_SAYS_AUDIENCE = re.compile(
    r"\b(?:audience|readers?|addressed to|aimed at|written for|for (?:the |our |my |a |an )?(?:board|council|public|press|"
    r"customers?|clients?|managers?|management|team|staff|colleagues?|children|kids|students?|experts?|beginners?|visitors?|users?|"
    r"donors?|members?|parents?|teachers?|investors?|citizens|everyone|everybody|boss|director|newcomers?))\b"
    r"|读者|受众|面向|写给|给.{1,8}看|给(?![我你])[^，,。\s]{1,12}(?:写|做|起草)",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\((short|medium|long)\)")
_ANSWERED = re.compile(r"^→ (?P<label>.*?)(?: \((?P<value>[a-z]+)\))?$", re.MULTILINE)
_AUDIENCES = ("general", "deciders", "experts")


def questions(conversation: Conversation, intent: Intent) -> tuple[ReplyText, ReplyToolUse] | None:
    """Return the call that asks what the request leaves open, None where there is nothing to ask, or nobody to ask."""
    run, phrases = conversation.current, PHRASES[intent.language]
    if not conversation.can_ask or run.named(UI_REQUEST) or intent.form == "outline":
        return None
    asked = []
    if not (intent.addressed or _SAYS_AUDIENCE.search(run.request)):
        options = [{"label": label, "value": value} for value, label in zip(_AUDIENCES, phrases.audiences, strict=True)]
        asked.append(
            {
                "id": "audience",
                "question": phrases.ask_audience,
                "options": options,
                "recommended": "general",
                "allow_freeform": True,
            }
        )
    if not says_length(run):
        options = [{"label": label, "value": value} for value, label in zip(_COUNTS, phrases.lengths, strict=True)]
        asked.append({"id": "length", "question": phrases.ask_length, "options": options, "recommended": "medium"})
    if not asked:
        return None
    payload = {"type": "clarification", "title": phrases.ask_title, "preface": phrases.ask_preface, "questions": asked}
    return ReplyText(phrases.ask_said), ReplyToolUse(UI_REQUEST, payload)


def proposal(conversation: Conversation, intent: Intent, outline: Outline) -> tuple[ReplyText, ReplyToolUse] | None:
    """Return the call that proposes `outline`; None where one was proposed already, or where nobody is there to see it."""
    made = conversation.current.named(UI_REQUEST)
    if not conversation.can_ask or not outline.sections or any(call.input.get("type") == "outline_edit" for call in made):
        return None
    phrases = PHRASES[intent.language]
    payload = {
        "type": "outline_edit",
        "title": phrases.outline_title,
        "preface": phrases.outline_alone if intent.form == "outline" else phrases.outline_preface,
        "outline_text": outline.as_markdown(),
    }
    return ReplyText(phrases.outline_said), ReplyToolUse(UI_REQUEST, payload)


def says_length(run: Run) -> bool:
    """Whether the prompt of `run` says how long the text shall be."""
    return _SAYS_LENGTH.search(run.request) is not None


def as_answered(run: Run, intent: Intent) -> Intent:
    """Return `intent` with the length that the person chose."""
    found = next((value for text in run.answers if (value := _VALUE.search(text))), None)
    return replace(intent, count=_COUNTS[found[1]]) if found else intent


def audience(run: Run, intent: Intent) -> str:
    """Return for whom the person said it is, in their words; empty where it is for anybody, or they did not say."""
    asked = PHRASES[intent.language].ask_audience
    for text in run.answers:
        _, found, after = text.partition(f"{asked}\n")
        answered = _ANSWERED.match(after) if found else None
        if answered is not None and answered["value"] != "general" and not SKIPPED.match(answered[0]):
            return answered["label"]
    return ""


def outline_of(run: Run) -> Outline | None:
    """Return the outline that came back, None where none did."""
    calls = [call for call in run.named(UI_REQUEST) if call.succeeded]
    for call, text in zip(calls, run.answers, strict=False):
        if call.input.get("type") == "outline_edit":
            return parse_outline(text.partition("\n")[2])
    return None
