"""What every estimator shares and no family owns: training data, labels, splits, all-or-nothing fits, frames."""
