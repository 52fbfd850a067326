"""What the documentation names is there: links, files, commands with their flags, make targets, presets, names of the code."""

import functools
import json
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
CODE = re.compile(r"```\w*\n(.*?)```", re.S)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
SOURCE = re.compile(r"[\w.*/-]+\.(?:cc|h|py|md|cmake|sh|toml)|[\w./-]+/")
# "x.cc" stands for the file of any slice, "x_ref.cc" likewise.
PLACEHOLDER = re.compile(r"(?:.*/)?x(?:_\w+)?\.\w+|.*[A-Z<]{3,}.*|libnorn\.so")
# Of onnx, of libraries, of ONNX Runtime, or made when something is found.
ELSEWHERE = {"defs/", "build/trial/found/", "repro.py", "run_async", "resolve_x", "CamelCase", "snake_case"} | {
    "jerror.h", "jpeglib.h", "openjpeg.h", "png.h", "tiffio.h", "utf8proc.h", "xxhash.h", "zlib.h",
    "absl::InlinedVector", "absl::flat_hash_set",
}  # fmt: skip
NAME = re.compile(r"(?:[A-Za-z_]\w*::)+~?[A-Za-z_]\w*|[a-z]\w*_\w+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|k[A-Z]\w+")


def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a checkout")
    return listed.stdout.split()


FILES = tracked()
DOCUMENTS = [name for name in FILES if name.endswith(".md")]


@functools.cache
def words():
    """Every identifier of the sources, the tests and the tools."""
    found = set()
    for name in FILES:
        if name == "tests/test_docs.py":  # which names what is not there
            continue
        if name.endswith((".cc", ".h", ".py", ".cmake", ".txt", ".sh", ".json", ".toml", ".in")) or name == "Makefile":
            found |= set(re.findall(r"\w+", (ROOT / name).read_text(errors="replace")))
    found |= {part for name in FILES for part in re.findall(r"\w+", name)}
    return found


def spans(name):
    text = (ROOT / name).read_text()
    return sorted(set(SPAN.findall(CODE.sub("", text))) - ELSEWHERE)


def exists(path, document):
    """From the root, from src/, beside the document, or by a name that some file has."""
    near = (ROOT, ROOT / "src", ROOT / "include", (ROOT / document).parent)
    path = path.rstrip("/") if path.endswith("/") else path
    if any(folder.joinpath(path).exists() or ("*" in path and any(folder.glob(path))) for folder in near):
        return True
    return any(pathlib.PurePath(name).match(path) for name in FILES)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    folder = (ROOT / document).parent
    assert [link for link in LINK.findall((ROOT / document).read_text()) if not (folder / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_are_named_exist(document):
    named = [s for s in spans(document) if SOURCE.fullmatch(s) and not PLACEHOLDER.fullmatch(s)]
    assert [s for s in named if not exists(s, document)] == []


def missing_names(span):
    if not NAME.fullmatch(span.removesuffix("()")):
        return []
    return [part for part in re.findall(r"\w+", span) if part not in words()]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_names_of_the_code_exist(document):
    assert [name for span in spans(document) for name in missing_names(span)] == []


def command_lines():
    """(document, line) for every line of a code block, and every span, that begins with a command of ours."""
    for document in DOCUMENTS:
        text = (ROOT / document).read_text()
        lines = [line for block in CODE.findall(text) for line in block.splitlines()] + spans(document)
        for line in lines:
            line = re.split(r"\s{2,}#|\s# ", line)[0].strip()
            if re.match(r"(?:\.venv/bin/)?norn [a-z]", line):
                yield document, line


def flags_of(command):
    text = "".join(path.read_text() for path in (ROOT / "src/cli").glob("*.cc"))
    return command in re.findall(r'add_subcommand\(\s*"(\w+)"', text), set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text))


def test_commands_and_flags_exist():
    seen = 0
    for document, line in command_lines():
        words_of = line.replace(".venv/bin/", "").split()
        known, flags = flags_of(words_of[1])
        assert known, f"{document}: {line}"
        for word in words_of[2:]:
            flag = word.split("=")[0]
            if re.fullmatch(r"--?[a-z][a-z-]*", flag):
                assert flag in flags, f"{document}: {line}: {flag}"
        seen += 1
    assert seen > 20


def test_make_targets_and_presets_exist():
    makefile = (ROOT / "Makefile").read_text()
    presets = {p["name"] for p in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    for document in DOCUMENTS:
        text = (ROOT / document).read_text()
        pieces = CODE.findall(text) + spans(document)
        for piece in pieces:
            for target in re.findall(r"(?:^|\n|&& )make ([a-z][a-z-]*)", piece):
                assert re.search(rf"^[\w -]*\b{target}\b[\w -]*:", makefile, re.M), f"{document}: make {target}"
            for preset in re.findall(r"--preset ([a-z]+)", piece):
                assert preset in presets, f"{document}: preset {preset}"


def test_what_is_not_there_is_found():
    assert not exists("src/nowhere.cc", "README.md")
    assert not exists("nowhere_*.cc", "README.md")
    assert exists("kernels/cpu/", "ARCHITECTURE.md")
    assert exists("select_*.cc", "ARCHITECTURE.md")
    assert missing_names("no_such_function()") == ["no_such_function"]
    assert missing_names("norn::NoSuchType") == ["NoSuchType"]
    assert missing_names("infer::Facts") == []
