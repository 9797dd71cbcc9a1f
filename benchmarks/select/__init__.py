"""The whole command line from interpreter start to report."""
