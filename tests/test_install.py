"""The installed library: found by find_package and pkg-config, complete without this build, movable."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("NORN_BUILD_DIR", ROOT / "build" / "release"))
CONSUMER = ROOT / "tests" / "consumer"
CNN = ROOT / "examples" / "digits" / "digits_cnn.onnx"
# Nothing of this environment but the tools: libraries are to be found by what was installed alone.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "TMPDIR", "CCACHE_DIR")}

pytestmark = pytest.mark.skipif(not (BUILD / "CMakeCache.txt").exists(), reason=f"no build in {BUILD}")


def run(*command, **environment):
    done = subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, check=False, env={**ENVIRONMENT, **environment}
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def uses_onednn():
    return re.search(r"^NORN_ONEDNN:BOOL=(ON|TRUE|1|YES)$", (BUILD / "CMakeCache.txt").read_text(), re.M | re.I)


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Installed in one place, then moved to another."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    return shutil.move(folder / "first", folder / "moved")


def assert_only_installed_libraries(program, prefix):
    # The dynamic loader itself reports what it would load from where.
    loaded = run(program, LD_TRACE_LOADED_OBJECTS="1")
    assert "not found" not in loaded, loaded
    mine = dict(re.findall(r"(lib(?:norn|dnnl)\S*) => (\S+)", loaded))
    assert any(name.startswith("libnorn.so.") for name in mine), loaded
    assert not uses_onednn() or any(name.startswith("libdnnl") for name in mine), loaded
    for path in mine.values():
        assert pathlib.Path(path).resolve().is_relative_to(pathlib.Path(prefix).resolve()), loaded
    assert str(ROOT) not in loaded


def library_folder(prefix):
    (config,) = pathlib.Path(prefix).rglob("nornConfig.cmake")
    return config.parents[2]


def test_what_is_installed(prefix):
    prefix = pathlib.Path(prefix)
    headers = {p.name for p in (prefix / "include" / "norn").iterdir()}
    assert headers == {p.name for p in (ROOT / "include" / "norn").glob("*.h")}
    installed = {p.name for p in library_folder(prefix).iterdir()}
    assert {"libnorn.so", "libnorn.so.0"} <= installed
    assert not uses_onednn() or "libdnnl.so.3" in installed
    assert not list(prefix.rglob("*.py")) and not list(prefix.rglob("*.a"))
    for path in prefix.rglob("*.cmake"):
        assert str(ROOT) not in path.read_text(), f"{path.name} names the build's folder"


def test_find_package(prefix, tmp_path):
    run("cmake", "-S", CONSUMER, "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path)
    assert_only_installed_libraries(tmp_path / "consumer", prefix)
    assert run(tmp_path / "consumer", CNN) == "float[1,10]\n"


def test_pkg_config(prefix, tmp_path):
    search = {"PKG_CONFIG_PATH": str(library_folder(prefix) / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "norn", **search).split()
    program = tmp_path / "consumer"
    run(
        os.environ.get("CXX", "g++"),
        CONSUMER / "consumer.cc",
        "-o",
        program,
        *flags,
        f"-Wl,-rpath,{library_folder(prefix)}",
    )
    assert_only_installed_libraries(program, prefix)
    assert run(program, CNN) == "float[1,10]\n"
    assert re.match(r"\d+\.\d+\.\d+$", run("pkg-config", "--modversion", "norn", **search).strip())


def test_the_installed_command(prefix):
    command = pathlib.Path(prefix) / "bin" / "norn"
    assert_only_installed_libraries(command, prefix)
    assert "Conv" in run(command, "show", CNN)


def test_the_example_builds(prefix, tmp_path):
    example = ROOT / "examples" / "digits"
    run("cmake", "-S", example, "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path)
    assert re.fullmatch(r"3[56]\d of 360 digits are read right\n", run(tmp_path / "classify", example))


def test_only_the_public_api_is_visible(prefix):
    library = library_folder(prefix) / "libnorn.so"
    symbols = run("nm", "-D", "--defined-only", "-C", library)
    ours = [line.split(maxsplit=2)[2] for line in symbols.splitlines() if re.search(r" [TDBR] norn::", line)]
    assert any(s.startswith("norn::Session::run") for s in ours)
    inner = [
        s for s in ours if re.match(r"norn::(base|ir|format|opset|ops|infer|transform|program|kernels|runtime)::", s)
    ]
    assert not inner
