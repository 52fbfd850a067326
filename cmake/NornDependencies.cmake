# Finds what Norn builds on, and names what is missing together with the command that installs it. Nothing is
# downloaded.

function(norn_require package what debian)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "Norn needs ${what}. On Debian: apt-get install ${debian}")
  endif()
endfunction()

norn_require(fmt "fmt (text formatting)" libfmt-dev)
norn_require(OpenSSL "OpenSSL's libcrypto (SHA-1 of data files)" libssl-dev COMPONENTS Crypto)
norn_require(ZLIB "zlib (.npz files)" zlib1g-dev)
find_path(NORN_XXHASH_INCLUDE xxhash.h)
if(NOT NORN_XXHASH_INCLUDE)
  message(FATAL_ERROR "Norn needs xxHash (tables of names). On Debian: apt-get install libxxhash-dev")
endif()
mark_as_advanced(NORN_XXHASH_INCLUDE)
# Libraries of texts and images, not all of which come with a CMake package on Debian: targets norn_re2, norn_png, ...
# norn_require_library(name header what debian [folder]): with a folder, NORN_<NAME>_INCLUDE is for the sources that
# include the header, and not in the target.
function(norn_require_library name header what debian)
  string(TOUPPER NORN_${name} variable)
  find_path(${variable}_INCLUDE ${header} PATH_SUFFIXES ${ARGN})
  find_library(${variable}_LIBRARY ${name})
  if(NOT ${variable}_INCLUDE OR NOT ${variable}_LIBRARY)
    message(FATAL_ERROR "Norn needs ${what}. On Debian: apt-get install ${debian}")
  endif()
  mark_as_advanced(${variable}_INCLUDE ${variable}_LIBRARY)
  add_library(norn_${name} INTERFACE)
  if(NOT ARGN)
    target_include_directories(norn_${name} SYSTEM INTERFACE ${${variable}_INCLUDE})
  endif()
  target_link_libraries(norn_${name} INTERFACE ${${variable}_LIBRARY})
endfunction()
norn_require_library(re2 re2/re2.h "RE2 (regular expressions)" libre2-dev)
norn_require_library(utf8proc utf8proc.h "utf8proc (case of Unicode letters)" libutf8proc-dev)
norn_require_library(jpeg jpeglib.h "libjpeg-turbo (JPEG images)" libjpeg62-turbo-dev)
norn_require_library(png png.h "libpng (PNG images)" libpng-dev)
norn_require_library(tiff tiffio.h "libtiff (TIFF images)" libtiff-dev)
norn_require_library(webp webp/decode.h "libwebp (WebP images)" libwebp-dev)
norn_require_library(webpdemux webp/demux.h "libwebp's demuxer (animated WebP images)" libwebp-dev)
norn_require_library(openjp2 openjpeg.h "OpenJPEG (JPEG 2000 images)" libopenjp2-7-dev openjpeg-2.5)
norn_require(Threads "a thread library" libc6-dev)

if(NORN_CLI)
  norn_require(CLI11 "CLI11 (command line)" libcli11-dev)
endif()
norn_require(nlohmann_json "nlohmann-json (JSON)" nlohmann-json3-dev)
if(NORN_TESTS)
  norn_require(GTest "GoogleTest" libgtest-dev)
endif()

if(NORN_ONEDNN)
  # The PyPI wheels install below the virtual environment's prefix.
  foreach(venv $ENV{VIRTUAL_ENV} ${PROJECT_SOURCE_DIR}/.venv)
    if(EXISTS ${venv}/lib/cmake/dnnl)
      list(APPEND CMAKE_PREFIX_PATH ${venv})
    endif()
  endforeach()
  if(SKBUILD)
    # pip builds in an environment of its own, which holds what pyproject.toml requires, nanobind for one.
    find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
    execute_process(COMMAND ${Python_EXECUTABLE} -c
      "import nanobind, pathlib; print(pathlib.Path(nanobind.__file__).resolve().parents[4])"
      OUTPUT_VARIABLE norn_build_prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    list(PREPEND CMAKE_PREFIX_PATH ${norn_build_prefix})
  endif()
  find_package(dnnl 3 QUIET CONFIG)
  if(NOT dnnl_FOUND)
    message(FATAL_ERROR "Norn uses oneDNN 3.x. Install it with "
      "'pip install onednn-devel-cpu-gomp==2023.2.0 onednn-cpu-gomp==2023.2.0' into the virtual environment .venv "
      "(or an activated one), point CMAKE_PREFIX_PATH to another oneDNN 3, or build without it: -DNORN_ONEDNN=OFF")
  endif()
endif()
