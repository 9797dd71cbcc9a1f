"""One question about one table, answered: a typed question, a function that answers it with estimators, an answer."""
