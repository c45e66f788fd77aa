"""The review of a proposed change: the content of its rows, and the widgets that draw them."""
