#!/usr/bin/env python3
"""Write models of public Python packages, with made-up weights, and their inputs, for peers.py to time.

    bench/exported_models.py FOLDER [NAME...]
    bench/exported_models.py --list

A model that is already in FOLDER is skipped. Each is made in a process of its own, and run once by ONNX Runtime, so
that its inputs are known to fit and its outputs to be finite and not all the same. Those that could not be made are
named at the end, with the reason. What the models are is in exported_*.py; weights and inputs are seeded.

This needs packages that nothing else here does. Install them in a virtual environment of their own; openvino only
serves peers.py there:

    python -m pip install torch==2.13.0 torchvision==0.28.0 timm==1.0.31 'transformers==5.23.*' onnxscript==0.7.2 \\
        onnxconverter_common==1.16.0 skl2onnx==1.20.0 scikit-learn==1.9.1 onnxruntime==1.31.1 onnx==1.23.2 \\
        'openvino==2026.4.*'
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time
import warnings

import exported_classical
import exported_language
import exported_layers
import exported_lowered
import exported_networks
import exported_signals
import exported_vision

MODELS = {
    name: recipe
    for recipes in (
        exported_vision,
        exported_language,
        exported_layers,
        exported_networks,
        exported_signals,
        exported_lowered,
        exported_classical,
    )
    for name, recipe in recipes.MODELS.items()
}
SEED = 7
SECONDS = 900  # of a process, at most


def call_times(path):
    """Seconds of the second call of each variant; ValueError where an output says nothing."""
    import numpy as np
    from engines import feeds_of, input_files, ort_session

    session = ort_session(str(path), 1)
    times = {}
    for variant, feed in feeds_of(path, input_files(path), session, 1):
        results = session.run(None, feed)
        for output, result in zip(session.get_outputs(), results, strict=True):
            if not isinstance(result, np.ndarray) or result.dtype.kind != "f":
                continue
            if not np.isfinite(result).all():
                raise ValueError(f'the output "{output.name}" is not finite')
            if not result.size or (result.size > 1 and result.min() == result.max()):
                raise ValueError(f'the output "{output.name}" has no elements, or one value for all of them')
        start = time.perf_counter()
        session.run(None, feed)
        times[variant] = time.perf_counter() - start
    return times


def unfinished(name, folder):
    """Where a model is until it is complete."""
    return folder / f".{name}.unfinished"


def make(name, folder):
    """In a process of its own: the model and its inputs, which appear in the folder once they are complete."""
    import numpy as np
    import torch

    warnings.simplefilter("ignore")
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    scratch = unfinished(name, folder)
    scratch.mkdir(parents=True)
    path = scratch / f"{name}.onnx"
    MODELS[name](path)
    times = call_times(path)
    for file in sorted(scratch.glob(f"{name}*.npz")):
        file.replace(folder / file.name)
    path.replace(folder / path.name)
    size = (folder / path.name).stat().st_size / 1e6
    calls = ", ".join(f"{variant} {1e3 * seconds:.2f} ms".strip() for variant, seconds in times.items())
    print(f"{name:24} {size:7.1f} MB   {calls}", flush=True)


def reason(text, code):
    """The last line of what a process wrote that is an exception, or the last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [f"ended with {code}"]
    errors = [line for line in lines if line.split(":")[0].endswith(("Error", "Exception", "Fail"))]
    return (errors or lines)[-1][:300]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; all of them without any")
    parser.add_argument("--list", action="store_true", help="print the names, and end")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.list:
        print(*MODELS, sep="\n")
        return 0
    if not arguments.folder:
        parser.error("FOLDER is missing")
    unknown = [name for name in arguments.names if name not in MODELS]
    if unknown:
        parser.error(f"no such model: {', '.join(unknown)}; --list prints those there are")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.here:
        return make(arguments.names[0], arguments.folder)
    failures = []
    for name in arguments.names or MODELS:
        if (arguments.folder / f"{name}.onnx").exists():
            continue
        scratch = unfinished(name, arguments.folder)
        shutil.rmtree(scratch, ignore_errors=True)
        command = [sys.executable, __file__, str(arguments.folder), name, "--here"]
        try:
            environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=SECONDS, env=environment
            )
        except subprocess.TimeoutExpired:
            failures.append(f"{name}: took longer than {SECONDS} s")
            continue
        finally:
            shutil.rmtree(scratch, ignore_errors=True)  # which is left where the process crashed
        if done.returncode:
            failures.append(f"{name}: {reason(done.stderr, done.returncode)}")
            print(f"{name:24} failed", flush=True)
        else:
            print(done.stdout.splitlines()[-1], flush=True)
    for failure in failures:
        print("failed:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
