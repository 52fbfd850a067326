#!/bin/sh
# tools/lint.sh [FILE...]: clang-tidy, as .clang-tidy has it, on sources of src/ (all but tests by default).
set -eu
cd "$(dirname "$0")/.."
build=build/lint
# Each file on its own, as clang-tidy reads it; nothing is compiled.
cmake --preset release -B $build -DNORN_FAST_BUILD=OFF -DNORN_PYTHON=ON -DNORN_TESTS=OFF \
  -DPython_EXECUTABLE="$PWD/.venv/bin/python" --log-level=WARNING >/dev/null
[ $# -gt 0 ] || set -- $(git ls-files 'src/*.cc' | grep -v '_test\.cc$')
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 4 .venv/bin/clang-tidy -p $build --quiet \
  --extra-arg=-Wno-unknown-warning-option
