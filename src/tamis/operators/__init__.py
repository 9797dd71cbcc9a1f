"""y = A x and x = Aᵀ y without looking at how A is stored: the only seam between dense, sparse and streamed."""

from tamis.operators.adapted import Adapted
from tamis.operators.base import Operator
from tamis.operators.dense import Dense
from tamis.operators.door import as_operator
from tamis.operators.shifted import Shifted, about_means
from tamis.operators.sparse import Sparse
from tamis.operators.standardised import Standardised
from tamis.operators.streamed import Streamed

__all__ = [
    "Adapted",
    "Dense",
    "Operator",
    "Shifted",
    "Sparse",
    "Standardised",
    "Streamed",
    "about_means",
    "as_operator",
]
