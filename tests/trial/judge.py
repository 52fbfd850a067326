"""Runs a case every way there is, and says what does not fit."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import norn
import numpy as np
import onnx

from . import opinion, reasons, registry
from .graphs import Case
from .truth import Cell, Evaluator, Interpreter, Items, Refused, Unsteady, Value, difference, only_sizes_are_read

try:
    import onnxruntime
except ImportError:  # the tests' set-up has none: what nodes give is all the truth then
    onnxruntime = None


@dataclasses.dataclass(frozen=True)
class Finding:
    """`kind` is what went wrong, `way` how the session was made, `feed` which feed it met."""

    kind: str
    way: str
    feed: int
    text: str


@dataclasses.dataclass
class Said:
    """What one side answers to one feed."""

    values: list[Any] | None = None
    refused: str = ""
    kind: str = ""  # of a refusal: "run", "load", "lacks" (no kernel, no type), or an exception's name


@dataclasses.dataclass
class Verdict:
    findings: list[Finding]
    counts: collections.Counter[str]


DONATED = "donated"  # all arrays are given up to the run


def ways() -> dict[str, norn.SessionOptions]:
    """How sessions are made: passes left out in turn, numbers of threads, reference kernels.

    No session is made here: where Norn's threads have run, children that are forked later do with one.
    """
    made = {f"{n} threads": norn.SessionOptions(intra_op_num_threads=n) for n in (1, 2, 4)}
    for name in [*norn.pass_names(), "all"]:
        made[f"without {name}"] = norn.SessionOptions(disabled_passes=[name], intra_op_num_threads=1, verify_passes=True)
    made[DONATED] = norn.SessionOptions(intra_op_num_threads=2)
    made["reference"] = norn.SessionOptions(reference_only=True, intra_op_num_threads=1)
    made["reference without all"] = norn.SessionOptions(
        reference_only=True, disabled_passes=["all"], intra_op_num_threads=2
    )
    return made


_WAYS: dict[str, norn.SessionOptions] = {}


def all_ways() -> dict[str, norn.SessionOptions]:
    if not _WAYS:
        _WAYS.update(ways())
    return _WAYS


def judge(
    case: Case, only: Sequence[str] | None = None, phase: Callable[[str], None] = lambda _: None, runtime: bool = True
) -> Verdict:
    counts: collections.Counter[str] = collections.Counter(models=1, feeds=len(case.feeds))
    findings: list[Finding] = []
    phase("truth")
    truths, reads = true_answers(case)
    others: list[Said] = [Said(kind="lacks", refused="not asked")] * len(case.feeds)
    if runtime and onnxruntime is not None:
        phase("onnxruntime")
        others = runtime_answers(case)
    phase("compare")
    for k, other in enumerate(others):
        if isinstance(truths[k], Unsteady):
            counts["unsteady"] += 1
        elif other.kind == "lacks":
            counts["onnxruntime lacks: " + reasons.lack(other.refused)] += 1
        elif wrong := against(truths[k], other):
            if reason := _difference_of_runtime(case, k, truths, reads[k], other, phase):
                counts[reason] += 1
            else:
                # The nodes are Norn's: where they answer and ONNX Runtime does not, they are quiet about it.
                kind = {"refuses": "quiet", "quiet": "refuses"}.get(wrong[0], wrong[0])
                findings.append(Finding(kind, "nodes against onnxruntime", k, wrong[1]))
        else:
            refused = isinstance(truths[k], Refused)
            counts["nodes refused with onnxruntime" if refused else "nodes agreed with onnxruntime"] += 1
    data = case.model.SerializeToString()
    bits: list[dict[int, bytes]] = []
    for name, options in all_ways().items():
        if only is not None and name not in only:
            continue
        phase(name)
        found, answers = run_session(case, data, name, options, truths, others, counts)
        findings += found
        if name.endswith("threads"):
            bits.append({k: _bits(v) for k, v in answers.items()})
    for other_bits in bits[1:]:
        for k, answer in other_bits.items():
            if k in bits[0] and bits[0][k] != answer:
                findings.append(Finding("threads", "threads", k, "other bits with another number of threads"))
    return Verdict(findings, counts)


def _difference_of_runtime(
    case: Case,
    k: int,
    truths: list[list[Cell] | Refused | Unsteady],
    read: list[reasons.Read],
    other: Said,
    phase: Callable[[str], None],
) -> str:
    """Why ONNX Runtime's answer differs, in the words of the counts; nothing if that is a finding."""
    if reason := reasons.why(read, other.refused):
        return "known difference: " + reason
    if _steadied(case, k, truths, other):
        return "unsteady" if isinstance(truths[k], Unsteady) else "nodes agreed with onnxruntime"
    reason = opinion.settled(read, ask_runtime, phase)
    phase("compare")
    return "known difference: " + reason if reason else ""


