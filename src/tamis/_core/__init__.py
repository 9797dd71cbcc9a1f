"""Ground floor: checks, errors, evidence, progress, threads, randomness. Imports nothing of ours."""
