"""The C++ sources are as .clang-format writes them, and no line of the sources is longer than 120 columns."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ("include", "src", "tests", "fuzz", "examples", "bench")
CLANG_FORMAT = pathlib.Path(sys.executable).with_name("clang-format")


def files(*suffixes):
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    return sorted(path for path in found if "build" not in path.relative_to(ROOT).parts)


def test_formatted():
    run = subprocess.run(
        [CLANG_FORMAT, "--dry-run", "--Werror", "--ferror-limit=1", *files(".cc", ".h")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, "run make format:\n" + run.stderr


def test_no_line_is_longer_than_120_columns():
    lists = [path for folder in ("cmake", "src", "tests", "fuzz") for path in (ROOT / folder).rglob("*.cmake")]
    lists += [path for path in files(".txt") if path.name == "CMakeLists.txt"]
    build = [ROOT / "CMakeLists.txt", ROOT / "Makefile", *lists, *(ROOT / "tools").glob("*.sh")]
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in [*files(".cc", ".h"), *build]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert not long, ", ".join(long)
