#!/usr/bin/env python3
"""A folder of models side by side: norn beside ONNX Runtime and OpenVINO, as far as they are installed.

    bench/peers.py FOLDER|MODEL... [--threads 1 2] [--seconds 4] [--svg peers.svg] [--json FILE]

Every .onnx file below a folder, with inputs from NAME.inputs.npz and NAME.VARIANT.inputs.npz beside it; made up where
there are none (see --dim). A row for each model, variant and number of threads; for each runtime:

  latency   the median of a call, from short turns that alternate in one process; "x" is norn's over this one's: the
            median of that quotient over neighbouring turns, so that what slows the machine for a while slows both
  load      of the model, in a process of its own, the first time
  memory    by which that process grew at its highest, while it loaded the model and ran it a few times
  differs   the largest difference from norn's outputs, relative to the largest magnitude of the output

"floor" is the least time in which this machine could do norn's steps: for each of them its FLOP at the measured peak of
f32, or a copy of as many bytes as its operands have, whichever takes longer (session.profile()). A runtime that fails
is named with what it said, below the table.
"""

import argparse
import html
import json
import pathlib
import pickle
import statistics
import subprocess
import sys
import tempfile
import time

from engines import MAKERS, agreement, duration, feeds_of, importable, input_files, turns_of

RUNS_FOR_MEMORY = 3
COLOURS = {"norn": "#2b6cb0", "onnxruntime": "#a0aec0", "openvino": "#d69e2e"}


def models_below(paths):
    for path in paths:
        yield from sorted(path.rglob("*.onnx")) if path.is_dir() else [path]


