"""The widgets that the screens are composed of."""
