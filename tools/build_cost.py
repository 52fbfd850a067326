#!/usr/bin/env python3
"""What building costs: compile time and object size for each slice and library, from ninja's log and the object files.

    tools/build_cost.py BUILD_DIR [--slices 90]

Times are of the last build of each object, as ninja saw them (a compiler cache makes them small: build with
CCACHE_DISABLE=1 to measure). The projection takes the mean slice times --slices, plus everything else as it is.
"""

import argparse
import collections
import pathlib
import re
import sys

# A slice's files are named after its folder: .../ops/nn/conv/conv_ref.cc.o, or nn/conv/... in the library of src/ops.
SLICE = re.compile(r"/(?P<slice>\w+)/(?P=slice)(?:_\w+?)??(?:_(?P<part>body|adapt|ref|grad|test))?\.cc\.o$")
LIBRARY = re.compile(r"CMakeFiles/([\w-]+)\.dir/")


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


def objects(build):
    """(output, library, slice or None, part, seconds, bytes) for every object file."""
    for output, milliseconds in read_log(build / ".ninja_log").items():
        path = build / output
        if not output.endswith(".o") or not path.exists():
            continue
        library = LIBRARY.search(output)
        found = SLICE.search(output)
        slice_name = found["slice"] if found else None
        part = (found["part"] or "schema") if found else None
        yield output, library.group(1) if library else "?", slice_name, part, milliseconds / 1000, path.stat().st_size


def table(title, rows):
    print(f"{title:<28}{'files':>6}{'seconds':>10}{'KiB':>10}")
    for name, (files, seconds, size) in rows:
        print(f"{name:<28}{files:>6}{seconds:>10.2f}{size / 1024:>10.0f}")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--slices", type=int, default=90, help="slices of the whole operator set (default 90)")
    arguments = parser.parse_args()
    if not (arguments.build / ".ninja_log").exists():
        sys.exit(f"{arguments.build} has no .ninja_log: give a folder that ninja has built in")

    libraries, slices, parts = (collections.defaultdict(lambda: [0, 0.0, 0]) for _ in range(3))
    for _, library, slice_name, part, seconds, size in objects(arguments.build):
        for table_of, key in ((libraries, library), (slices, slice_name), (parts, part)):
            if key:
                entry = table_of[key]
                entry[0] += 1
                entry[1] += seconds
                entry[2] += size
    by_time = lambda item: -item[1][1]  # noqa: E731
    table("library", sorted(libraries.items(), key=by_time))
    if not slices:
        return
    table("slice", sorted(slices.items(), key=by_time))
    table("part of slices", sorted(parts.items(), key=by_time))

    total = [sum(values) for values in zip(*libraries.values(), strict=True)]
    sliced = [sum(values) for values in zip(*slices.values(), strict=True)]
    factor = arguments.slices / len(slices)
    projected = [t - s + s * factor for t, s in zip(total, sliced, strict=True)]
    print(
        f"{len(slices)} slices: {sliced[1]:.0f} s, {sliced[2] / 2**20:.1f} MiB of objects; "
        f"mean {sliced[1] / len(slices):.2f} s, {sliced[2] / len(slices) / 1024:.0f} KiB"
    )
    print(f"everything now: {total[1]:.0f} s of compiling on one core, {total[2] / 2**20:.1f} MiB")
    print(f"with {arguments.slices} slices: {projected[1]:.0f} s, {projected[2] / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