def memory(field):
    """VmRSS or VmHWM of this process, in bytes. What getrusage() says counts the parent before exec(), too."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def cold(arguments):
    """In a process of its own: loads, runs, and prints what that took."""
    feed = pickle.loads(arguments.feed.read_bytes())
    __import__(arguments.cold)
    before = memory("VmRSS")
    start = time.perf_counter()
    session = MAKERS[arguments.cold](str(arguments.paths[0]), arguments.threads[0])
    load = time.perf_counter() - start
    for _ in range(RUNS_FOR_MEMORY):
        session.run(None, feed)
    print(json.dumps({"load": load, "memory": memory("VmHWM") - before}))


def in_own_process(name, path, threads, feed_file):
    command = [sys.executable, __file__, str(path), "--threads", str(threads), "--cold", name, "--feed", str(feed_file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"in a process of its own: {(done.stderr.strip().splitlines() or ['no reason'])[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def first_line(error):
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0][:200] if str(error).strip() else ''}"


def floor_seconds(session, feed):
    """The least time for norn's steps, or None where a step's FLOP are not known."""
    found = session.profile(feed, runs=1, warmups=1)
    total = 0.0
    for step in found["steps"]:
        if step["calls"] and step["roofline"] is None and step["bytes"]:
            return None
        total += (step["roofline"] or 0) * step["total_seconds"]
    return total


def measure(path, threads, names, arguments, failures):
    """Rows of one model at one number of threads."""
    sessions = {}
    for name in names:
        try:
            sessions[name] = MAKERS[name](str(path), threads)
        except Exception as error:
            failures.append(f"{path.stem}, {name}, {threads} threads: {first_line(error)}")
    if "norn" not in sessions:
        return
    for variant, feed in feeds_of(path, input_files(path), sessions["norn"], arguments.dim):
        row = {"model": path.stem + (f" {variant}" if variant else ""), "threads": threads, "runtimes": {}}
        row["floor"] = floor_seconds(sessions["norn"], feed)
        outputs = {}
        for name, session in sessions.items():
            try:
                outputs[name] = session.run(None, feed)
            except Exception as error:
                failures.append(f"{row['model']}, {name}, {threads} threads: {first_line(error)}")
        if "norn" not in outputs:
            continue
        running = list(outputs)
        calls = [lambda session=sessions[name], feed=feed: session.run(None, feed) for name in running]
        turns = dict(zip(running, turns_of(calls, arguments.seconds), strict=True))
        medians = {name: [statistics.median(turn) for turn in of] for name, of in turns.items()}
        feed_file = arguments.scratch / "feed.pickle"
        feed_file.write_bytes(pickle.dumps(feed))
        for name in running:
            cell = {"latency": statistics.median(medians[name])}
            cell["x"] = statistics.median(a / b for a, b in zip(medians["norn"], medians[name], strict=True))
            cell["calls"] = sum(map(len, turns[name]))
            try:
                cell["differs"] = agreement(outputs["norn"], outputs[name])
            except ValueError as error:  # another number of outputs, or other shapes
                failures.append(f"{row['model']}, {name}: {first_line(error)}")
                cell["differs"] = float("inf")
            if not arguments.no_cold:
                try:
                    cell.update(in_own_process(name, path, threads, feed_file))
                except RuntimeError as error:
                    failures.append(f"{row['model']}, {name}, {threads} threads: {first_line(error)}")
            row["runtimes"][name] = cell
        yield row


def table_rows(row):
    """One line for each runtime."""
    for number, (name, cell) in enumerate(row["runtimes"].items()):
        head = f"{row['model'][:27]:<28}{row['threads']:>3}" if number == 0 else " " * 31
        floor = duration(row["floor"]) if number == 0 and row["floor"] else ""
        memory = f"{cell['memory'] / 1e6:.0f} MB" if "memory" in cell else "-"
        load = duration(cell["load"]) if "load" in cell else "-"
        yield (
            f"{head}  {name:<12}{duration(cell['latency']):>12}{cell['x']:>8.2f}{load:>11}{memory:>10}"
            f"{cell['differs']:>10.1e}{floor:>12}"
        )


def svg_of(rows, names):
    """Bars of latency for each row, the longest of a row as wide as any other; a line stands at the floor."""
    left, width, bar, gap = 250, 560, 14, 12
    pieces, y = [], 40
    for row in rows:
        cells = row["runtimes"]
        longest = max(cell["latency"] for cell in cells.values())
        height = bar * len(cells)
        title = html.escape(f"{row['model']}, {row['threads']} thread{'s' if row['threads'] != 1 else ''}")
        pieces.append(f'<text x="{left - 8}" y="{y + height / 2 + 4}" text-anchor="end">{title}</text>')
        for number, (name, cell) in enumerate(cells.items()):
            length = max(1.0, width * cell["latency"] / longest)
            top = y + number * bar
            label = duration(cell["latency"]) + ("" if name == "norn" else f"  ({cell['x']:.2f})")
            pieces.append(
                f'<rect x="{left}" y="{top}" width="{length:.1f}" height="{bar - 2}" fill="{COLOURS[name]}"/>'
                f'<text x="{left + length + 5:.1f}" y="{top + bar - 4}" class="number">{html.escape(label)}</text>'
            )
        if row["floor"]:
            x = left + width * min(1.0, row["floor"] / longest)
            pieces.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 3}" y2="{y + height + 1}" class="floor"/>')
        y += height + gap
    legend, x = [], left
    for name in names:
        legend.append(f'<rect x="{x}" y="14" width="12" height="12" fill="{COLOURS[name]}"/>')
        legend.append(f'<text x="{x + 17}" y="24">{name}</text>')
        x += 40 + 8 * len(name)
    legend.append(f'<line x1="{x}" x2="{x}" y1="12" y2="28" class="floor"/><text x="{x + 8}" y="24">floor</text>')
    legend.append(f'<text x="{x + 70}" y="24" class="number">(norn\'s time over this one\'s)</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 170}" height="{y + 10}" '
        'font-family="sans-serif" font-size="12">\n'
        "<style>.number { font-size: 10px; fill: #4a5568 } .floor { stroke: #c53030; stroke-width: 1.5 }</style>\n"
        f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(legend + pieces) + "\n</svg>\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path, metavar="FOLDER|MODEL")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=4, help="of measuring, for each row (default 4)")
    parser.add_argument("--dim", type=int, default=1, help="size of open dimensions of made-up inputs (default 1)")
    parser.add_argument("--runtimes", nargs="+", choices=list(MAKERS), help="only these, beside norn")
    parser.add_argument("--no-cold", action="store_true", help="neither load times nor memory")
    parser.add_argument("--svg", type=pathlib.Path, help="write a chart there")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows there as well")
    parser.add_argument("--cold", choices=list(MAKERS), help=argparse.SUPPRESS)
    parser.add_argument("--feed", type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cold:
        return cold(arguments)
    names = [n for n in importable() if not arguments.runtimes or n in ("norn", *arguments.runtimes)]
    columns = f"{'latency':>12}{'x':>8}{'load':>11}{'memory':>10}{'differs':>10}{'floor':>12}"
    header = f"{'model':<28}{'thr':>3}  {'runtime':<12}{columns}"
    print(header, "-" * len(header), sep="\n")
    rows, failures = [], []
    with tempfile.TemporaryDirectory() as scratch:
        arguments.scratch = pathlib.Path(scratch)
        for path in models_below(arguments.paths):
            for threads in arguments.threads:
                for row in measure(path, threads, names, arguments, failures):
                    rows.append(row)
                    print(*table_rows(row), sep="\n", flush=True)
    for name in names[1:]:
        shared = [row["runtimes"][name]["x"] for row in rows if name in row["runtimes"]]
        if shared:
            mean = statistics.geometric_mean(shared)
            print(f"norn's time over {name}'s, geometric mean of {len(shared)} rows: {mean:.3f}")
    for failure in failures:
        print("failed:", failure)
    if arguments.svg:
        arguments.svg.write_text(svg_of(rows, names), encoding="utf-8")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
