"""The outline on the screen: the tree, the preview, and where its texts are typed."""
