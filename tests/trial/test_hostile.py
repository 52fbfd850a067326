"""Every operator with hostile values, sizes, attributes and numbers of operands: a clear error or an answer.

In children whose memory is bounded; one that is silent for long has not ended within its time.
"""

from __future__ import annotations

import collections
import os
import pathlib

import norn
import numpy as np
import pytest

from . import guard, hostile

PATIENCE = 20.0
PARTS = 8
OPTIONS = (
    norn.SessionOptions(intra_op_num_threads=1),
    norn.SessionOptions(intra_op_num_threads=1, reference_only=True, disabled_passes=["all"]),
)


def ask(node: hostile.Node) -> str:
    """What one variant gives: "ran", an error's first line, or what must not be."""
    data = node.model.SerializeToString()
    try:
        norn.check(data)
        norn.infer_shapes(data)
    except norn.Error as e:
        if isinstance(e, norn.InternalError):
            return f"BAD inference: {e}"
    answers = []
    for options in OPTIONS:
        try:
            answers.append(norn.InferenceSession(data, options).run(None, dict(node.feed)))
        except norn.Error as e:
            if isinstance(e, norn.InternalError):
                return f"BAD running: {e}"
            if not str(e).strip():
                return "BAD an error without a message"
            answers.append(None)
        except Exception as e:  # noqa: BLE001  what is not a norn.Error is reported
            return f"BAD running: {type(e).__name__}: {e}"
    fast, plain = answers
    # Where nothing is dropped, fast kernels do not look at the ratio.
    if (fast is None) != (plain is None) and "Dropout" not in node.name:
        return f"BAD fast kernels {'refuse' if fast is None else 'answer'}, reference kernels do not"
    for a, b in zip(fast or [], plain or [], strict=False):
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and (a.dtype != b.dtype or a.shape != b.shape):
            return f"BAD {a.dtype}{list(a.shape)} by fast kernels, {b.dtype}{list(b.shape)} by reference ones"
    return "ran" if plain is not None else "refused"


def memory() -> int:
    """So much more than this process has: what wants a result of many bytes is refused."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE") + (1 << 30)


@pytest.mark.parametrize("k", range(PARTS))
def test_a_clear_error_or_an_answer(k: int) -> None:
    counts: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    nodes = list(hostile.nodes(k, PARTS))
    skip: dict[int, int] = {}  # variants that ended a child, by node

    def work(send: guard.Send, at: int, behind: int) -> None:
        for i, node in enumerate(nodes[at:], at):
            for v, variant in enumerate(hostile.variants(node)):
                if i == at and v < behind:
                    continue
                send((i, v, variant.name, ""))
                send((i, v, variant.name, ask(variant)))

    at, behind = 0, 0
    while at < len(nodes):
        last = (at, behind, nodes[at].name)
        try:
            for i, v, name, answer in guard.each(lambda send, a=at, b=behind: work(send, a, b), PATIENCE, memory()):
                last = (i, v, name)
                if answer:
                    counts[answer.split()[0]] += 1
                    if answer.startswith("BAD"):
                        wrong.append(f"{name}: {answer}")
            break
        except guard.Died as e:
            wrong.append(f"{last[2]}: {e.why}")
            at, behind = last[0], last[1] + 1
            skip[at] = skip.get(at, 0) + 1
            assert sum(skip.values()) < 20, wrong
    assert counts["ran"] > 500 and counts["refused"] > 500, counts
    assert not wrong, "\n".join([f"{len(wrong)} of {sum(counts.values())}", *wrong[:40]])
