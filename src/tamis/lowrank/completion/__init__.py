"""Low rank, known at some entries."""
