"""The configurable keys of the interface: ``keys`` in the user's own ``dogent.json`` maps action
names to keys.
"""

from collections.abc import Iterable, Mapping, Sequence

from textual.binding import Binding, BindingType

from dogent_tui.language import tr
from dogent_tui.records import Record
from dogent_tui.settings.config_check import ConfigWarning, meant
from dogent_tui.tui.key_hints import key_name
from dogent_tui.tui.prompt.editor import PromptEditor

_FIXED = frozenset(
    {
        "enter",
        "escape",
        "tab",
        "shift+tab",
        "up",
        "down",
        "left",
        "right",
        "backspace",
        "delete",
        "space",
    }
)
"""Keys needed to type, choose or leave."""


class KeyAction(Record):
    """An action with a key. `default` lists its default keys, separated by commas."""

    id: str
    words: str
    default: str


class Keymap:
    """The configurable keys and the changes in force. `keys` holds these by action."""

    def __init__(self, bindings: Iterable[BindingType], wanted: Mapping[str, str]) -> None:
        """Apply `wanted` to those of `bindings` that have an id. Impossible changes are ignored
        with a warning.
        """
        named = [binding for binding in bindings if isinstance(binding, Binding) and binding.id]
        self.actions = tuple(
            KeyAction(binding.id or "", binding.description, binding.key) for binding in named
        )
        self._others = {
            key: binding.description or binding.action
            for binding in bindings
            if isinstance(binding, Binding) and not binding.id
            for key in binding.key.split(",")
        }
        self.keys: dict[str, str] = {}
        self.warnings: list[ConfigWarning] = []
        cleaned = {action_id: keys.strip().lower() for action_id, keys in wanted.items()}
        for action_id, keys in cleaned.items():
            self._take(action_id, keys, cleaned)

    def action(self, action_id: str) -> KeyAction:
        """Return an action by its id."""
        return next(action for action in self.actions if action.id == action_id)

    def shown(self, action_id: str) -> str:
        """Return the label of the action's first key, for use in a sentence."""
        return key_name(self.keys.get(action_id, self.action(action_id).default).split(",")[0])

    def problem(
        self, action_id: str, keys: str, changed: Mapping[str, str | None] | None = None
    ) -> str:
        """Return why `keys` cannot be used for the action, or an empty string. `changed` holds the
        user's unsaved changes.
        """
        changed, taken = changed or {}, dict(self._others)
        for other in self.actions:
            if other.id != action_id:
                in_force = changed.get(other.id, self.keys.get(other.id)) or other.default
                taken |= dict.fromkeys(in_force.split(","), other.words)
        usual = self.action(action_id).default.split(",")
        for key in keys.split(","):
            if not key or key in _FIXED or (len(key) == 1 and key.isprintable()):
                return tr(
                    "{key} is needed for typing; choose a key with Ctrl or Alt, or a function key.",
                    key=key or "—",
                )
            if key in taken and key not in usual:
                return tr("{key} is already used for: {action}.", key=key, action=taken[key])
        return ""

    def _take(self, action_id: str, keys: str, wanted: Mapping[str, str]) -> None:
        ids = [action.id for action in self.actions]
        if action_id not in ids:
            available = tr("Available: {names}.", names=", ".join(ids))
            known = meant(action_id, ids, available)
            message = tr(
                "There is no action {action} for the key {key} in your dogent.json.",
                action=action_id,
                key=keys,
            )
            self.warnings.append(ConfigWarning(message, known, "keys_unknown"))
        elif problem := self.problem(action_id, keys, wanted):
            message = tr(
                "Your key for “{action}” is not used: {why}",
                action=self.action(action_id).words,
                why=problem,
            )
            self.warnings.append(
                ConfigWarning(message, tr("Choose another one in /settings."), "keys_conflict")
            )
        else:
            self.keys[action_id] = keys


def prompt_bindings() -> Sequence[BindingType]:
    """Return the keys of the prompt, its own and those of a text area: it handles them before the
    screen does.
    """
    return [
        binding for base in PromptEditor.__mro__ for binding in base.__dict__.get("BINDINGS", ())
    ]
