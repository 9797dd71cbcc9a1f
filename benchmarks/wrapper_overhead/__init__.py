"""What a wrapper adds to the fits of the learner it wraps."""
