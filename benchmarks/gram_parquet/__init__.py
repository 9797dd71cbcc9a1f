"""The centred Gram matrix of a table that is read from a file."""
