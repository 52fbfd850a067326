"""What a few operators compute, in double precision and in another way than Norn's kernels: the judge between its nodes
and ONNX Runtime where the latter is known to be less exact."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import registry

if TYPE_CHECKING:
    from .reasons import Read

Array = np.ndarray


class Sum(NamedTuple):
    """A value that terms add up to, and how large they are together."""

    value: Array
    size: Array


Truth = Callable[["Read"], "list[Array | Sum | None] | None"]


def agrees(read: Read) -> bool:
    """Whether there is a truth about this node, and the node's results are that, rounded."""
    compute = next((f for ops, f in TRUTHS if read.node.op_type in ops.split()), None)
    if compute is None or not read.results:
        return False
    try:
        with np.errstate(all="ignore"):
            wanted = compute(read)
    except (IndexError, ValueError, TypeError):
        return False  # operands that it does not think of
    if wanted is None:
        return False
    pairs = [(got, value) for got, value in zip(read.results, wanted, strict=False) if got is not None]
    return all(value is not None and _rounded(np.asarray(got), value) for got, value in pairs)


def _rounded(got: Array, wanted: Array | Sum) -> bool:
    value, size = wanted if isinstance(wanted, Sum) else (wanted, np.abs(wanted))
    if got.shape != value.shape:
        return False
    with np.errstate(all="ignore"):
        g, v = got.astype(np.float64), value.astype(got.dtype).astype(np.float64)
        near = np.abs(g - value) <= 2 * registry.EPS[got.dtype] * size + float(np.finfo(np.float32).tiny)
        return bool(((g == v) | (np.isnan(g) & np.isnan(v)) | near).all())


def _wide(a: Any) -> Array:
    return np.asarray(a).astype(np.float64)


# --- one number at a time ---


def _exactly(function: Callable[[float], float]) -> Callable[[Array], Array]:
    return np.vectorize(function, otypes=[np.float64])


ELEMENTS: dict[str, Callable[..., Array]] = {
    "Sin": np.sin, "Cos": np.cos, "Tan": np.tan, "Asin": np.arcsin, "Acos": np.arccos, "Atan": np.arctan,
    "Sinh": np.sinh, "Cosh": np.cosh, "Asinh": np.arcsinh, "Acosh": np.arccosh, "Atanh": np.arctanh,
    "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Tanh": np.tanh, "Erf": _exactly(math.erf),
    "Sigmoid": lambda x: np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x))),
    "Softplus": lambda x: np.logaddexp(x, 0),
    "Softsign": lambda x: x / (1 + np.abs(x)),
}  # fmt: skip


def _element_wise(r: Read) -> list[Array | None] | None:
    x = _wide(r.operands[0])
    if r.node.op_type == "Swish":
        return [x * ELEMENTS["Sigmoid"](x * r.attribute("alpha", 1.0))]
    return [ELEMENTS[r.node.op_type](x)]


def _window(r: Read) -> list[Array | None] | None:
    if r.attribute("output_datatype", 1) not in (1, 10, 11, 16):
        return None  # fractions are dropped there
    size = int(r.operands[0].reshape(-1)[0])
    turn = size if r.attribute("periodic", 1) else size - 1
    n = np.arange(max(size, 0))
    return [0.42 + 0.08 * np.cos(4 * np.pi * n / turn) - 0.5 * np.cos(2 * np.pi * n / turn)]


# --- lines that are normalised ---


def _mean_variance_normalization(r: Read) -> list[Array | None] | None:
    x = _wide(r.operands[0])
    axes = tuple(r.attribute("axes", [0, 2, 3]))
    apart = x - x.mean(axis=axes, keepdims=True)
    return [apart / (np.sqrt((apart**2).mean(axis=axes, keepdims=True)) + 1e-9)]


def _layer_normalization(r: Read) -> list[Array | Sum | None] | None:
    x = _wide(r.operands[0])
    axis = r.attribute("axis", -1)
    axes = tuple(range(axis % x.ndim, x.ndim)) if x.ndim else ()
    if r.attribute("stash_type", 1) != 1 or x.size == 0:
        return None
    x = _wide(x.astype(np.float32))
    mean = x.mean(axis=axes, keepdims=True)
    spread = ((x - mean) ** 2).mean(axis=axes, keepdims=True)
    inverse = 1 / np.sqrt(spread + float(np.float32(r.attribute("epsilon", 1e-5))))
    scale = _wide(r.operands[1])
    bias = _wide(r.operands[2]) if len(r.operands) > 2 and r.operands[2] is not None else np.zeros(())
    y = (x - mean) * inverse * scale + bias
    size = (np.abs(x) + np.abs(x).mean(axis=axes, keepdims=True)) * inverse * np.abs(scale) + np.abs(bias)
    return [Sum(y, size), Sum(mean, np.abs(x).mean(axis=axes, keepdims=True)), inverse]


