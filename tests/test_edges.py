"""The architecture as ARCHITECTURE.md tells it is the one in the sources: include edges, and the lists of slices."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
SRC = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)
# What a slice's file is, by the end of its name; x.cc and x.h are the slice's meaning itself.
SUFFIXES = ("body", "ref", "adapt", "grad")
# The third-party headers whose users are listed; the standard library and the system are everybody's.
LIBRARIES = (
    "CLI", "fmt", "gtest", "hwy", "jerror.h", "jpeglib.h", "nanobind", "nlohmann", "numpy", "oneapi", "openjpeg.h",
    "png.h", "re2", "tiffio.h", "utf8proc.h", "webp", "xxhash.h",
)  # fmt: skip


def table():
    """{room: (rooms it may include, libraries it may include)} from the table below "Edges"."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    edges = {}
    for line in text.split("## Edges", 1)[1].split("\n## ", 1)[0].splitlines():
        if line.startswith("| `"):
            room, rooms, libraries = (re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|"))
            edges[room[0]] = (set(rooms), set(libraries))
    return edges


EDGES = table()


def is_test(path):
    cases = path.parent.name == "common" and (path.stem == "case" or path.stem.startswith("case_"))
    return path.stem.endswith("_test") or cases


def room_of(path):
    """The room of a file of src/ or include/, given relative to that folder."""
    parts = path.parts
    if parts[0] in ("norn", "tests"):
        return parts[0]
    if parts[0] != "ops":
        return parts[0]
    if parts[1] == "common":
        return "ops/common"
    for suffix in SUFFIXES:
        if path.stem.endswith(f"_{suffix}"):
            return f"ops/{suffix}"
    return "ops"


def sources():
    for base in (SRC, ROOT / "include"):
        for path in sorted(base.rglob("*")):
            if path.suffix in (".h", ".cc"):
                yield path, path.relative_to(base)


def wrong_edges(relative, text):
    room = room_of(relative)
    rooms, libraries = EDGES[room]
    for bracket, included in INCLUDE.findall(text):
        first = included.split("/")[0]
        if bracket == "<":
            if first in LIBRARIES and first not in libraries:
                yield f"{relative} ({room}) includes <{included}>"
            continue
        if "/" in included:
            target = room_of(pathlib.PurePath(included))
            if target != room and target not in rooms:
                yield f"{relative} ({room}) includes {included} ({target})"


def test_every_room_is_in_the_table():
    rooms = {room_of(relative) for path, relative in sources() if not is_test(path)}
    assert rooms == set(EDGES)


def test_edges():
    wrong = [w for path, relative in sources() if not is_test(path) for w in wrong_edges(relative, path.read_text())]
    assert not wrong, "ARCHITECTURE.md does not allow:\n" + "\n".join(wrong)


def test_a_forbidden_edge_is_found():
    assert list(wrong_edges(pathlib.PurePath("ir/model.cc"), '#include "runtime/plan.h"'))
    assert list(wrong_edges(pathlib.PurePath("ops/nn/conv/conv.cc"), '#include "ops/nn/conv/conv_ref.h"'))
    assert list(wrong_edges(pathlib.PurePath("cli/run.cc"), '  #  include "runtime/plan.h"'))
    assert list(wrong_edges(pathlib.PurePath("base/error.cc"), "#include <nlohmann/json.hpp>"))
    assert not list(wrong_edges(pathlib.PurePath("runtime/plan.cc"), '#include <vector>\n#include "ir/model.h"'))


def test_rooms_do_not_include_each_other_in_circles():
    reached = {}

    def reach(room, path):
        assert room not in path, " -> ".join([*path, room])
        if room not in reached:
            reached[room] = True
            for target in EDGES.get(room, (set(), set()))[0]:
                reach(target, [*path, room])

    for room in EDGES:
        reached.clear()
        reach(room, [])


SLICE = re.compile(r"^norn_slice\(([\w/]+)\s+([A-Z ]+)\)", re.M)
LISTED = {name: set(parts.split()) for name, parts in SLICE.findall((SRC / "ops" / "slices.cmake").read_text())}
PARTS = ("body", "adapt", "ref", "grad", "test")
FOLDERS = sorted(
    str(p.relative_to(SRC / "ops")) for p in (SRC / "ops").glob("*/*/") if p.is_dir() and p.parent.name != "common"
)


def test_every_slice_folder_is_listed():
    assert set(FOLDERS) == set(LISTED)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_of_a_slice_is_listed(folder):
    name = folder.rpartition("/")[2]
    parts = set()
    for path in (SRC / "ops" / folder).glob("*.cc"):
        assert path.stem.startswith(name), f"{path.name} is not named after its slice"
        parts.add(next((p.upper() for p in PARTS if path.stem.endswith(f"_{p}")), "SCHEMA"))
    assert parts == LISTED.get(folder, set())
