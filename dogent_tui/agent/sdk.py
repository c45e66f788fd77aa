"""Imports the Claude Agent SDK without `mcp` and `jsonschema`, which take 0.6 of its 0.7 s.

The SDK needs them only for tool servers in its own process, of which there are none: ours is
`tools/server.py`. Empty modules replace them while the SDK is imported; later imports get the real
ones. Waits for https://github.com/anthropics/claude-agent-sdk-python to import them on use.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_NOT_NEEDED = ("mcp", "jsonschema")


class _Placeholder:
    """Replaces any class of a package that is not imported: as base class and type argument."""

    def __init_subclass__(cls, **_: object) -> None:
        """Accept what the real one accepts."""

    def __class_getitem__(cls, _: object) -> type:
        return cls


class _EmptyModule(ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (_Placeholder,), {})


class _EmptyPackages(MetaPathFinder, Loader):
    """Finds an empty module for every module of the packages that are not needed; `made` holds
    their names.
    """

    def __init__(self) -> None:
        self.made: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        needed = fullname.partition(".")[0] not in _NOT_NEEDED
        return None if needed else ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self.made.append(spec.name)
        return _EmptyModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module stays empty."""


@contextmanager
def _light() -> Iterator[None]:
    finder = _EmptyPackages()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in finder.made:  # a copy: other threads may be importing
            sys.modules.pop(name, None)


with _light():
    from claude_agent_sdk import (
        AssistantMessage,
        ClaudeAgentOptions,
        ClaudeSDKClient,
        ClaudeSDKError,
        CLIConnectionError,
        HookContext,
        HookInput,
        HookJSONOutput,
        HookMatcher,
        Message,
        PermissionResultAllow,
        PermissionResultDeny,
        ProcessError,
        ResultMessage,
        StreamEvent,
        SystemMessage,
        TextBlock,
        ToolPermissionContext,
        ToolResultBlock,
        ToolUseBlock,
        Transport,
        UserMessage,
    )
    from claude_agent_sdk.types import PreToolUseHookSpecificOutput, SystemPromptPreset

__all__ = [
    "AssistantMessage",
    "CLIConnectionError",
    "ClaudeAgentOptions",
    "ClaudeSDKClient",
    "ClaudeSDKError",
    "HookContext",
    "HookInput",
    "HookJSONOutput",
    "HookMatcher",
    "Message",
    "PermissionResultAllow",
    "PermissionResultDeny",
    "PreToolUseHookSpecificOutput",
    "ProcessError",
    "ResultMessage",
    "StreamEvent",
    "SystemMessage",
    "SystemPromptPreset",
    "TextBlock",
    "ToolPermissionContext",
    "ToolResultBlock",
    "ToolUseBlock",
    "Transport",
    "UserMessage",
]
