"""What pictures and videos show, told by a model that sees: the person's own profiles, and the providers behind them."""
