"""Forward search by information gain, and how its time grows with rows and columns."""
