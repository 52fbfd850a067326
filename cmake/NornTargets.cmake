# Helpers: norn_layer() for a room of src/, norn_slice() for an operator's folder.

# Flags every one of our targets is compiled with.
add_library(norn_flags INTERFACE)
target_compile_options(norn_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers
  # GCC 12 sees overlaps and sizes beyond any memory in "a" + std::to_string(b) that are not there.
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow>")
target_include_directories(norn_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
if(NORN_SANITIZE)
  # Recovery after a finding would be compiled for every check, at half the cost of the whole again.
  target_compile_options(norn_flags INTERFACE
    -fsanitize=${NORN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(norn_flags INTERFACE -fsanitize=${NORN_SANITIZE})
endif()

# GCC collects garbage from 128 MB on by default, which takes a tenth of its time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=400000)
endif()

# ccache caches what uses precompiled headers if it may take their macros and times on trust; checkouts share its
# entries if paths below them are relative. It has to compare the included files and not preprocessed text: a header
# that is precompiled has to be the file that is there, comments included.
find_program(NORN_CCACHE ccache)
if(NORN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
    CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 ${NORN_CCACHE})
endif()

# Headers are compiled once for the targets that share flags: a target owns them, and the others take them from it.
# Every file still includes what it uses; builds with NORN_FAST_BUILD off show that each stands alone.
set(norn_std_headers <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory> <optional>
  <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)

# norn_precompile(TARGET [PRIVATE headers... | REUSE_FROM owner]), as target_precompile_headers.
function(norn_precompile)
  if(NORN_FAST_BUILD)
    target_precompile_headers(${ARGV})
  endif()
endfunction()

# norn_few_loops(TARGET): code that runs once for a node, and has few loops over data, is as fast with -O2 as with -O3,
# which takes up to a third longer to compile.
function(norn_few_loops target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
endfunction()

# norn_runs_once(TARGET): code that runs once for a document or a command. -O1 takes 0.7 of the compile time of -O2.
function(norn_runs_once target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# norn_unity(TARGET [RUN count] [APART files...]): sources are compiled eight (or `count`) to a run, apart from those
# whose names clash with others'. What is unnamed in one file is seen by those after it in its run.
function(norn_unity target)
  cmake_parse_arguments(arg "" "RUN" "APART" ${ARGN})
  if(NOT arg_RUN)
    set(arg_RUN 8)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${NORN_FAST_BUILD} UNITY_BUILD_BATCH_SIZE ${arg_RUN})
  set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# norn_vector_run(TARGET NAME files...): Highway files, relative to the folder of the target, that are compiled in one
# run: most of what a short one costs is Highway's own headers, once for each instruction set. They have to be for the
# same instruction sets, and names that clash are to be in namespaces of their own.
function(norn_vector_run target name)
  if(NOT NORN_FAST_BUILD)
    return()
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE room)
  set(includes "")
  foreach(file ${ARGN})
    string(APPEND includes "#include \"${room}/${file}\"\n")
  endforeach()
  set(include_this "#undef HWY_TARGET_INCLUDE\n#define HWY_TARGET_INCLUDE \"${name}.cc\"\n")
  list(GET ARGN 0 first)
  file(STRINGS ${first} targets REGEX "^#include \".*targets\\.h\"")
  set(run ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  string(CONCAT text
    "// Generated from the norn_vector_run() lines of src/${room}/CMakeLists.txt.\n"
    "${targets}\n${include_this}#include <hwy/foreach_target.h>\n#include <hwy/highway.h>\n"
    "${includes}// Each of them has set this to itself.\n${include_this}")
  file(CONFIGURE OUTPUT ${run} CONTENT "${text}" @ONLY)
  set_source_files_properties(${ARGN} PROPERTIES HEADER_FILE_ONLY ON)
  set_source_files_properties(${run} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${first})
  target_sources(${target} PRIVATE ${run})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# norn_layer(NAME sources... DEPENDS layers... [PRECOMPILE headers... | PRECOMPILED_BY layer]): static library
# norn_NAME, linked into libnorn.so and into tests. Its precompiled headers are those of norn_ir unless it has others.
function(norn_layer name)
  cmake_parse_arguments(arg "" "PRECOMPILED_BY" "DEPENDS;PRECOMPILE" ${ARGN})
  add_library(norn_${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(norn_${name} PUBLIC norn_flags ${arg_DEPENDS})
  if(arg_PRECOMPILE)
    norn_precompile(norn_${name} PRIVATE ${arg_PRECOMPILE})
  elseif(arg_PRECOMPILED_BY)
    norn_precompile(norn_${name} REUSE_FROM norn_${arg_PRECOMPILED_BY})
  else()
    norn_precompile(norn_${name} REUSE_FROM norn_ir)
  endif()
endfunction()

# norn_slice(FAMILY/NAME SCHEMA [BODY] [ADAPT] [REF] [GRAD] [TEST]): the files of src/ops/FAMILY/NAME/ by their suffix,
# each for the library of its layer (that of GRAD is to come with gradients); a layer may have several (resize_ref.cc,
# resize_linear_ref.cc). The slices listed this way are the only list of operators there is: the tables are generated
# from it.
set_property(GLOBAL PROPERTY norn_slices "")
function(norn_slice path)
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/${path})
  get_filename_component(name ${path} NAME)
  file(GLOB schema_files CONFIGURE_DEPENDS ${dir}/${name}*.cc)
  foreach(part body adapt ref grad test)
    set(${part}_files ${schema_files})
    list(FILTER ${part}_files INCLUDE REGEX "_${part}\\.cc$")
  endforeach()
  list(FILTER schema_files EXCLUDE REGEX "_(body|adapt|ref|grad|test)\\.cc$")
  foreach(part ${ARGN})
    string(TOLOWER ${part} key)
    if(NOT part MATCHES "^(SCHEMA|BODY|ADAPT|REF|GRAD|TEST)$")
      message(FATAL_ERROR "norn_slice(${path}): unknown part ${part}; parts are SCHEMA BODY ADAPT REF GRAD TEST")
    endif()
    if(NOT ${key}_files)
      message(FATAL_ERROR "norn_slice(${path}) names the part ${part}, but there is no file for it in ${dir}")
    endif()
    set_property(GLOBAL APPEND PROPERTY norn_slice_${key} ${name})
    set_property(GLOBAL APPEND PROPERTY norn_slice_${key}_files ${${key}_files})
  endforeach()
endfunction()

# norn_slice_table(OUT PART FUNCTION TYPE HEADER): writes OUT, which defines all_<FUNCTION>(TYPE&); it calls
# <slice>_<FUNCTION>(TYPE&) of every slice that has the part.
function(norn_slice_table out part function type header)
  get_property(slices GLOBAL PROPERTY norn_slice_${part})
  set(text "// Generated from the norn_slice() lines of src/ops/slices.cmake.\n")
  string(APPEND text "#include \"${header}\"\n\nnamespace norn::ops {\n\n")
  foreach(slice ${slices})
    string(APPEND text "void ${slice}_${function}(${type}&);\n")
  endforeach()
  string(APPEND text "\nvoid all_${function}(${type}& table) {\n")
  if(NOT slices)
    string(APPEND text "  static_cast<void>(table);\n")
  endif()
  foreach(slice ${slices})
    string(APPEND text "  ${slice}_${function}(table);\n")
  endforeach()
  string(APPEND text "}\n\n}  // namespace norn::ops\n")
  file(CONFIGURE OUTPUT ${out} CONTENT "${text}" @ONLY)
endfunction()
