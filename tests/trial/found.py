"""What a finding leaves behind: the model, its feeds, a few lines that show it again, and why."""

from __future__ import annotations

import pathlib
import re
from typing import Any

import ml_dtypes  # noqa: F401 - its types print
import norn
import numpy as np
import onnx

from .graphs import Case
from .judge import Finding
from .truth import Cell, Interpreter, Items, Refused, Unsteady, Value

REPRO = '''"""{title}"""
import pathlib

import ml_dtypes  # noqa: F401
import numpy as np

import norn

options = {options}
session = norn.InferenceSession(str(pathlib.Path(__file__).with_name("model.onnx")), options)
inf, nan = np.inf, np.nan
for feed, wanted in [
{turns}
]:
    try:
        got = session.run(None, feed)
    except norn.Error as e:
        got = f"{{type(e).__name__}}: {{e}}"
    print("got", got, "\\nwanted", wanted)
'''


def signature(case: Case, finding: Finding) -> str:
    """What findings of one cause are likely to share: the kind, and the operators of the small model."""
    ops: list[str] = []

    def walk(nodes: Any) -> None:
        for node in nodes:
            ops.append("function" if node.domain == "own" else node.op_type)
            for a in node.attribute:
                walk(a.g.node)

    walk(case.model.graph.node)
    return f"{finding.kind}: {' '.join(sorted(set(ops)))}"


def literal(value: Value) -> str:
    if isinstance(value, Items):
        return f"[{', '.join(map(literal, value))}]"
    if value.dtype.kind == "O":
        return f"np.array({value.tolist()!r}, object)"
    name = value.dtype.name
    kind = f"np.{name}" if hasattr(np, name) and value.dtype.num < 24 else f"ml_dtypes.{name}"
    if kind == "np.bool":
        kind = "bool"
    listed = value.astype(np.float64).tolist() if kind.startswith("ml") else value.tolist()
    if 0 in value.shape:
        return f"np.zeros({value.shape}, {kind})"
    return f"np.array({listed!r}, {kind})"


def options_of(way: str) -> str:
    if way.startswith("without "):
        left_out = way.removeprefix("without ")
        return f"norn.SessionOptions(disabled_passes=[{left_out!r}], intra_op_num_threads=1, verify_passes=True)"
    if way.startswith("reference"):
        return "norn.SessionOptions(reference_only=True" + (", disabled_passes=['all'])" if "all" in way else ")")
    return f"norn.SessionOptions(intra_op_num_threads={way.split()[0] if way[0].isdigit() else 1})"


def write(folder: pathlib.Path, case: Case, finding: Finding, original: Case) -> pathlib.Path:
    at = folder / f"{original.mode}-{original.seed}-{re.sub('[^a-z]+', '-', finding.kind)}"
    at.mkdir(parents=True, exist_ok=True)
    onnx.save(case.model, at / "model.onnx")
    onnx.save(original.model, at / "original.onnx")
    arrays: dict[str, np.ndarray] = {"order": np.array(case.order)}
    for k, feed in enumerate(case.feeds):
        for name, value in feed.items():
            if isinstance(value, Items):
                arrays |= {f"{k}/{name}/{i}": v for i, v in enumerate(value)}
            else:
                arrays[f"{k}/{name}"] = value
    np.savez(at / "feeds.npz", **{n: a for n, a in arrays.items() if a.dtype.kind != "V"})  # type: ignore[arg-type]
    turns = []
    interpreter = Interpreter(case.model)
    for k in case.order:
        try:
            wanted = [c.value for c in interpreter.run({n: Cell(v, v) for n, v in case.feeds[k].items()})]
            answer = f"[{', '.join(map(literal, wanted))}]"
        except (Refused, Unsteady, norn.Error) as e:
            answer = repr(f"{type(e).__name__}: {e}")
        given = ", ".join(f"{n!r}: {literal(v)}" for n, v in case.feeds[k].items())
        turns.append(f"    ({{{given}}},\n     {answer}),")
    title = f"{finding.kind}: {finding.text.splitlines()[0] if finding.text else ''}".replace('"""', "'''").replace(
        "\\", "/"
    )
    (at / "repro.py").write_text(REPRO.format(title=title, options=options_of(finding.way), turns="\n".join(turns)))
    try:
        listing = norn.to_text(case.model)
    except norn.Error as e:
        listing = str(e)
    rerun = f"make trial ONLY={original.mode} SEED={original.seed}"
    (at / "why.txt").write_text(
        f"{finding.kind}, {finding.way}, feed {finding.feed}\n{finding.text}\n\n{rerun}\n\n"
        f"{signature(case, finding)}\n\n{listing}\n"
    )
    return at
