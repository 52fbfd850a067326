// norn run MODEL --images FILE [--labels FILE]: a batch of images through a classifier.
#pragma once
#include <string>

#include "norn/session.h"

namespace norn::cli {

struct ClassifyFlags {
  std::string images, labels, classes;
  int draw = 8;  // how many images are drawn
  bool json = false;
};

// Returns an exit code.
int classify(const Session& session, const std::string& model_path, const ClassifyFlags& flags);

}  // namespace norn::cli
