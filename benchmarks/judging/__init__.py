"""What the judges of several questions share: bounds proved by duality, paths, greedy choices, a slow plain Relief."""
