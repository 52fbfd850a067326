// What slices' tests share: tensors from values, running a reference kernel, inferring a node, lifting an old version.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "norn/value.h"
#include "opset/infer_context.h"
#include "opset/reference.h"
#include "opset/schema.h"
#include "transform/lift.h"

namespace norn::ops::test {

// A tensor of T's element type (float, double, int64_t, int32_t, uint8_t, bool, std::string, ...).
template <class T>
Tensor tensor(const norn::Shape& dims, const std::vector<T>& values);
// Doubles stored as elements of `type`, rounded.
Tensor tensor_of(DataType type, const norn::Shape& dims, const std::vector<double>& values);
// Elements as doubles, whatever the (real) element type.
std::vector<double> doubles(const Tensor& tensor);
// Seeded normal values (integers: small ones of both signs where the type has them), with the odd special value if
// `odd`.
Tensor random_tensor(DataType type, const norn::Shape& dims, std::uint32_t seed, bool odd = false);

using Attributes = std::vector<ir::Attribute>;

// Runs the reference kernel of `op` as in opset `opset`. A default Value is an omitted input.
std::vector<Value> run(const opset::Operator& op, int opset, const Attributes& attrs, const std::vector<Value>& inputs,
                       int outputs = 1);
// Lifts the node to the newest version first and runs the result: for versions that steps serve. Lifting with and
// without the inputs' contents known has to give the same.
std::vector<Value> run_lifted(const opset::Operator& op, int opset, const Attributes& attrs,
                              const std::vector<Value>& inputs, int outputs = 1);
// Moves the node to opset `target`, up or down, and runs the result.
std::vector<Value> run_moved(const opset::Operator& op, int opset, int target, const Attributes& attrs,
                             const std::vector<Value>& inputs, int outputs = 1);

// An input as a conversion sees it: a type, unknown perhaps, and the contents of a constant.
struct Known {
  opset::ValueType type;
  std::optional<Tensor> contents;
  bool present = true;
};
// The node moved to opset `target`. Its inputs are in0, in1, ..., its outputs out0, out1, ...
transform::Lifted move_node(const opset::Operator& op, int opset, int target, const Attributes& attrs,
                            const std::vector<Known>& inputs, int outputs = 1);
// As above; an unknown type is an omitted input, and `contents` may be shorter than `types`.
transform::Lifted moved(const opset::Operator& op, int opset, int target, const Attributes& attrs,
                        const std::vector<opset::ValueType>& types,
                        const std::vector<std::optional<Tensor>>& contents = {}, int outputs = 1);

struct Inferred {
  std::vector<opset::ValueType> types;
  std::vector<opset::KnownValue> values;
};
// Infers a node from types, and contents where given (may be shorter than types).
Inferred infer(const opset::Operator& op, int opset, const Attributes& attrs,
               const std::vector<opset::ValueType>& types, const std::vector<std::optional<Tensor>>& contents = {},
               int outputs = 1);
// "float[2,N]" -> type; "float" has no rank; "float[]" is a scalar. Names are dimension variables.
opset::ValueType type(std::string_view text);

// Holds that inference on the inputs' static types gives exactly the type and shape the kernel computes; with the
// inputs' contents known too. Returns the outputs.
std::vector<Value> run_and_check(const opset::Operator& op, int opset, const Attributes& attrs,
                                 const std::vector<Value>& inputs, int outputs = 1);

}  // namespace norn::ops::test
