"""Minimum redundancy, maximum relevance by mutual information of discrete columns."""
