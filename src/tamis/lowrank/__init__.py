"""A low-rank model says that data are a matrix of low rank plus a sparse one, on the entries that were observed."""

from tamis.lowrank.completion.matrix_completion import MatrixCompletion
from tamis.lowrank.completion.required_entries import RequiredEntries, required_entries
from tamis.lowrank.separation.graph_robust_pca import GraphRobustPCA
from tamis.lowrank.separation.robust_pca import RobustPCA

__all__ = ["GraphRobustPCA", "MatrixCompletion", "RequiredEntries", "RobustPCA", "required_entries"]
