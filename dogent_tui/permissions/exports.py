"""Where an export goes that nobody named a file for: the policy asks about the very place that
the tool writes to.
"""


def export_target(source: str, kind: str) -> str:
    """Return the path of the file of `kind` (``pdf``) beside the Markdown file `source`, spelled
    as `source` is.
    """
    folder, slash, name = source.rpartition("/")
    return f"{folder}{slash}{name.rpartition('.')[0] or name}.{kind}"
