"""Information gain of every discrete column with the class."""
