"""Third opinions settle what is ONNX Runtime's, and nothing that is Norn's: of each kind of operator a right answer is
supported and a wrong one is not."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnx.parser
import pytest
from onnx.reference import ReferenceEvaluator

from . import judge, opinion, reasons, truth
from .corpus import f, i
from .graphs import Case
from .judge import Said
from .truth import Cell, Evaluator, Interpreter, Refused, Value

X = np.random.default_rng(7).standard_normal((2, 3, 4)).astype(np.float32)
OPERATORS: list[tuple[str, list[Value], int]] = [
    ("y = Tan (a)", [X], 22),
    ("y = Tan (a)", [X.astype(np.float16)], 22),
    ("y = Softmax (a)", [X], 13),
    ("y = Gelu (a)", [X.astype(np.float16)], 20),
    ("y = ReduceLogSumExp <axes = [1]> (a)", [X], 13),
    ("y = LayerNormalization (a, b)", [X, f(1, 2, 3, 4)], 17),
    ("y = MatMul (a, b)", [X, X[0].T.copy()], 13),
    ("y = DFT (a)", [X[..., None], None], 17),
    ("y, z = TopK (a, b)", [X, i(2)], 11),
    ("y = Gather (a, b)", [np.array(["p", "q"], object), i(1, 0)], 13),
    ("y = Add (a, b)", [X.astype(ml_dtypes.bfloat16), X.astype(ml_dtypes.bfloat16)], 14),
    ("y = CumSum (a, b)", [X.astype(np.float64), np.array(1)], 14),
    ("y = QuantizeLinear (a, b, c)", [X, np.float32(0.1) * f(1)[0], np.array(3, np.uint8)], 19),
    ("y = Cast <to = 10> (a)", [X], 19),
    ("y = Clip (a, b)", [i(1, 2**40), np.array(2)], 13),
]


def read_of(text: str, operands: list[Value], opset: int) -> opinion.Read:
    model = onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["": {opset}]> g (float a, float b, float c) => () {{ {text} }}'
    )
    given = {n: Cell(v, v) for n, v in zip("abc", map(_array, operands), strict=False) if v is not None}
    interpreter = Interpreter(model)
    try:
        interpreter.run(given)
    except Refused:
        pass
    return interpreter.reads[0]


def _array(value: Any) -> Any:
    return None if value is None else np.asarray(value)


def spoilt(value: Value) -> list[Value]:
    """Wrong answers: an element, the shape, the type."""
    flat = value.copy().reshape(-1)
    flat[-1] = "?" if value.dtype.kind == "O" else ~flat[-1] if value.dtype.kind in "iu" else flat[-1] * flat.dtype.type(1.5)
    other = value.astype(np.float64 if value.dtype == np.float32 else np.float32) if value.dtype.kind != "O" else value
    return [flat.reshape(value.shape), value[None], *([other] if value.dtype.kind != "O" else [])]


def _moved(wrong: Value, like: Cell) -> Cell:
    """As a wrong kernel would give it: what it gives for moved operands is as far away."""
    if like.exact or wrong.shape != like.value.shape:
        return Cell(wrong, wrong)
    apart = like.shadow.astype(np.float64) - like.value.astype(np.float64)
    return Cell(wrong, (wrong.astype(np.float64) + apart).astype(wrong.dtype))


@pytest.mark.parametrize(("text", "operands", "opset"), OPERATORS, ids=[f"{o[0]} {o[1][0].dtype}" for o in OPERATORS])
def test_right_answers_are_supported_and_no_wrong_ones(text: str, operands: list[Value], opset: int) -> None:
    read = read_of(text, operands, opset)
    assert opinion.supported(read)
    assert read.cells
    right = read.cells
    for at, cell in enumerate(right):
        assert cell is not None
        for wrong in spoilt(cell.value):
            read.cells = [*right[:at], _moved(wrong, cell), *right[at + 1 :]]
            assert not opinion.supported(read), wrong
    read.cells = None
    assert not opinion.supported(read)  # nor is a refusal


@pytest.mark.parametrize("largest", [0, 1])
def test_an_order_may_differ_and_nothing_else(largest: int) -> None:
    read = read_of(f"y, z = TopK <sorted = 0, largest = {largest}, axis = 1> (a, b)", [X, i(2)], 11)
    assert read.cells
    assert reasons.why([read], "")
    y, z = (c.value for c in read.cells if c)
    read.cells = [Cell(v, v) for v in (np.flip(y, 1), np.flip(z, 1))]
    assert reasons.why([read], "")
    for wrong in ((np.flip(y, 1), z), (y[:, [0, 0]], z[:, [0, 0]]), (np.flip(np.sort(X, 1), 1)[:, [0, 2]], z), (y, (z + 1) % 3)):
        read.cells = [Cell(v, v) for v in wrong]
        assert not reasons.why([read], "")


def test_refusals_want_somebody_else_to_refuse() -> None:
    read = read_of("y = Reshape (a, b)", [f(1, 2, 3), i(2, 2)], 13)
    assert read.cells is None
    assert opinion.supported(read)


def node_of(model: onnx.ModelProto) -> str:
    return str(model.graph.node[0].op_type) if len(model.graph.node) == 1 else ""


def evaluated(case: Case) -> list[Said]:
    return [Said(values=ReferenceEvaluator(case.model).run(None, dict(feed))) for feed in case.feeds]


TEXT = """<ir_version: 10, opset_import: ["": 18]> g (float[N] x) => (float[N] y) {
  a = Exp (x)
  b = Sin (a)
  y = Neg (b)
}"""


def case() -> Case:
    return Case(onnx.parser.parse_model(TEXT), [{"x": f(0.5, 1)}], [0])


def without_sessions(monkeypatch: pytest.MonkeyPatch) -> list[judge.Finding]:
    monkeypatch.setattr(judge, "onnxruntime", object())
    return judge.judge(case(), only=[]).findings


@pytest.mark.parametrize("alone", [True, False])
def test_what_onnxruntime_gets_wrong_is_none_of_norns(monkeypatch: pytest.MonkeyPatch, alone: bool) -> None:
    def wrong_of_sin(asked: Case) -> list[Said]:
        said = evaluated(asked)
        if node_of(asked.model) == ("Sin" if alone else "") or len(asked.model.graph.node) > 1:
            said[0].values = [v + np.float32(0.01) for v in said[0].values or []]
        return said

    monkeypatch.setattr(judge, "runtime_answers", wrong_of_sin)
    assert not without_sessions(monkeypatch)


def test_what_norn_gets_wrong_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    once = Evaluator._once

    def wrong_of_sin(self: Evaluator, node: onnx.NodeProto, opset: int, operands: Any) -> list[Value]:
        values = once(self, node, opset, operands)
        return [v + np.float32(0.01) for v in values] if node.op_type == "Sin" else values

    monkeypatch.setattr(judge, "runtime_answers", evaluated)
    assert not without_sessions(monkeypatch)
    monkeypatch.setattr(truth.Evaluator, "_once", wrong_of_sin)
    assert [x.kind for x in without_sessions(monkeypatch)] == ["values"]


def test_more_moves_allow_what_one_did_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference of near numbers, by a draw that moved both alike: others do not."""
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 18]> g (float[1] x, float[1] z) => (float[1] y) { y = Sub (x, z) }'
    )
    feed = {"x": f(1.0000001), "z": f(0.3)}
    value = f(0.7)
    wider = opinion.steadier(model, feed, [Cell(value, value)])
    assert isinstance(wider, list)
    assert abs(float(wider[0].shadow[0]) - 0.7) > 1e-8
    assert abs(float(wider[0].shadow[0]) - 0.7) < 1e-6
