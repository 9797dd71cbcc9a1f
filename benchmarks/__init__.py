"""Benchmarks in benchopt's shape: one folder per question, with its judge, its datasets and one file per competitor."""
