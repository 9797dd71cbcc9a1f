"""Tamis finds the few things that matter in data, and hands over the evidence with the answer."""
