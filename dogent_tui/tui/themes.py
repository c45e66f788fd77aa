"""The application's own themes, in addition to Textual's: ink on paper, by day and by night."""

from collections.abc import Mapping

from textual.theme import Theme

from dogent_tui.language import phrases, tr

NIGHT = Theme(
    name="dogent-night",
    primary="#8fb8de",
    secondary="#c3a6d8",
    accent="#e0b074",
    foreground="#d8dce2",
    background="#14171c",
    surface="#1b1f26",
    panel="#232831",
    success="#93c493",
    warning="#e3c078",
    error="#e58a84",
    dark=True,
    variables={
        "footer-key-foreground": "#8fb8de",
        "block-cursor-text-style": "none",
    },
)

PAPER = Theme(
    name="dogent-paper",
    primary="#2f6690",
    secondary="#77529e",
    accent="#a4630a",
    foreground="#2b2f36",
    background="#faf8f3",
    surface="#f1eee6",
    panel="#e7e3d8",
    success="#3d7a45",
    warning="#96690c",
    error="#b23a34",
    dark=False,
    variables={
        "footer-key-foreground": "#2f6690",
        "block-cursor-text-style": "none",
    },
)

CONTRAST = Theme(
    name="dogent-contrast",
    primary="#5cc8ff",
    secondary="#ffb3ff",
    accent="#ffd75f",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1c1c1c",
    success="#5fff87",
    warning="#ffff5f",
    error="#ff8787",
    dark=True,
    variables={
        "footer-key-foreground": "#5cc8ff",
        "block-cursor-text-style": "bold reverse",
        "text-muted": "#e4e4e4",
        "text-disabled": "#c6c6c6",
        "border": "#ffffff",
        "border-blurred": "#c6c6c6",
        "scrollbar": "#c6c6c6",
        "scrollbar-background": "#1c1c1c",
    },
)
"""High contrast: all text at 7:1 or more against its background (WCAG 2.2, 1.4.6)."""

THEMES = (NIGHT, PAPER, CONTRAST)
DEFAULT_THEME = NIGHT.name
LIGHT_THEME = PAPER.name
"""Used if the terminal's background is light and no theme was chosen."""


def described(themes: Mapping[str, Theme]) -> dict[str, str]:
    """Return the list entries of `themes` by name: the built-in ones first, marked as light or
    dark.
    """
    own = [theme.name for theme in THEMES if theme.name in themes]
    names = [*own, *sorted(name for name in themes if name not in own)]
    return {
        name: phrases(
            name,
            tr("high contrast") if name == CONTRAST.name else "",
            "" if themes[name].dark else tr("light"),
        )
        for name in names
    }
