#!/usr/bin/env python3
"""What building costs: compile time and object size for each library and slice, from ninja's log and the object files.

    tools/build_cost.py BUILD_DIR [--slices 90] [--save FILE] [--against OTHER]

Times are of the last build of each object, as ninja saw them (a compiler cache makes them small: build with
CCACHE_DISABLE=1 to measure). A precompiled header is a part of the library that owns it. Sources that are compiled
together share the time of that run equally. The projection takes the mean slice times --slices, plus everything else
as it is. --save writes the numbers as JSON; --against prints them beside those of another build folder or saved file.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

# A slice's files are named after its folder: .../ops/nn/conv/conv_ref.cc.o, or nn/conv/... in the library of src/ops.
SLICE = re.compile(
    r"(?:/ops|norn_reference\.dir)/\w+/(?P<slice>\w+)/(?P=slice)(?:_\w+?)??(?:_(?P<part>body|adapt|ref|grad|test))?\.cc$"
)
LIBRARY = re.compile(r"CMakeFiles/([\w-]+)\.dir/")
INCLUDED = re.compile(r'^#include "([^"]+\.cc)"', re.M)
PRECOMPILED = "precompiled headers"


def read_log(path):
    """{output: milliseconds}; later lines replace earlier ones."""
    times = {}
    for line in path.read_text().splitlines():
        fields = line.split("\t")
        if line.startswith("#") or len(fields) != 5:
            continue
        start, end, _, output, _ = fields
        times[output] = int(end) - int(start)
    return times


def compiled(build):
    """The outputs of compilers that the build has now: a folder keeps objects of what it no longer builds."""
    commands = json.loads((build / "compile_commands.json").read_text())
    return {(pathlib.Path(entry["directory"]) / entry["output"]).resolve() for entry in commands}


def sources(build, output):
    """The sources that an object is of: one, or those that a unity source of CMake's includes."""
    source = re.sub(r"\.(o|gch|pch)$", "", output)
    if "/Unity/unity_" in output and (build / source).exists():
        return INCLUDED.findall((build / source).read_text()) or [source]
    return [source]


def measured(build):
    """A row [library, slice, part, seconds, bytes] for every source of every object that is built."""
    of_now = compiled(build)
    for output, milliseconds in read_log(build / ".ninja_log").items():
        path = build / output
        if not path.exists() or path.resolve() not in of_now:
            continue
        found = LIBRARY.search(output)
        library = found.group(1) if found else "?"
        if not output.endswith(".o"):
            yield [library, "", PRECOMPILED, milliseconds / 1000, 0]
            continue
        of = sources(build, output)
        for source in of:
            name = SLICE.search(source)
            slice_name, part = (name["slice"], name["part"] or "schema") if name else ("", "")
            yield [library, slice_name, part, milliseconds / 1000 / len(of), path.stat().st_size / len(of)]


def rows_of(path):
    """The rows of a build folder or of a file that --save wrote."""
    if path.is_dir():
        if not (path / ".ninja_log").exists():
            sys.exit(f"{path} has no .ninja_log: give a folder that ninja has built in")
        return list(measured(path))
    try:
        return json.loads(path.read_text())["rows"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path} is neither a build folder nor a file that --save wrote: {error}")


def totals(rows, column):
    """{key: [files, seconds, bytes]} by the library (0), slice (1) or part (2) of the rows that have one."""
    sums = collections.defaultdict(lambda: [0, 0.0, 0])
    for row in rows:
        if row[column]:
            entry = sums[row[column]]
            entry[0] += row[2] != PRECOMPILED
            entry[1] += row[3]
            entry[2] += row[4]
    return sums


def sum_of(rows):
    return [sum(row[2] != PRECOMPILED for row in rows), sum(row[3] for row in rows), sum(row[4] for row in rows)]


def table(title, now, before):
    """Prints totals, the slowest first; beside those of another build if there is one."""
    header = f"{title:<28}{'files':>6}{'seconds':>10}{'KiB':>10}"
    print(header if before is None else f"{header}{'before':>12}{'ratio':>8}{'KiB before':>12}")
    names = set(now) | set(before or ())
    nothing = [0, 0.0, 0]
    for name in sorted(names, key=lambda n: -max(now.get(n, nothing)[1], (before or {}).get(n, nothing)[1])):
        print(line(name, now.get(name, nothing), None if before is None else before.get(name, nothing)))
    print()


def line(name, now, before):
    files, seconds, size = now
    text = f"{name:<28}{files:>6}{seconds:>10.2f}{size / 1024:>10.0f}"
    if before is not None:
        ratio = f"{seconds / before[1]:.2f}" if before[1] else "-"
        text += f"{before[1]:>12.2f}{ratio:>8}{before[2] / 1024:>12.0f}"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a build folder, or a file that --save wrote")
    parser.add_argument("--slices", type=int, default=90, help="slices of the whole operator set (default 90)")
    parser.add_argument("--save", type=pathlib.Path, metavar="FILE", help="write the numbers to FILE")
    parser.add_argument("--against", type=pathlib.Path, metavar="OTHER", help="another build folder or saved file")
    arguments = parser.parse_args()
    rows = rows_of(arguments.build)
    before = rows_of(arguments.against) if arguments.against else None
    if arguments.save:
        arguments.save.write_text(json.dumps({"rows": rows}) + "\n")

    for column, title in enumerate(("library", "slice", "part")):
        now = totals(rows, column)
        if now:
            table(title, now, None if before is None else totals(before, column))

    total = sum_of(rows)
    print(line("everything", total, None if before is None else sum_of(before)))
    print(f"everything: {total[1]:.0f} s of compiling on one core, {total[2] / 2**20:.1f} MiB of objects")
    count = len(totals(rows, 1))
    if count:
        sliced = sum_of([row for row in rows if row[1]])
        print(
            f"{count} slices: {sliced[1]:.0f} s, {sliced[2] / 2**20:.1f} MiB; "
            f"mean {sliced[1] / count:.2f} s, {sliced[2] / count / 1024:.0f} KiB"
        )
        factor = arguments.slices / count
        seconds, size = (t - s + s * factor for t, s in zip(total[1:], sliced[1:], strict=True))
        print(f"with {arguments.slices} slices: {seconds:.0f} s, {size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
