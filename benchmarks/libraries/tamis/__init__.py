"""Ours, as it comes: nothing tuned but the tolerance, where the question tunes everybody's."""
