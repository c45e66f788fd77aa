"""The outline on the screen: the tree, the preview and the text inputs."""
