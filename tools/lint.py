#!/usr/bin/env python3
"""clang-tidy, as .clang-tidy has it, on the sources of the library, the command and the module, or on those named.

    tools/lint.py [--jobs N] [--everything] [FILE...]

A file takes some ten seconds, most of them in the headers of the standard library, which clang-tidy cannot skip. A file
that had no findings is therefore not read again until it, a header of ours that it includes, its command or .clang-tidy
has changed; --everything reads it all the same.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/lint"
CLEAN = BUILD / "clean"
INCLUDE = re.compile(rb'^\s*#\s*include\s+(?:"([^"]+)"|<(norn/[^>]+)>)', re.M)


def configure():
    """Each file on its own, as clang-tidy reads it; nothing is compiled."""
    options = ["-DNORN_FAST_BUILD=OFF", "-DNORN_PYTHON=ON", "-DNORN_TESTS=OFF", "--log-level=WARNING"]
    options.append(f"-DPython_EXECUTABLE={ROOT}/.venv/bin/python")
    configuring = ["cmake", "--preset", "release", "-B", BUILD, *options]
    subprocess.run(configuring, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    return {pathlib.Path(entry["file"]).resolve(): entry["command"] for entry in commands}


def default_files(commands):
    listed = subprocess.run(["git", "ls-files", "src/*.cc"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split() if (ROOT / name).resolve() in commands]


class Digests:
    """What a file of ours says, together with everything of ours that it includes."""

    def __init__(self):
        self.of_file = {}

    def closure(self, path, seen):
        if path in seen:
            return
        if path not in self.of_file:
            text = path.read_bytes()
            near = [path.parent, ROOT / "src", ROOT / "include"]
            found = []
            for quoted, public in INCLUDE.findall(text):
                name = (quoted or public).decode()
                found += [folder / name for folder in near if (folder / name).is_file()][:1]
            self.of_file[path] = (hashlib.sha256(text).digest(), found)
        digest, found = self.of_file[path]
        seen[path] = digest
        for other in found:
            self.closure(other, seen)

    def key(self, path, command):
        seen = {}
        self.closure(path, seen)
        whole = hashlib.sha256((ROOT / ".clang-tidy").read_bytes() + command.encode())
        for digest in sorted(seen.values()):
            whole.update(digest)
        return whole.hexdigest()


def lint(path):
    """What clang-tidy says of a file ("" if nothing) and the seconds that it took."""
    begin = time.monotonic()
    command = [ROOT / ".venv/bin/clang-tidy", "-p", BUILD, "--quiet", "--extra-arg=-Wno-unknown-warning-option", path]
    done = subprocess.run(command, capture_output=True, text=True)
    # What is not about a finding is a count of suppressed ones.
    text = done.stdout + (done.stderr if done.returncode and not done.stdout else "")
    return (text.strip() or "failed") if done.returncode else "", time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files at a time; default: one for each core")
    parser.add_argument("--everything", action="store_true", help="also what had no findings and has not changed")
    arguments = parser.parse_args()

    commands = configure()
    CLEAN.mkdir(parents=True, exist_ok=True)
    digests = Digests()
    keys = {}
    unchanged = 0
    for name in arguments.files or default_files(commands):
        path = (ROOT / name).resolve()
        if path not in commands:
            sys.exit(f"{name} is not compiled by the release preset; give a source of src/ that is not a test")
        key = digests.key(path, commands[path])
        if (CLEAN / key).exists() and not arguments.everything:
            unchanged += 1
        else:
            keys[path] = key

    findings = 0
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = {pool.submit(lint, path): path for path in keys}
        for done in concurrent.futures.as_completed(running):
            text, seconds = done.result()
            path = running[done]
            if text:
                findings += 1
                print(text, flush=True)
            else:
                (CLEAN / keys[path]).write_text(f"{path.relative_to(ROOT)} {seconds:.1f} s\n")
    took = time.monotonic() - begin
    print(f"{len(keys)} files in {took:.0f} s, {findings} with findings; {unchanged} were clean before")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
