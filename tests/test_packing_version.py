"""What a folder of packed weights knows a build by: sources, headers and flags, one by one (cmake/PackingVersion.cmake)."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def version(tmp_path, flags="-O2"):
    out = tmp_path / "version.cc"
    folders = "|".join(str(tmp_path / name) for name in ("kernels", "base"))
    command = ["cmake", f"-DFOLDERS={folders}", f"-DFLAGS={flags}", f"-DOUT={out}"]
    subprocess.run([*command, "-P", ROOT / "cmake" / "PackingVersion.cmake"], check=True)
    return re.search(r'return "([0-9a-f]{64})";', out.read_text())[1]


def test_whatever_decides_the_bytes_is_part_of_it(tmp_path):
    files = ["kernels/CMakeLists.txt", "kernels/cpu/pack.cc", "kernels/cpu/pack.h", "base/hash.cc", "base/checked.h"]
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    first = version(tmp_path)
    assert version(tmp_path) == first
    seen = {first}
    for name in files:
        (tmp_path / name).write_text("changed")
        seen.add(version(tmp_path))
    seen.add(version(tmp_path, "-O3 -march=native"))
    assert len(seen) == 2 + len(files)
    (tmp_path / "kernels/cpu/pack_test.cc").write_text("")
    assert version(tmp_path) in seen


def test_the_build_names_its_folders_and_flags():
    """The headers of base/ and include/ decide how halves are rounded and sizes are cut."""
    text = (ROOT / "src" / "kernels" / "CMakeLists.txt").read_text()
    for part in ("src/base", "include/norn", "CMAKE_CXX_FLAGS", "COMPILE_OPTIONS", "COMPILE_DEFINITIONS"):
        assert part in text[text.index("packing_folders") :]
