"""What lies in a workspace, as a tree of a bounded size: what is near to the root comes first."""

import os
from collections.abc import Iterable

from dogent_tui.markdown_search.file_names import folders_of, ignore_filter, shown
from dogent_tui.markdown_search.model import MOST_NODES, FoundTree, ListTree, Node


def list_tree(request: ListTree) -> FoundTree:
    """Return the tree."""
    folders = folders_of(request.scope)
    keeps = ignore_filter(request.scope, folders)

    def kept(folder: str, names: Iterable[str]) -> list[str]:
        return [folder + name for name in sorted(names, key=str.casefold) if keeps(folder + name)]

    # the paths in each folder, those of folders with a slash at their end
    inside = {
        folder: [*(f"{path}/" for path in kept(folder, below)), *kept(folder, names)]
        for folder, below, names in folders
    }
    sizes: dict[str, int] = {}  # of folders: all that is in them

    def size(paths: Iterable[str]) -> int:
        return sum(1 + sizes.get(path, 0) for path in paths)

    for folder in reversed(inside):  # each comes after the one that it is in
        sizes[folder] = size(inside[folder])
    chosen: dict[str, list[str]] = {}
    room, level_by_level = MOST_NODES, [""]
    for folder in level_by_level:
        chosen[folder] = inside.get(folder, [])[:room]
        room -= len(chosen[folder])
        level_by_level += [path for path in chosen[folder] if path.endswith("/")]

    def more(folder: str) -> int:
        return size(inside.get(folder, [])[len(chosen[folder]) :])

    def node(path: str) -> Node:
        place = shown(path.rstrip("/"))
        name = place.rpartition("/")[2]
        if place == shown(path):
            return Node(name, place, "file", os.path.splitext(name)[1])  # noqa: PTH122 — a name, no path
        return Node(name, place, "folder", "", tuple(map(node, chosen[path])), more(path))

    there = [path for paths in inside.values() for path in paths]
    folder_count = sum(path.endswith("/") for path in there)
    return FoundTree(
        tuple(map(node, chosen[""])), folder_count, len(there) - folder_count, more("")
    )
