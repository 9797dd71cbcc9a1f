"""scikit-learn, a file for each of its modules."""
