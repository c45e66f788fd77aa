"""The review of a proposed change: what its rows show, and the widgets that draw them."""
