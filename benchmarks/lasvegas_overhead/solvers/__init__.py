"""One file per competitor, each with a class Solver of four verbs: available, prepare, run, result."""
