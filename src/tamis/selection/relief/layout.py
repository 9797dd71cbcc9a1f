"""How the columns of a table are compared, and the numbers that are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from tamis._kernels import kernels
from tamis.stats.binning import Bins, extents, kernel_matrix
from tamis.stats.coding import refuse_infinite, whole_and_few

BYTE = 256  # values of a discrete column that is compared byte by byte


@dataclass(frozen=True)
class ColumnLayout:
    """Columns of three kinds, by their positions in the table: continuous ones are scaled to [0, 1], discrete ones
    coded as bytes, and those with missing values (or with more than 256 labels) kept apart."""

    plain: np.ndarray
    low: np.ndarray
    width: np.ndarray
    coded: np.ndarray
    cuts: tuple[np.ndarray | None, ...]  # None: whole numbers close enough to be bytes as they are
    other: np.ndarray
    other_low: np.ndarray
    other_width: np.ndarray
    other_discrete: np.ndarray
    single: bool  # float32

    @classmethod
    def of(
        cls, X: np.ndarray, names: list[str], declared: np.ndarray | None, n_threads: int, first: int = 0
    ) -> ColumnLayout:
        """Of some columns; ``declared`` says which are discrete, None leaves it to the values."""
        X = kernel_matrix(X)
        low, high, missing, whole = extents(X, n_threads)
        refuse_infinite(names, low, high)
        width = np.where(low > high, 0, high - low)
        discrete = whole_and_few(X, whole, width, n_threads) if declared is None else declared
        close = discrete & (missing == 0) & whole & (width < BYTE)
        unclear = np.flatnonzero(discrete & (missing == 0) & ~close)
        found = dict(zip(unclear.tolist(), kernels.distinct_values(X, unclear, BYTE, n_threads), strict=True))
        few = [j for j, values in found.items() if values is not None]
        coded = np.sort(np.concatenate([np.flatnonzero(close), np.array(few, dtype=np.int64)]))
        cuts = tuple(found[j][:-1] if j in found else None for j in coded.tolist())
        plain = np.flatnonzero(~discrete & (missing == 0))
        other = np.setdiff1d(np.arange(X.shape[1]), np.concatenate([plain, coded]))
        low, width = np.where(low > high, 0.0, low), np.where(width > 0, width, 1.0)
        return cls(
            first + plain, low[plain], width[plain], first + coded, cuts,
            first + other, low[other], width[other], discrete[other], X.dtype == np.float32,
        )  # fmt: skip

    @classmethod
    def joined(cls, parts: Iterable[ColumnLayout]) -> ColumnLayout:
        """Of the columns of all parts, which come one after the other."""
        every = list(parts)
        if len(every) == 1:
            return every[0]
        names = ("plain", "low", "width", "coded", "other", "other_low", "other_width", "other_discrete")
        arrays = {name: np.concatenate([getattr(part, name) for part in every]) for name in names}
        cuts = tuple(c for part in every for c in part.cuts)
        return cls(**arrays, cuts=cuts, single=all(part.single for part in every))

    @property
    def order(self) -> np.ndarray:
        """Which column of the table each is, kind after kind."""
        return np.concatenate([self.plain, self.coded, self.other])

    @property
    def row_bytes(self) -> int:
        return (4 if self.single else 8) * len(self.plain) + len(self.coded)

    def take(self, plain: np.ndarray, coded: np.ndarray, other: np.ndarray) -> ColumnLayout:
        """Some columns of each kind."""
        return replace(
            self,
            plain=self.plain[plain], low=self.low[plain], width=self.width[plain], coded=self.coded[coded],
            cuts=tuple(self.cuts[j] for j in coded), other=self.other[other], other_low=self.other_low[other],
            other_width=self.other_width[other], other_discrete=self.other_discrete[other],
        )  # fmt: skip

    def empty(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Room for the continuous and the discrete columns of n rows."""
        return np.empty((n, len(self.plain)), np.float32 if self.single else np.float64), np.empty(
            (n, len(self.coded)), np.uint8
        )

    def fill(self, X: np.ndarray, first: int, x: np.ndarray, codes: np.ndarray, n_threads: int) -> None:
        """Columns first, first + 1, … of some rows, as they are compared."""
        X = X if X.dtype.kind in "iu" else kernel_matrix(X)
        mine = self._within(self.plain, X, first)
        columns = self.plain[mine] - first
        given = X if len(columns) == X.shape[1] else X[:, columns]
        np.subtract(given, self.low[mine], out=x[:, mine], casting="unsafe")
        x[:, mine] /= self.width[mine].astype(x.dtype)
        mine = self._within(self.coded, X, first)
        self._fill_codes(X, self.coded[mine] - first, self.cuts[mine], codes[:, mine], n_threads)

    @staticmethod
    def _fill_codes(
        X: np.ndarray, columns: np.ndarray, cuts: tuple[np.ndarray | None, ...], codes: np.ndarray, n_threads: int
    ) -> None:
        close = np.array([c is None for c in cuts], dtype=bool)
        chosen = X if close.all() and len(columns) == X.shape[1] else X[:, columns[close]]
        if X.dtype.kind == "f":
            chosen = np.fmod(chosen, BYTE).astype(np.int16)
        if close.all():
            codes[:] = chosen.astype(np.uint8)  # of whole numbers within 256 only equal ones have equal last bytes
            return
        codes[:, close] = chosen.astype(np.uint8)
        rest = columns[~close]
        filled = np.empty((len(rest), len(X)), np.uint8)
        bins = Bins(tuple(c for c in cuts if c is not None))
        bins.fill(np.ascontiguousarray(X[:, rest]), np.arange(len(rest)), filled, n_threads)
        codes[:, ~close] = filled.T

    def bytes_of(self, X: np.ndarray) -> np.ndarray | None:
        """X itself as codes, where its columns are bytes to be compared as they are."""
        if len(self.coded) < X.shape[1] or any(c is not None for c in self.cuts):
            return None
        return X.view(np.uint8) if X.dtype.itemsize == 1 and X.flags.c_contiguous else None

    def incomplete(self, X: np.ndarray, first: int) -> np.ndarray:
        """(p, n) those of the columns first, first + 1, … of some rows that are kept apart."""
        X = kernel_matrix(X)
        mine = self._within(self.other, X, first)
        values = X[:, self.other[mine] - first].T.astype(np.float64)
        scaled = (values - self.other_low[mine, None]) / self.other_width[mine, None]
        return np.where(self.other_discrete[mine, None], values, scaled)

    @staticmethod
    def _within(columns: np.ndarray, X: np.ndarray, first: int) -> slice:
        start, stop = np.searchsorted(columns, [first, first + X.shape[1]])
        return slice(int(start), int(stop))
