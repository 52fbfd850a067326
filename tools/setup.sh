#!/bin/sh
# Makes a Debian-like machine ready: tools/setup.sh demo | test | trial | lint | bench
#
# Installs the Debian packages that are missing (as root or through sudo), then a virtual environment .venv with what
# the build, the tests, the trial ("trial") and clang-tidy ("lint") need from PyPI. Nothing is done twice: packages are
# looked for first, and a stamp in .venv holds the requirements that were installed.
set -eu
cd "$(dirname "$0")/.."
purpose=${1:-demo}
case $purpose in
  demo | test | trial | lint | bench) ;;
  *) echo "usage: tools/setup.sh demo|test|trial|lint|bench" >&2; exit 2 ;;
esac
say() { printf '== %s\n' "$*"; }

missing=
need() { # need PACKAGE CHECK...: PACKAGE is missing if CHECK fails
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}
header() { printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | "${CXX:-g++}" -x c++ -E -; }
at_least() { # at_least COMMAND MAJOR.MINOR
  command -v "$1" || return 1
  have=$("$1" --version | sed -n '1s/[^0-9]*\([0-9][0-9.]*\).*/\1/p')
  [ "$(printf '%s\n%s\n' "$2" "$have" | sort -V | head -n 1)" = "$2" ]
}

if [ -x .venv/bin/python ]; then python=.venv/bin/python; else python=${PYTHON:-python3}; fi
need g++ command -v "${CXX:-g++}"
need cmake at_least cmake 3.25
need ninja-build command -v ninja
need libfmt-dev header fmt/format.h
need libcli11-dev header CLI/CLI.hpp
need nlohmann-json3-dev header nlohmann/json.hpp
need libhwy-dev header hwy/highway.h
need libssl-dev header openssl/evp.h
need zlib1g-dev header zlib.h
need libxxhash-dev header xxhash.h
need libre2-dev header re2/re2.h
need libutf8proc-dev header utf8proc.h
need libjpeg62-turbo-dev header jpeglib.h
need libpng-dev header png.h
need libtiff-dev header tiffio.h
need libwebp-dev header webp/demux.h
need libopenjp2-7-dev header openjpeg-2.5/openjpeg.h
need python3 "$python" -c 'import sys; assert sys.version_info >= (3, 11)'
need python3-venv "$python" -c 'import ensurepip, venv'
need python3-dev "$python" -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")'
if [ "$purpose" = test ] || [ "$purpose" = lint ]; then
  need libgtest-dev header gtest/gtest.h
  need pkg-config command -v pkg-config
fi
[ "$purpose" != bench ] || need libbenchmark-dev header benchmark/benchmark.h

debian_packages() {
  [ -n "$missing" ] || return 0
  # A compiler cache is a convenience: it comes along when something has to be installed anyway.
  command -v ccache >/dev/null || missing="$missing ccache"
  say "installing Debian packages:$missing"
  if [ "$(id -u)" = 0 ]; then as_root=; elif command -v sudo >/dev/null; then as_root=sudo; else
    echo "This needs root. Run: apt-get install$missing" >&2
    exit 1
  fi
  $as_root apt-get -qq update
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y $missing >/dev/null
}

requirements() { # requirements NAME: installs tools/requirements-NAME.txt unless that very text was installed before
  list=tools/requirements-$1.txt stamp=.venv/requirements-$1.txt
  if ! cmp -s "$list" "$stamp"; then
    say "installing Python packages: $(grep -v '^#' "$list" | tr '\n' ' ')"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$list"
    cp "$list" "$stamp"
  fi
}

python_packages() {
  if [ ! -x .venv/bin/python ]; then
    say "creating the virtual environment .venv"
    "$python" -m venv .venv
  fi
  requirements build
  [ "$purpose" = demo ] || [ "$purpose" = bench ] || requirements test
  [ "$purpose" != trial ] || requirements trial
  [ "$purpose" != lint ] || requirements lint
}

# Both at once, where Python is there already.
case $missing in
  *python3*)
    debian_packages
    python_packages
    ;;
  *)
    python_packages &
    others=$!
    debian_packages
    wait $others
    ;;
esac
