#!/bin/sh
# tools/fuzz.sh MINUTES [TARGET...]: runs the fuzz targets (all of them by default), each for MINUTES, from its
# corpora. What they find lies in build/fuzz/found/. New inputs stay there too; fuzz/corpus/ is not touched.
set -eu
cd "$(dirname "$0")/.."
minutes=${1:-10}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- $(sed -n 's/^norn_fuzz_target(\([a-z_]*\).*/\1/p' fuzz/CMakeLists.txt)
say() { printf '== %s\n' "$*"; }

if ! command -v clang++-19 >/dev/null ||
  [ -z "$(find /usr/lib/llvm-19 -name 'libclang_rt.fuzzer*' -print -quit 2>/dev/null)" ]; then
  say "installing Debian packages: clang-19 libclang-rt-19-dev"
  if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
  $as_root apt-get -qq update
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y \
    clang-19 libclang-rt-19-dev >/dev/null
fi
build=build/fuzz
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++-19 -DNORN_FUZZ=ON \
  -DNORN_TESTS=OFF -DNORN_CLI=OFF -DNORN_ONEDNN=OFF -DNORN_SANITIZE=fuzzer-no-link,address,undefined >/dev/null
failed=
for target in "$@"; do
  say "fuzzing $target for $minutes minutes"
  cmake --build $build --target "norn_${target}_fuzz" >/dev/null
  seeds=
  for corpus in $(sed -n "s/^norn_fuzz_target(\($target\( [a-z_ ]*\)\{0,1\}\)).*/\1/p" fuzz/CMakeLists.txt); do
    seeds="$seeds fuzz/corpus/$corpus"
  done
  mkdir -p $build/found/"$target" $build/corpus/"$target"
  case $target in
  run | image)
    [ -d "$build/seeds/$target" ] || PYTHONPATH=tests .venv/bin/python -m trial.seeds "$target" "$build/seeds/$target"
    seeds="$seeds $build/seeds/$target"
    ;;
  esac
  # shellcheck disable=SC2086
  $build/fuzz/"norn_${target}_fuzz" -max_total_time=$((minutes * 60)) -rss_limit_mb=4096 -timeout=30 \
    -print_final_stats=1 -artifact_prefix=$build/found/"$target"/ $build/corpus/"$target" \
    $seeds 2>$build/"$target".log ||
    failed="$failed $target"
  tail -n 8 $build/"$target".log
done
[ -z "$failed" ] || { say "findings in:$failed (see $build/found and $build/*.log)"; exit 1; }
say "no findings"
