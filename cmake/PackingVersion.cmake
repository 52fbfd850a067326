# Writes OUT, a function that returns a hash of FLAGS and of the sources below the FOLDERS, both separated by "|":
# whatever decides how weights are packed has changed if any of them has.
string(REPLACE "|" ";" folders "${FOLDERS}")
set(all "${FLAGS}")
foreach(folder ${folders})
  file(GLOB_RECURSE sources ${folder}/*.cc ${folder}/*.h ${folder}/CMakeLists.txt)
  list(FILTER sources EXCLUDE REGEX "_test\\.(cc|h)$")
  list(SORT sources)
  foreach(source ${sources})
    file(SHA256 ${source} hash)
    string(APPEND all ${hash})
  endforeach()
endforeach()
string(SHA256 all "${all}")
set(space norn::kernels)
file(WRITE ${OUT}
  "namespace ${space} {\nconst char* packing_version() { return \"${all}\"; }\n}  // namespace ${space}\n")
