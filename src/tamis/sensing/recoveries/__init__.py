"""How the sparse code of a measured signal is found."""
