"""python -m trial.seeds TARGET FOLDER: inputs for a fuzz target to begin with, one for each operator and version."""

from __future__ import annotations

import argparse
import pathlib
import random
import warnings
from collections.abc import Iterator

import numpy as np
import onnx
from onnx.backend.test.loader import load_model_tests

from . import graphs, hostile


def models() -> Iterator[tuple[str, bytes]]:
    """Nodes whose operands are constants, some of them or all, and graphs of several nodes."""
    rng = random.Random(1)
    for node in hostile.nodes():
        model = node.model
        for info in list(model.graph.input):
            value = node.feed.get(info.name)
            if isinstance(value, np.ndarray) and (value.dtype.kind in "iu" or rng.random() < 0.5):
                model.graph.input.remove(info)
                model.graph.initializer.append(onnx.numpy_helper.from_array(value, info.name))
        yield node.name, model.SerializeToString()
    for mode in ("mix", "branch", "sequence", "turn"):
        for seed in range(40):
            case = graphs.draw_case(seed, mode)
            if case is not None:
                yield f"{mode}-{seed}", case.model.SerializeToString()


def images() -> Iterator[tuple[str, bytes]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in load_model_tests(kind="node"):
            if "image_decoder" in case.name and case.data_sets:
                yield case.name, case.data_sets[0][0][0].tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(prog="trial.seeds")
    parser.add_argument("target", choices=["run", "image"])
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, data in {"run": models, "image": images}[arguments.target]():
        if len(data) < 1 << 16:
            (arguments.folder / name.replace(" ", "-")).write_bytes(data)


if __name__ == "__main__":
    main()
