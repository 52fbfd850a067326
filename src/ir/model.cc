#include "ir/model.h"

namespace norn::ir {

AttributeType Attribute::kind() const noexcept {
  if (type.has()) return static_cast<AttributeType>(type.get());
  if (f.has()) return AttributeType::Float;
  if (i.has()) return AttributeType::Int;
  if (s.has()) return AttributeType::String;
  if (t.has()) return AttributeType::Tensor;
  if (g.has()) return AttributeType::Graph;
  if (!floats.empty()) return AttributeType::Floats;
  if (!ints.empty()) return AttributeType::Ints;
  if (!strings.empty()) return AttributeType::Strings;
  if (!tensors.empty()) return AttributeType::Tensors;
  if (!graphs.empty()) return AttributeType::Graphs;
  if (sparse_tensor.has()) return AttributeType::SparseTensor;
  if (!sparse_tensors.empty()) return AttributeType::SparseTensors;
  if (tp.has()) return AttributeType::TypeProto;
  if (!type_protos.empty()) return AttributeType::TypeProtos;
  return AttributeType::Undefined;
}

}  // namespace norn::ir
