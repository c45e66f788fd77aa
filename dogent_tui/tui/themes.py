"""The application's own themes, beside those of Textual: ink on paper, by day and by night."""

from textual.theme import Theme

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
    variables={"footer-key-foreground": "#8fb8de", "footer-background": "#14171c", "block-cursor-text-style": "none"},
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
    variables={"footer-key-foreground": "#2f6690", "footer-background": "#faf8f3", "block-cursor-text-style": "none"},
)

THEMES = (NIGHT, PAPER)
DEFAULT_THEME = NIGHT.name


def theme_colors(theme: Theme, defaults: dict[str, str]) -> dict[str, str]:
    """Return what the variables of a stylesheet are in `theme`, as `App.get_css_variables` has them for the present one."""
    return {**defaults, **theme.to_color_system().generate(), **theme.variables}