def _steadied(case: Case, k: int, truths: list[list[Cell] | Refused | Unsteady], said: Said) -> bool:
    """Whether values fit once operands are moved in some more ways, which the truth of the feed remembers."""
    truth = truths[k]
    wrong = against(truth, said)
    if not isinstance(truth, list) or not wrong or wrong[0] != "values":
        return False
    truths[k] = opinion.steadier(case.model, case.feeds[k], truth)
    return against(truths[k], said) is None


def true_answers(case: Case) -> tuple[list[list[Cell] | Refused | Unsteady], list[list[reasons.Read]]]:
    interpreter = Interpreter(case.model, Evaluator())
    cells: dict[int, Cell] = {}
    answers: list[list[Cell] | Refused | Unsteady] = []
    reads = []
    for feed in case.feeds:
        try:
            answers.append(interpreter.run({n: cells.setdefault(id(v), Cell(v, v)) for n, v in feed.items()}))
        except (Refused, Unsteady) as e:
            answers.append(e)
        reads.append(interpreter.reads)
        interpreter.reads = []
    return answers, reads


def ask_runtime(model: onnx.ModelProto, feed: dict[str, Value]) -> Said:
    return runtime_answers(Case(model, [feed], [0]))[0]


def runtime_answers(case: Case) -> list[Said]:
    feeds, names = case.feeds, [o.name for o in case.model.graph.output]
    wide = [
        v.dtype for f in feeds for v in f.values() if v.dtype in registry.NARROW or registry.NAME[v.dtype] == "bfloat16"
    ]
    if wide or any(_has_narrow(o.type) for o in case.model.graph.output):
        return [Said(kind="lacks", refused="numpy type")] * len(feeds)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            case.model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as e:  # noqa: BLE001  its errors have no common base
        return [Said(refused=str(e), kind="lacks" if reasons.lack(str(e)) != "other" else "load")] * len(feeds)
    said = []
    for feed in feeds:
        if any(isinstance(v, Items) and not v for v in feed.values()):
            said.append(Said(kind="lacks", refused="empty sequence"))
            continue
        run = onnxruntime.RunOptions()
        run.log_severity_level = 4
        try:
            said.append(Said(values=session.run(names, dict(feed), run)))
        except Exception as e:  # noqa: BLE001
            said.append(Said(refused=str(e), kind="lacks" if reasons.lack(str(e)) != "other" else "run"))
    return said


def _has_narrow(kind: onnx.TypeProto) -> bool:
    code = (
        kind.tensor_type.elem_type
        if kind.HasField("tensor_type")
        else kind.sequence_type.elem_type.tensor_type.elem_type
    )
    return any(registry.CODE[t] == code for t in registry.NARROW) or code == onnx.TensorProto.BFLOAT16


def against(truth: list[Cell] | Refused | Unsteady, said: Said) -> tuple[str, str] | None:
    """(kind, text) of what does not fit, or nothing."""
    if isinstance(truth, Unsteady):
        return None
    if isinstance(truth, Refused):
        return None if said.values is None else ("quiet", f"an answer where the node says: {truth}")
    if said.values is None:
        return "refuses", f"{said.kind}: {said.refused}"
    for i, (value, cell) in enumerate(zip(said.values, truth, strict=True)):
        if text := difference(value, cell):
            return ("shape" if "shape" in text or "type" in text else "values"), f"output {i}: {text}"
    return None


