// Counts of n-grams, weighted or not.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator TfIdfVectorizer;

struct TfIdfParams {
  // One of the pool's n-grams: where it begins, how many words it has, and whether that is a length to be counted.
  struct Gram {
    std::int64_t begin, length;
    bool counted;
  };
  std::vector<std::string> strings;  // the pool; one of the two
  std::vector<std::int64_t> ints;
  std::vector<std::int64_t> indexes;  // by n-gram
  std::vector<float> weights;         // by n-gram; empty if they do not count
  std::vector<Gram> grams;
  std::int64_t max_skip;
  bool of_strings;
  bool counted_once = false;
  std::int64_t size = 0;  // of a row of the output
};
TfIdfParams resolve_tfidf(const opset::NodeView& node);

}  // namespace norn::ops
