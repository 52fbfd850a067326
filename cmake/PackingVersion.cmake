# Writes OUT, a function that returns a hash of the sources of SOURCE_DIR: whatever decides how weights are packed has
# changed if any of them has.
file(GLOB_RECURSE sources ${SOURCE_DIR}/*.cc ${SOURCE_DIR}/*.h)
list(FILTER sources EXCLUDE REGEX "_test\\.(cc|h)$")
list(SORT sources)
set(all "")
foreach(source ${sources})
  file(SHA256 ${source} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 all "${all}")
set(space norn::kernels)
file(WRITE ${OUT}
  "namespace ${space} {\nconst char* packing_version() { return \"${all}\"; }\n}  // namespace ${space}\n")