def run_session(
    case: Case,
    data: bytes,
    way: str,
    options: norn.SessionOptions,
    truths: list[list[Cell] | Refused | Unsteady],
    others: list[Said],
    counts: collections.Counter[str],
) -> tuple[list[Finding], dict[int, list[Any]]]:
    findings: list[Finding] = []
    answers: dict[int, list[Any]] = {}
    session: norn.InferenceSession | None = None
    failed: Exception | None = None
    try:
        session = norn.InferenceSession(data, options)
    except Exception as e:  # noqa: BLE001  what is not a norn.Error is reported below
        failed = e
    refused: set[int] = set()
    for turn, k in enumerate(case.order):
        truth, other = truths[k], others[k]
        error, said = failed, Said()
        if session is not None:
            try:
                feed = dict(case.feeds[k])
                given = [n for n, v in feed.items() if way == DONATED and type(v) is np.ndarray]
                feed |= {n: feed[n].copy() for n in given}
                said.values = session.run(None, feed, donate=given)
            except Exception as e:  # noqa: BLE001
                error = e
        if error is not None:
            said = Said(refused=str(error), kind=type(error).__name__)
        if error is not None and (isinstance(error, norn.InternalError) or not isinstance(error, norn.Error)):
            findings.append(Finding("internal", way, k, f"{said.kind}: {said.refused}"))
            break
        if isinstance(truth, Unsteady):
            continue
        wrong = against(truth, said)
        if wrong and _steadied(case, k, truths, said):
            wrong = None
        if isinstance(truths[k], Unsteady):
            continue
        if isinstance(truth, Refused) and wrong and only_sizes_are_read(case.model.graph, truth.outputs):
            counts["known difference: a node of which only sizes are read, which are known, does not run"] += 1
        elif wrong and (reason := reasons.excused(wrong[0], said, other)):
            counts["known difference: " + reason] += 1
        elif wrong:
            findings.append(Finding(wrong[0], way, k, f"turn {turn}: {wrong[1]}"))
            break
        else:
            counts["refused with the nodes" if said.values is None else "agreed with the nodes"] += 1
        if said.values is None:
            refused.add(k)
        if said.values is not None and session is not None and way == "1 threads":
            if text := placed(session, case.feeds[k], said.values, turn):
                findings.append(Finding("placed", way, k, f"turn {turn}: {text}"))
                break
        if said.values is not None:
            if k in answers and _bits(answers[k]) != _bits(said.values):
                findings.append(Finding("unrepeated", way, k, f"turn {turn}: other bits than at first"))
                break
            answers.setdefault(k, said.values)
        if k in answers and k in refused:
            findings.append(
                Finding("unrepeated", way, k, f"turn {turn}: answered once and refused once: {said.refused}")
            )
            break
        if session is None:
            break
    return findings, answers


def placed(session: norn.InferenceSession, feed: dict[str, Value], values: list[Any], turn: int) -> str:
    """What is wrong with the same run whose outputs are written to the caller's memory, now and then over an input."""
    feed = {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in feed.items()}
    places: dict[str, np.ndarray] = {}
    taken: set[str] = set()
    for i, (output, value) in enumerate(zip(session.get_outputs(), values, strict=True)):
        if not isinstance(value, np.ndarray) or value.dtype.kind == "O" or (i + turn) % 3 == 2:
            continue
        if value.dtype.name in ("int2", "int4"):  # numpy spreads their sign over a byte: arrays of them are refused
            continue
        over = [n for n, v in feed.items() if isinstance(v, np.ndarray) and n not in taken
                and v.dtype == value.dtype and v.shape == value.shape and v.size]
        if over and (i + turn) % 2:
            taken.add(over[0])
            places[output.name] = feed[over[0]]
        else:
            places[output.name] = np.frombuffer(bytearray(b"\1" * max(value.nbytes, 1)), np.uint8)[: value.nbytes].view(
                value.dtype).reshape(value.shape)
    try:
        again = session.run(None, feed, outputs=places)
    except norn.Error as e:
        return f"with outputs placed: {e}"
    if _bits(again) != _bits(values):
        return "other bits where outputs are placed"
    if any(a is not places[o.name] for a, o in zip(again, session.get_outputs(), strict=True) if o.name in places):
        return "an output is not the array that was given for it"
    return ""


def _bits(values: Value | list[Value]) -> bytes:
    if isinstance(values, list):
        return b"".join(_bits(v) + b"|" for v in values)
    if values.dtype.kind == "O":
        return repr(values.tolist()).encode()
    return str(values.shape).encode() + np.ascontiguousarray(values).tobytes()
