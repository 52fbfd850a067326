"""What the trial found once does not come back, and the trial itself still finds its way.

Without ONNX Runtime, which `make test` does not set up: the truth is written beside the corpus, and a few models of
each mode are compared with their nodes.
"""

from __future__ import annotations

import norn
import numpy as np
import onnx.parser
import pytest

from . import graphs, guard, judge, registry
from .corpus import ENTRIES, Entry, f
from .truth import Cell, difference


@pytest.mark.parametrize("way", judge.all_ways())
@pytest.mark.parametrize("entry", ENTRIES, ids=[e.about for e in ENTRIES])
def test_found_once(entry: Entry, way: str) -> None:
    """In a child, for some of them ended their process."""
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": {entry.opset}]> {entry.text}')

    def work(send: guard.Send) -> None:
        session = norn.InferenceSession(model, judge.all_ways()[way])
        for feed, wanted in entry.turns:
            try:
                send((session.run(None, feed), wanted))
            except norn.Error as e:
                send((e, wanted))

    for got, wanted in guard.each(work, 60):
        if wanted is None:
            assert isinstance(got, norn.Error)
            assert not isinstance(got, norn.InternalError)
            continue
        assert isinstance(got, list), got
        for array, value in zip(got, wanted, strict=True):
            assert array.dtype == value.dtype
            assert array.shape == value.shape
            np.testing.assert_allclose(array, value, rtol=1e-6)


@pytest.mark.parametrize("mode", graphs.MODES)
def test_a_few_models(mode: str) -> None:
    """In a child: should one end its process, the others' tests go on, and the seed is known."""
    at: list[object] = []

    def work(send: guard.Send) -> None:
        for seed in range(8 if mode == "turn" else 25):
            send(seed)
            if (case := graphs.draw_case(seed, mode)) is not None:
                send((seed, judge.judge(case, runtime=False).findings))

    try:
        for item in guard.each(work, 120):
            at.append(item)
            assert isinstance(item, int) or not item[1], f"make trial ONLY={mode} SEED={item[0]}"
    except guard.Died as e:
        pytest.fail(f"{e.why} after {at[-1:]}: make trial ONLY={mode} SEED=...")


def test_every_operator_is_drawn() -> None:
    """Operators that run get nodes from their table or from their schema."""
    skipped = {*graphs.SUBGRAPHS, *graphs.NEED_SIZES_THAT_FIT}
    every = [(op, v) for op in registry.runnable() for v in registry.versions(op) if op not in skipped]
    never = [every[k] for k in range(len(every)) if all(graphs.one_node(k + n * len(every)) is None for n in range(12))]
    assert not never, [(op, v.since_version) for op, v in never]


@pytest.mark.parametrize(
    ("got", "wrong"),
    [(f(1, 2), False), (f(1, 2.001), True), (np.array([1.0, 2.0]), True), (f([1, 2]), True)],
)
def test_differences_are_reported(got: np.ndarray, wrong: bool) -> None:
    value = f(1, 2)
    assert bool(difference(got, Cell(value, value))) is wrong