def normalizes_groups_in_float(r: Read) -> bool:
    """Whether a GroupNormalization of double, whose first stage is in float, is off by a few roundings of that."""
    if r.opset < 21 or r.attribute("stash_type", 1) != 1 or not r.results or r.results[0] is None:
        return False
    x, scale, bias = (_wide(v) for v in r.operands[:3])
    groups = r.attribute("num_groups")
    if x.ndim < 2 or x.size == 0 or x.shape[1] % groups or scale.shape != (x.shape[1],) or bias.shape != scale.shape:
        return False
    lines = x.astype(np.float32).astype(np.float64).reshape(x.shape[0], groups, -1)
    apart = lines - lines.mean(axis=-1, keepdims=True)
    spread = (apart**2).mean(axis=-1, keepdims=True)
    normal = (apart / np.sqrt(spread + float(np.float32(r.attribute("epsilon", 1e-5))))).reshape(x.shape)
    of_channel = (1, -1, *[1] * (x.ndim - 2))
    scale, bias = scale.reshape(of_channel), bias.reshape(of_channel)
    largest = max(1.0, float(np.abs(x).max()))
    bound = 16 * registry.EPS[np.dtype(np.float32)] * largest * np.abs(scale)
    return bool((np.abs(_wide(r.results[0]) - (normal * scale + bias)) <= bound).all())


# --- recurrent layers ---


def _recurrent(r: Read) -> list[Array | None] | None:
    op = r.node.op_type
    if r.opset < 7 or r.attribute("activations") or r.attribute("activation_alpha") or r.attribute("activation_beta"):
        return None
    operands = [*r.operands, *[None] * (8 - len(r.operands))]
    x, w, u = (_wide(v) for v in operands[:3])
    ways, hidden = w.shape[0], u.shape[2]
    layout = r.attribute("layout", 0)
    if layout:
        x = x.swapaxes(0, 1)
    length, batch = x.shape[:2]
    bias = _wide(operands[3]) if operands[3] is not None else np.zeros((ways, 2 * w.shape[1]))
    lengths = operands[4] if operands[4] is not None else np.full(batch, length)
    states = []
    for at in (5, 6):
        given = operands[at] if at == 5 or op == "LSTM" else None
        state = np.zeros((ways, batch, hidden)) if given is None else _wide(given)
        states.append(state.swapaxes(0, 1) if layout and given is not None else state)
    peepholes = _wide(operands[7]) if operands[7] is not None and op == "LSTM" else None
    clip = r.attribute("clip", None)
    bound = math.inf if clip is None else float(np.float32(clip))

    def cut(v: Array) -> Array:
        return np.where(v > bound, bound, np.where(v < -bound, -bound, v))

    def sigmoid(v: Array) -> Array:
        return ELEMENTS["Sigmoid"](cut(v))

    def tanh(v: Array) -> Array:
        return np.tanh(cut(v))

    def step(d: int, xt: Array, h: Array, c: Array) -> tuple[Array, Array]:
        wx, wb, ub = w[d] @ xt, bias[d][: w.shape[1]], bias[d][w.shape[1] :]
        part = [slice(k * hidden, (k + 1) * hidden) for k in range(4)]
        if op == "RNN":
            return tanh(wx + wb + u[d] @ h + ub), c
        if op == "GRU":
            z, s = (sigmoid(wx[p] + wb[p] + u[d][p] @ h + ub[p]) for p in part[:2])
            p = part[2]
            inner = s * (u[d][p] @ h + ub[p]) if r.attribute("linear_before_reset", 0) else u[d][p] @ (s * h) + ub[p]
            new = tanh(wx[p] + wb[p] + inner)
            return (1 - z) * new + z * h, c
        gates = wx + wb + u[d] @ h + ub

        def peeped(k: int, c: Array) -> Array:  # 0 times an infinite cell is NaN
            return gates[part[k]] if peepholes is None else gates[part[k]] + peepholes[d][part[k]] * c

        i = sigmoid(peeped(0, c))
        f = 1 - i if r.attribute("input_forget", 0) else sigmoid(peeped(2, c))
        c = f * c + i * tanh(gates[part[3]])
        return sigmoid(peeped(1, c)) * tanh(c), c

    y = np.zeros((length, ways, batch, hidden))
    for d in range(ways):
        backwards = d == 1 or r.attribute("direction", b"forward") == b"reverse"
        for b in range(batch):
            h, c = states[0][d, b], states[1][d, b]
            turns = range(int(lengths[b]))
            for t in reversed(turns) if backwards else turns:
                h, c = step(d, x[t, b], h, c)
                y[t, d, b] = h
            states[0][d, b], states[1][d, b] = h, c
    if layout:
        return [y.transpose(2, 0, 1, 3), states[0].swapaxes(0, 1), states[1].swapaxes(0, 1)]
    return [y, *states]


# --- what has more than one right answer ---


def picks_the_first(r: Read) -> bool:
    """Whether TopK's results are the largest or least elements with their places, in whatever order."""
    x, (values, places) = r.operands[0], r.results
    axis, k = r.attribute("axis", -1), int(r.operands[1].reshape(-1)[0])
    order = np.sort(x, axis)
    if r.attribute("largest", 1):
        order = np.flip(order, axis)
    distinct = np.diff(np.sort(places, axis), axis=axis).all()
    found = np.take_along_axis(x, places, axis)
    wanted = np.sort(np.take(order, range(k), axis), axis)
    return bool(distinct and np.array_equal(found, values) and np.array_equal(np.sort(values, axis), wanted))


TRUTHS: list[tuple[str, Truth]] = [
    ("RNN GRU LSTM", _recurrent),
    ("BlackmanWindow", _window),
    ("MeanVarianceNormalization", _mean_variance_normalization),
    ("LayerNormalization", _layer_normalization),
    (" ".join([*ELEMENTS, "Swish"]), _element_wise),
]
