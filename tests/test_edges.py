"""The architecture that ARCHITECTURE.md describes is the one in the sources: include edges, and the lists of slices."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
SRC = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)
# What a slice's file is, by the end of its name; x.cc and x.h are the slice's meaning itself.
SUFFIXES = ("body", "ref", "adapt")
# The third-party headers whose users are listed; the standard library and the system are everybody's.
LIBRARIES = (
    "CLI", "dnnl.hpp", "fmt", "gtest", "hwy", "jerror.h", "jpeglib.h", "nanobind", "nlohmann", "numpy", "openjpeg.h",
    "openssl", "png.h", "re2", "tiffio.h", "utf8proc.h", "webp", "xxhash.h", "zlib.h",
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


def test_every_listed_library_is_watched():
    """A library of the table that LIBRARIES lacks would be everybody's."""
    assert {library for _, libraries in EDGES.values() for library in libraries} <= set(LIBRARIES)


def test_a_forbidden_edge_is_found():
    assert list(wrong_edges(pathlib.PurePath("ir/model.cc"), '#include "runtime/plan.h"'))
    assert list(wrong_edges(pathlib.PurePath("ops/nn/conv/conv.cc"), '#include "ops/nn/conv/conv_ref.h"'))
    assert list(wrong_edges(pathlib.PurePath("cli/run.cc"), '  #  include "runtime/plan.h"'))
    for library in ("nlohmann/json.hpp", "openssl/evp.h", "zlib.h", "dnnl.hpp"):
        assert list(wrong_edges(pathlib.PurePath("base/error.cc"), f"#include <{library}>"))
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
PARTS = ("body", "adapt", "ref", "test")
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


# Kernels that are compiled for an instruction set of their own.
APART = ("_avx2", "_vnni", "_bf16", "_tiles")
OWN = re.compile(r"^(inline namespace \w+_cc \{|\}  // namespace \w+_cc)$", re.M)
# A function that is declared or defined at the beginning of a line.
FUNCTION = re.compile(r"^[A-Za-z_][\w:<>,&* ]*[ &*](\w+)\((?!\))", re.M)
CALLED = re.compile(r"(?<![\w.:>])(\w+)(?=[(,;})])")


def own_and_common(text):
    """The parts of a slice's file inside and outside of its own namespace, without comments and texts."""
    parts = OWN.split(re.sub(r'//(?!  ?namespace).*|"(?:[^"\\]|\\.)*"', "", text))
    return "".join(parts[2::4]), "".join(parts[0::4])


def mixed_up(files, headers):
    """Functions of a file's own namespace that code outside of another file's would take for others of that name.

    files: {name: text} of sources that are compiled together. What stands outside of a file's own namespace sees those
    of the files before it; a call there might choose among functions of several.
    """
    parts = {name: own_and_common(text) for name, text in files.items()}
    owners = {}
    for name, (own, _) in parts.items():
        for function in FUNCTION.findall(own):
            owners.setdefault(function, set()).add(name)
    declared = set(FUNCTION.findall(headers))
    found = []
    for name, (own, common) in parts.items():
        visible = declared | set(FUNCTION.findall(own))
        for function in sorted(set(CALLED.findall(common)) & visible):
            found += [f"{function} of {other}, which {name} would see" for other in owners.get(function, set()) - {name}]
    return found


def test_own_functions_of_files_are_not_mixed_up():
    """Slices and kernels are compiled several to a run, so that file-local names have to differ where they meet."""
    libraries = {}
    rooms = ("ops", "opset", "transform", "kernels")
    headers = "".join(
        path.read_text()
        for path, relative in sources()
        if path.suffix == ".h" and relative.parts[0] in rooms and not is_test(path)
    )
    for path in sorted([*(SRC / "ops").glob("*/*/*.cc"), *(SRC / "kernels").rglob("*.cc")]):
        text = path.read_text()
        # Kernels for each instruction set have everything within namespaces of their own.
        if is_test(path) or path.stem.endswith(APART) or "<hwy/foreach_target.h>" in text:
            continue
        named = re.search(r"^namespace \{$", text, re.M) is None or f"inline namespace {path.stem}_cc {{" in text
        assert named, f"the unnamed namespace of {path} is not in one named after the file"
        part = next((p for p in ("adapt", "ref") if path.stem.endswith(f"_{p}")), path.relative_to(SRC).parts[0])
        libraries.setdefault(part, {})[path.name] = text
    assert [problem for files in libraries.values() for problem in mixed_up(files, headers)] == []


def test_functions_that_would_be_mixed_up_are_found():
    first = "inline namespace a_cc {\nvoid check(long x) {}\n}  // namespace a_cc\n"
    second = "inline namespace b_cc {\nvoid check(int x) {}\n}  // namespace b_cc\nvoid b() { check(1); }\n"
    assert mixed_up({"a.cc": first, "b.cc": second}, "") == ["check of a.cc, which b.cc would see"]
    assert mixed_up({"a.cc": first, "b.cc": "void b() { check(1); }\n"}, "void check(int x);\n") != []
    assert mixed_up({"a.cc": first, "b.cc": second.replace("check", "look")}, "") == []
