#include "runtime/output_places.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "norn/error.h"
#include "ops/common/elements.h"
#include "runtime/memory_range.h"

namespace norn::runtime {
namespace {

// Whether memory of the value overlaps it; of what is not a tensor, it may.
bool overlaps(const Value& value, const MemoryRange& place) {
  if (value.is_empty()) return false;
  return !value.is_tensor() || memory_of(value.tensor()).overlaps(place);
}

}  // namespace

void OutputPlaces::add(std::size_t output, const Placement& placement) {
  if (all_.empty()) {
    all_.resize(outputs_);
    names_.resize(outputs_);
  }
  if (all_[output].defined())
    throw Error(ErrorCode::InvalidArgument, "the output " + base::quoted(placement.output) + " is given two places");
  if (!placement.tensor.defined())
    throw Error(ErrorCode::InvalidArgument,
                "the place of the output " + base::quoted(placement.output) + " is an undefined tensor");
  all_[output] = placement.tensor;
  names_[output] = placement.output;
}

void OutputPlaces::check(std::span<const Value> inputs) {
  if (all_.empty()) return;
  std::vector<std::pair<MemoryRange, std::size_t>> sorted;
  for (std::size_t o = 0; o < all_.size(); ++o)
    if (all_[o].defined() && all_[o].bytes() > 0) sorted.emplace_back(memory_of(all_[o]), o);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1].first.overlaps(sorted[i].first))
      throw Error(ErrorCode::InvalidArgument, "the places of the outputs " +
                                                  base::quoted(names_[sorted[i - 1].second]) + " and " +
                                                  base::quoted(names_[sorted[i].second]) + " overlap");
  free_ = all_;
  for (Tensor& place : free_)
    if (place.defined() && std::any_of(inputs.begin(), inputs.end(),
                                       [&](const Value& input) { return overlaps(input, memory_of(place)); }))
      place = {};
}

void OutputPlaces::fill(std::span<Value> results) const {
  if (all_.empty()) return;
  for (std::size_t o = 0; o < all_.size(); ++o) {
    if (!all_[o].defined()) continue;
    Tensor place = all_[o];
    const std::string what = "the output " + base::quoted(names_[o]) + " is " + results[o].describe();
    if (!results[o].is_tensor())
      throw Error(ErrorCode::InvalidArgument, what + "; only tensors can be written to a given place");
    const Tensor& made = results[o].tensor();
    if (made.dtype() != place.dtype() || made.dims() != place.dims())
      throw Error(ErrorCode::InvalidArgument, what + ", but the place given for it is " + Value(place).describe(), {},
                  "an output's place has its element type and its shape");
    if (made.data() != place.data()) ops::copy_elements(place, 0, made, 0, made.size());
    results[o] = std::move(place);
  }
}

}  // namespace norn::runtime
