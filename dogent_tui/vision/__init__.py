"""What pictures and videos show, told by a model that sees: the user's own profiles, and the providers behind them."""
