// Which files a location that stands in a model may name.
//
// A model is untrusted, and its locations are opened with the rights of the loading process: "../../etc/passwd", a
// symbolic link or a hard link to another user's file would carry foreign bytes into a tensor, or out of one when
// writing. So a location is resolved below a folder that was opened first, step by step or by the kernel (openat2), and
// the file's kind, size and number of hard links are read from the descriptor that the bytes then come from: nothing
// can be swapped between check and use.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "norn/model.h"

namespace norn::format {

struct PathPolicy {
  ExternalPolicy kind = ExternalPolicy::Beneath;
  std::vector<std::string> roots;  // further folders: files in them may be named by links, or lie there by the location
  bool hard_links = false;         // allow files with more than one hard link
};
PathPolicy path_policy(const LoadOptions& options);

struct OpenedFile {
  base::Descriptor fd;
  std::string path;  // where it was found
  std::uint64_t size = 0;
};

// What is wrong with a location's spelling, in words that continue 'the location "x" ...'; "" if nothing is.
std::string location_fault(std::string_view location);

enum class Resolver { Kernel, Steps };  // Kernel falls back to Steps where openat2 does not exist

// Opens a regular file for reading. Throws norn::Error: InvalidGraph for what the policy refuses, with the path that
// the location leads to and what would permit it; NoSuchFile; InvalidArgument if `base_dir` is "" and no root holds it.
OpenedFile open_location(const std::string& base_dir, const std::string& location, const PathPolicy& policy = {},
                         Resolver resolver = Resolver::Kernel);

// For writing: the folder that `location` lies in, below `base_dir`, made if need be; no link is followed.
struct WritePlace {
  base::Descriptor folder;
  std::string name;   // in that folder
  std::string shown;  // for messages
};
WritePlace place_for_writing(const std::string& base_dir, const std::string& location);

}  // namespace norn::format
