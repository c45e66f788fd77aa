"""What lies in a workspace, as a tree of a bounded size: what is near to the root comes first."""

import os
from pathlib import Path

from dogent_tui.markdown_search.file_names import everything_but_ignored, shown
from dogent_tui.markdown_search.model import MOST_NODES, FoundTree, ListTree, Node
from dogent_tui.references.file_walk import scan


def list_tree(request: ListTree) -> FoundTree:
    """Return the tree."""
    allowed = everything_but_ignored(request.scope)
    tree = _Tree()
    for folder, folders, files in scan(Path(request.scope.root), request.scope.without):
        prefix = f"{folder}/" if folder else ""
        tree.add(
            folder,
            folders,
            [name for name in files if allowed is None or prefix + name in allowed],
            allowed,
        )
    tree.choose()
    return FoundTree(tree.nodes(""), tree.folders, tree.files, tree.hidden.get("", 0))


class _Tree:
    def __init__(self) -> None:
        self.folders = self.files = 0
        self.hidden: dict[str, int] = {}
        self._inside: dict[str, tuple[list[str], list[str]]] = {}
        self._chosen: set[str] = set()

    def add(
        self, folder: str, folders: list[str], files: list[str], allowed: frozenset[str] | None
    ) -> None:
        """Take in what lies directly in `folder`."""
        prefix = f"{folder}/" if folder else ""
        folders = [name for name in folders if allowed is None or prefix + name in allowed]
        self._inside[folder] = (sorted(folders, key=str.casefold), sorted(files, key=str.casefold))
        self.folders += len(folders)
        self.files += len(files)

    def choose(self) -> None:
        """Choose which nodes are shown, level by level, and count the others at the folder that
        would show them.
        """
        level = [""]
        room = MOST_NODES
        while level:
            deeper = []
            for folder in level:
                prefix = f"{folder}/" if folder else ""
                folders, files = self._inside.get(folder, ([], []))
                inside = [prefix + name for name in (*folders, *files)]
                self._chosen.update(inside[: max(room, 0)])
                left = inside[max(room, 0) :]
                room -= len(inside)
                if left:
                    self.hidden[folder] = sum(1 + self._below(path) for path in left)
                deeper += [prefix + name for name in folders if prefix + name in self._chosen]
            level = deeper

    def nodes(self, folder: str) -> tuple[Node, ...]:
        """Return the chosen nodes in `folder`."""
        prefix = f"{folder}/" if folder else ""
        folders, files = self._inside.get(folder, ([], []))
        found = [
            Node(
                shown(name),
                shown(prefix + name),
                "folder",
                "",
                self.nodes(prefix + name),
                self.hidden.get(prefix + name, 0),
            )
            for name in folders
            if prefix + name in self._chosen
        ]
        found += [
            Node(shown(name), shown(prefix + name), "file", os.path.splitext(shown(name))[1])  # noqa: PTH122 — a name, no path
            for name in files
            if prefix + name in self._chosen
        ]
        return tuple(found)

    def _below(self, folder: str) -> int:
        count, todo = 0, [folder]
        while todo:
            inside = todo.pop()
            folders, files = self._inside.get(inside, ([], []))
            count += len(folders) + len(files)
            todo += [f"{inside}/{name}" for name in folders]
        return count
