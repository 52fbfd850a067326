"""Where ONNX Runtime and Norn differ, and rightly so: each row has its reason. What no row names is a finding."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graphs import Case
    from .judge import Said
    from .truth import Cell, Refused, Unsteady

# What ONNX Runtime lacks, by its messages and by ours about its Python interface.
LACKS = {
    "a kernel": r"NOT_IMPLEMENTED|Could not find an implementation|not implemented|unsupported data type|is not supported",
    "the operator set": r"under development|Opset \d+ is not|only guarantees support|No Op registered|No opset import",
    "a numpy type": r"numpy type|Unsupported data type|unable to convert|Numpy_type|NumPy",
    "empty sequences of Python": r"empty sequence",
    "an answer, because it was not asked": r"not asked",
    "an answer, because it crashed": r"crashed",
}


def lack(message: str) -> str:
    return next((what for what, pattern in LACKS.items() if re.search(pattern, message)), "other")


def operators(case: Case) -> set[str]:
    found: set[str] = set()

    def walk(nodes: Any) -> None:
        for node in nodes:
            found.add(node.op_type)
            for a in node.attribute:
                walk(a.g.node)

    walk(case.model.graph.node)
    for function in case.model.functions:
        walk(function.node)
    return found


# (operator or "", kind of difference, pattern of the text, reason). Kinds: "refuses" is ONNX Runtime refusing what
# Norn's node answers, "answers" the other way round, "values" and "shape" differ.
DIFFERENCES: list[tuple[str, str, str, str]] = []


def why(case: Case, said: tuple[str, str], truth: list[Cell] | Refused | Unsteady, other: Said) -> str:
    """Why ONNX Runtime may differ from the nodes here; nothing if it may not."""
    present = operators(case)
    for op, kind, pattern, reason in DIFFERENCES:
        if kind == said[0] and (not op or op in present) and re.search(pattern, said[1]):
            return reason
    return ""


# (kind of difference between a session and its nodes, test, reason)
EXCUSES: list[tuple[str, Callable[[Case, Said, Said], bool], str]] = [
    ("refuses", lambda case, said, other: other.kind == "load" and said.kind in ("InvalidGraph", "InvalidArgument", "RuntimeException"),
     "both refuse the model as a whole, though its nodes could run one by one"),
    ("refuses", lambda case, said, other: other.kind == "run" and said.kind in ("InvalidGraph", "InvalidArgument", "RuntimeException"),
     "both refuse the feed, though the nodes could run one by one"),
]  # fmt: skip


def excused(case: Case, kind: str, truth: list[Cell] | Refused | Unsteady, said: Said, other: Said) -> str:
    return next((reason for of, test, reason in EXCUSES if of == kind and test(case, said, other)), "")
