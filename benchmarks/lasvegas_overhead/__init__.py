"""What the Las Vegas wrapper adds to the fits of the learner it wraps."""
