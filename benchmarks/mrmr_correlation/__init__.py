"""Minimum redundancy, maximum relevance by F-statistic and correlation."""
