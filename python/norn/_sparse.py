"""Sparse tensors in coordinate form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class SparseTensor:
    """A sparse tensor as ONNX has it.

    ``values`` has shape [nnz]; ``indices`` is int64, [nnz] (positions in row-major order) or [nnz, rank], sorted and
    without duplicates; ``shape`` is the dense shape.
    """

    values: np.ndarray[Any, np.dtype[Any]]
    indices: np.ndarray[Any, np.dtype[np.int64]]
    shape: tuple[int, ...]

    def norn_sparse_parts(self) -> tuple[Any, Any, tuple[int, ...]]:
        """How the extension module takes this object apart."""
        return self.values, self.indices, tuple(self.shape)

    def to_dense(self) -> np.ndarray[Any, np.dtype[Any]]:
        """The dense array of shape ``shape``; elements that are not stored are zero."""
        dense = np.zeros(self.shape, self.values.dtype)
        if self.indices.ndim == 1:
            dense.reshape(-1)[self.indices] = self.values
        else:
            dense[tuple(self.indices.T)] = self.values
        return dense
