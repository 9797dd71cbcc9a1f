"""y = A x and x = Aᵀ y without looking at how A is stored: the only seam between dense, sparse and streamed."""

from tamis.operators.adapted import Adapted
from tamis.operators.as_operator import as_operator
from tamis.operators.base import Operator
from tamis.operators.dense import Dense
from tamis.operators.sparse import Sparse
from tamis.operators.standardised import Standardised
from tamis.operators.streamed import Streamed

__all__ = ["Adapted", "Dense", "Operator", "Sparse", "Standardised", "Streamed", "as_operator"]
