"""Benchmarks in benchopt's shape: one folder per question, each with an objective (the judge), datasets and one file per competitor."""
