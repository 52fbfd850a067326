"""Small models that the trial found once, with the truth beside them.

Each is run every way there is, its turns one after the other on one session; None for the outputs means that the feed
is refused.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


@dataclasses.dataclass
class Entry:
    about: str
    text: str
    turns: list[tuple[dict[str, Any], list[Any] | None]]
    opset: int = 18


def f(*values: Any) -> np.ndarray:
    return np.array(values, np.float32)


def i(*values: Any) -> np.ndarray:
    return np.array(values, np.int64)


def many_widths() -> list[tuple[dict[str, Any], list[Any] | None]]:
    sizes = np.random.default_rng(0).integers(1, 60, 60)
    return [({"x": np.ones((n, 16), np.float32)}, [np.full((n, 16), 16.0 * n, np.float32)]) for n in sizes]


ENTRIES = [
    Entry(
        "element-wise nodes behind one that follows from a shape",
        """g (float[N] x) => (float[] y, float[] z) <float[1] one = {1}, float[1] big = {-10000}> {
          s = Shape (x)
          o = ConstantOfShape <value = float[1] {1}> (s)
          t = Neg (o)
          y = Add (t, x)
          c = Cast <to = 1> (s)
          d = Sub (one, c)
          z = Mul (d, big)
        }""",
        [({"x": f(10, 20, 30)}, [f(9, 19, 29), f(20000)]), ({"x": f(1)}, [f(0), f(0)]), ({"x": f()}, [f(), f(-10000)])],
    ),
    Entry(
        "a size that is added, then cut off",
        """g (float[N] x) => (float[] y) <float[2] c = {-3, 0.5}> {
          n = Size (x)
          r = Cast <to = 1> (n)
          a = Add (c, r)
          y = Relu (a)
        }""",
        [({"x": f(7)}, [f(0, 1.5)]), ({"x": f(7, 7, 7, 7)}, [f(1, 4.5)])],
    ),
    Entry(
        "a shape beside what NonZero counted",
        """g (float[N, M] x) => (int64[] y, int64[] t) <int64[1] a = {1}, int64[1] two = {2}> {
          s = Shape (x)
          u = Unsqueeze (s, a)
          z = NonZero (x)
          y = Sub (u, z)
          d = Sub (s, s)
          k = Add (d, two)
          t = Slice (z, d, k)
        }""",
        [({"x": f([0, 1, 0, 0, 0], [0, 0, 0, 0, 1])}, [i([2, 1], [4, 1]), i([0, 1], [1, 4])]),
         ({"x": f([0, 0])}, [np.zeros((2, 0), np.int64)] * 2)],
    ),
    Entry(
        "a matrix that follows from a shape times what is late",
        """g (float[N] x) => (int64[] y) <int64[2] c = {0, 1}> {
          n = Size (x)
          s = Sub (c, n)
          z = NonZero (x)
          zz = Concat <axis = 0> (z, z)
          y = MatMul (s, zz)
        }""",
        [({"x": f(0, 1, 1)}, [i(-5, -10)]), ({"x": f(0)}, [i()])],
    ),
    Entry(
        "views of an input, of a late value and of an output, read late",
        """g (float[N] x, seq(float[]) q) => (float[] y, float[] w, int64[] v, int64[] z)
          <int64[1] a = {1}, int64 one = {1}> {
          u = Unsqueeze (x, a)
          z = NonZero (x)
          r = Cast <to = 1> (z)
          l = SequenceConstruct (r, u)
          y = SequenceAt (l, one)
          e = SequenceAt (q, one)
          t = Transpose (u)
          w = Add (t, e)
          v = Unsqueeze (z, a)
        }""",
        [({"x": f(1, 0, 3), "q": [f(0), f([1], [2])]},
          [f([1], [0], [3]), f([2, 1, 4], [3, 2, 5]), i([[0, 2]]), i([0, 2])])],
    ),
    Entry(
        "Slice by views of inputs",
        """g (int64 s, seq(int64[]) q, float[N] x) => (float[] y) <int64[1] zero = {0}, int64 first = {0}> {
          a = Unsqueeze (s, zero)
          e = SequenceAt (q, first)
          y = Slice (x, a, e)
        }""",
        [({"s": np.array(1, np.int64), "q": [i(3)], "x": f(1, 2, 3, 4)}, [f(2, 3)])],
    ),
    Entry(
        "a sequence that is empty, then not, beside an input of any rank",
        "g (seq(float[]) s, float[] x) => (float[] y, int64[] n) { y = Neg (x) n = Shape (x) }",
        [({"s": [], "x": f()}, [f(), i(0)]),
         ({"s": [f(1)], "x": np.array(2, np.float32)}, [np.array(-2, np.float32), i()]),
         ({"s": [], "x": f()}, [f(), i(0)])],
    ),
    Entry(
        "a product whose matrix follows from a dimension",
        """g (float[N, 16] x) => (float[] y) <int64[1] from = {0}, int64[1] to = {1}, int64[2] sh = {16, 16}> {
          s = Shape (x)
          n = Slice (s, from, to)
          r = Cast <to = 1> (n)
          o = ConstantOfShape <value = float[1] {1}> (sh)
          b = Mul (r, o)
          y = MatMul (x, b)
        }""",
        many_widths(),
    ),
    Entry(
        "branches that want other sizes of one value",
        """g (float[N] x, bool c) => (float[] y) {
          y = If (c) <
            then_branch = t () => (float[] p) <float[2, 1] a = {1, 2}> { p = MatMul (x, a) },
            else_branch = e () => (float[] q) <float[3, 1] b = {1, 2, 3}> { q = MatMul (x, b) }
          >
        }""",
        [({"x": f(1, 1), "c": np.array(True)}, [f(3)]), ({"x": f(1, 1, 1), "c": np.array(False)}, [f(6)]),
         ({"x": f(1, 1, 1), "c": np.array(True)}, None), ({"x": f(1, 1), "c": np.array(True)}, [f(3)])],
    ),
    Entry(
        "a branch that is not taken wants what is not so",
        """g (float[N] x, bool c) => (float[] y, float[] z) <float[3] k = {0, 1, 2}> {
          r = Relu (x)
          y = Add (r, k)
          z = If (c) <
            then_branch = t () => (float[] p) { p = Identity (x) },
            else_branch = e () => (float[] q) <float[3, 1] b = {1, 2, 3}> { q = MatMul (x, b) }
          >
        }""",
        [({"x": f(10), "c": np.array(True)}, [f(10, 11, 12), f(10)]),
         ({"x": f(1, 1, 1), "c": np.array(False)}, [f(1, 2, 3), f(6)])],
    ),
    Entry(
        "a Constant that no pass has folded",
        "g (float[N] x) => (float[] y) { k = Constant <value = float[1] {1}> () y = Add (x, k) }",
        [({"x": f(1, 2)}, [f(2, 3)])],
    ),
    Entry(
        "a slope of any rank, before version 7",
        "g (float[] x, float[] s) => (float[] y) { y = PRelu (x, s) }",
        [
            ({"x": f(-1, 2), "s": f(3)}, [f(-3, 2)]),
            ({"x": f([[-1], [-2]], [[3], [-4]]), "s": f(2, 3)}, [f([[-2], [-6]], [[3], [-12]])]),
        ],
        opset=6,
    ),
    Entry(
        "a normalisation by an infinite factor, and x in its middle",
        """g (float[N, 2, 1] x) => (float[] y) <
          float[2] scale = {inf, 2}, float[2] shift = {1, 1}, float[2] mean = {3, 3}, float[2] variance = {1, 1}
        > {
          y = BatchNormalization <epsilon = 0.0> (x, scale, shift, mean, variance)
        }""",
        [
            ({"x": f([[1], [1]])}, [f([[-np.inf], [-3]])]),
            ({"x": f([[4], [4]])}, [f([[np.inf], [3]])]),
        ],
    ),
    Entry(
        "class numbers of no place, beside scores of one",
        """g (float[1, 3] x, int64[N] c) => (float[] y) { y = NegativeLogLikelihoodLoss <reduction = "sum"> (x, c) }""",
        [({"x": f([1, 2, 3]), "c": i()}, None), ({"x": f([1, 2, 3]), "c": i(1)}, [np.array(-2, np.float32)])],
    ),
]  # fmt: skip
