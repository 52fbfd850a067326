#!/bin/sh
# tools/build.sh BUILD_DIR demo|test|bench [JOBS]: configures where needed, builds, and installs the package into .venv
# ("bench": builds bench/kernels alone).
set -eu
cd "$(dirname "$0")/.."
build=$1 purpose=$2 jobs=${3:-}
say() { printf '== %s\n' "$*"; }
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt" 2>/dev/null || :; }

tests=OFF bench=OFF
if [ "$purpose" = test ] || [ "$(cached NORN_TESTS)" = ON ]; then tests=ON; fi
if [ "$purpose" = bench ] || [ "$(cached NORN_BENCH)" = ON ]; then bench=ON; fi
if [ ! -f "$build/build.ninja" ] || [ "$(cached NORN_PYTHON)" != ON ] || [ "$(cached NORN_TESTS)" != "$tests" ] ||
  { [ $bench = ON ] && [ "$(cached NORN_BENCH)" != ON ]; }; then
  say "configuring $build"
  cmake --preset release -B "$build" -DNORN_PYTHON=ON -DNORN_CLI=ON -DNORN_TESTS=$tests -DNORN_BENCH=$bench \
    -DPython_EXECUTABLE="$PWD/.venv/bin/python" --log-level=WARNING >/dev/null
fi

if [ "$purpose" = bench ]; then
  say "building bench/kernels"
  # shellcheck disable=SC2086
  cmake --build "$build" --target norn_kernel_bench ${jobs:+--parallel $jobs}
  exit
fi
# The command and the extension module pull in the library; tests come with "all".
targets="norn_cli norn_python"
[ "$purpose" = demo ] || targets=all
say "building"
# shellcheck disable=SC2086
cmake --build "$build" --target $targets ${jobs:+--parallel $jobs}

# Installing copies only files that changed.
cmake --install "$build" --prefix .venv --component python >/dev/null
