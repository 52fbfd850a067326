// Elements to elements by a table of keys.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "norn/value.h"

namespace norn::kernels {

// Keys are strings or, of any other type, 64 bits: an integer, or the bits of a float's double, of which all NaN and
// both zeros are one unless `bitwise`; then those of the float itself. None is given twice.
struct LookupTable {
  DataType x = DataType::Int64;
  bool bitwise = false;
  std::vector<std::string> names;
  std::vector<std::int64_t> keys;
  Tensor values, otherwise;  // by key; one element
};
class PackedLookup;
std::shared_ptr<const PackedLookup> pack_lookup(LookupTable table);

// Operands: x, then the output, of the values' type.
struct LookupConfig {
  std::shared_ptr<const PackedLookup> table;
  std::int64_t size = 0;
};
std::span<const Candidate<LookupConfig>> lookup_candidates();

// The values of the table, int64, are places in rows of `width`, of which the output, f32, has one for each element of
// x: 1 at the element's place and 0 elsewhere. Keys are integers where x is floating, too: its elements are cut to
// them. With `zeros`, an element that is not a key has all 0; else it is an error.
struct OneHotConfig {
  std::shared_ptr<const PackedLookup> table;
  std::int64_t size = 0, width = 0;
  bool zeros = true;
};
std::span<const Candidate<OneHotConfig>> one_hot_candidates();

}  // namespace norn::kernels
