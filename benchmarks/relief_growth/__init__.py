"""How the time of ReliefF grows with rows, columns and rows asked."""
