// What is handed out lies apart from the inputs and from each other; what already does stays where it is.
#include "runtime/hand_out.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace norn::runtime {
inline namespace hand_out_test_cc {
namespace {

Tensor numbers(std::int64_t n) {
  Tensor tensor(DataType::Int64, {n});
  for (std::int64_t i = 0; i < n; ++i) tensor.as_mutable<std::int64_t>()[i] = i;
  return tensor;
}

Tensor piece(const Tensor& tensor, std::int64_t first, Shape dims) {
  return Tensor::borrow(DataType::Int64, std::move(dims), const_cast<std::int64_t*>(tensor.as<std::int64_t>()) + first,
                        tensor.owner());
}

// The keys are elements `first` and behind of `keys`, the values those of `values`.
Value map_of(const Tensor& keys, const Tensor& values, std::int64_t first) {
  return Map{piece(keys, first, {2}), {piece(values, first, {}), piece(values, first + 1, {})}};
}

const void* at(const Value& tensor) { return tensor.tensor().data(); }

TEST(HandOut, MapsOfPiecesStay) {
  const Tensor keys = numbers(4), values = numbers(4);
  std::vector<Value> outputs{Sequence{{map_of(keys, values, 0), map_of(keys, values, 2)}}};
  copy_overlapping_outputs(outputs, {});
  for (std::size_t i = 0; i < 2; ++i) {
    const Map& map = outputs[0].sequence().items[i].map();
    EXPECT_EQ(map.keys.data(), keys.as<std::int64_t>() + 2 * i);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(at(map.values[k]), values.as<std::int64_t>() + 2 * i + k);
  }
}

TEST(HandOut, AMapThatComesAgainIsCopied) {
  const Tensor keys = numbers(4), values = numbers(4);
  const Value map = map_of(keys, values, 2);
  std::vector<Value> outputs{Sequence{{map, map, map_of(keys, values, 1)}}, map};
  copy_overlapping_outputs(outputs, {});
  const std::vector<Value>& items = outputs[0].sequence().items;
  EXPECT_EQ(items[0].map().keys.data(), keys.as<std::int64_t>() + 2);
  for (const Map* own : {&items[1].map(), &items[2].map(), &outputs[1].map()}) {
    for (const Map* other : {&items[0].map(), &items[1].map(), &items[2].map(), &outputs[1].map()}) {
      if (own == other) continue;
      EXPECT_NE(own->keys.owner(), other->keys.owner());
      for (const Value& value : own->values)
        for (const Value& theirs : other->values) EXPECT_NE(at(value), at(theirs));
    }
  }
  EXPECT_EQ(items[2].map().keys.as<std::int64_t>()[1], 2);
  EXPECT_EQ(*items[2].map().values[0].tensor().as<std::int64_t>(), 1);
}

TEST(HandOut, KeysAndValuesOfOneTensor) {
  const Tensor all = numbers(4);
  std::vector<Value> outputs{Map{piece(all, 2, {2}), {piece(all, 0, {}), piece(all, 3, {})}}};
  copy_overlapping_outputs(outputs, {});
  const Map& map = outputs[0].map();
  EXPECT_EQ(map.keys.data(), all.as<std::int64_t>() + 2);
  EXPECT_NE(at(map.values[0]), all.data());
  EXPECT_NE(at(map.values[1]), all.as<std::int64_t>() + 3);
  EXPECT_EQ(*map.values[1].tensor().as<std::int64_t>(), 3);
}

TEST(HandOut, PiecesOfInputsAndOfTensorsHandedOutAreCopied) {
  const Tensor input = numbers(4), output = numbers(4);
  std::vector<Value> outputs{piece(output, 0, {2}), map_of(input, output, 2), piece(output, 2, {2})};
  const std::vector<Value> inputs{piece(input, 0, {1})};
  copy_overlapping_outputs(outputs, inputs);
  EXPECT_EQ(at(outputs[0]), output.data());
  const Map& map = outputs[1].map();
  EXPECT_NE(map.keys.owner(), input.owner());
  EXPECT_EQ(map.keys.as<std::int64_t>()[0], 2);
  for (const Value& value : map.values) EXPECT_NE(value.tensor().owner(), output.owner());
  EXPECT_NE(outputs[2].tensor().owner(), output.owner());
}

}  // namespace
}  // namespace hand_out_test_cc
}  // namespace norn::runtime
