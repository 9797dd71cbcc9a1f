"""Tamis beside other libraries: a file for every question, a file for every library, one judge outside all of them."""
