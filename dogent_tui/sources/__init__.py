"""What the model has been given: the ledger of texts, which reviews and checks build on."""
