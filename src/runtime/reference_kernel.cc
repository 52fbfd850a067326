#include "runtime/reference_kernel.h"

#include <cstring>

namespace norn::runtime {
namespace {

class ReferenceKernel final : public kernels::Kernel {
 public:
  ReferenceKernel(const program::Node& node, opset::ReferenceFn run, std::vector<StaticType> inputs,
                  std::vector<StaticType> outputs)
      : schema_(node.schema), attrs_(node.attrs), run_(run), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  void run(void* const* operands, void*) const override {
    std::vector<Value> values(inputs_.size());
    std::vector<const Value*> inputs(inputs_.size(), nullptr);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].dtype == DataType::Undefined) continue;
      values[i] = Tensor::borrow(inputs_[i].dtype, inputs_[i].dims, operands[i]);
      inputs[i] = &values[i];
    }
    std::vector<opset::ReferenceContext::Output> outputs(outputs_.size());
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      outputs[i].wanted = outputs_[i].dtype != DataType::Undefined;
      if (!outputs[i].wanted) continue;
      outputs[i].value = Tensor::borrow(outputs_[i].dtype, outputs_[i].dims, operands[inputs_.size() + i]);
      outputs[i].placed = true;
    }
    opset::ReferenceContext context(opset::Attrs(*schema_, attrs_), inputs, outputs);
    run_(context);
    for (std::size_t i = 0; i < outputs_.size(); ++i) settle(outputs[i], outputs_[i], operands[inputs_.size() + i]);
  }

 private:
  // A kernel may have answered with a value of its own (set_output) instead of filling the planned memory.
  static void settle(const opset::ReferenceContext::Output& output, const StaticType& planned, void* memory) {
    if (!output.wanted || !output.value.is_tensor() || output.value.tensor().data() == memory) return;
    const Tensor& made = output.value.tensor();
    if (made.dtype() != planned.dtype || made.dims() != planned.dims)
      throw Error(ErrorCode::Internal, "a reference kernel made " + output.value.describe() + " where inference said " +
                                           std::string(data_type_name(planned.dtype)) + to_string(planned.dims));
    if (made.dtype() == DataType::String)
      std::copy_n(made.as<std::string>(), made.size(), static_cast<std::string*>(memory));
    else if (made.bytes() > 0)
      std::memcpy(memory, made.data(), made.bytes());
  }

  const opset::Schema* schema_;
  std::vector<ir::Attribute> attrs_;
  opset::ReferenceFn run_;
  std::vector<StaticType> inputs_, outputs_;
};

class CopyKernel final : public kernels::Kernel {
 public:
  explicit CopyKernel(std::size_t bytes) : bytes_(bytes) {}
  void run(void* const* operands, void*) const override {
    if (bytes_ > 0) std::memcpy(operands[1], operands[0], bytes_);
  }

 private:
  std::size_t bytes_;
};

}  // namespace

std::unique_ptr<kernels::Kernel> make_reference_kernel(const program::Node& node, opset::ReferenceFn run,
                                                       std::vector<StaticType> inputs,
                                                       std::vector<StaticType> outputs) {
  return std::make_unique<ReferenceKernel>(node, run, std::move(inputs), std::move(outputs));
}

std::unique_ptr<kernels::Kernel> make_copy_kernel(std::size_t bytes) { return std::make_unique<CopyKernel>(bytes); }

}  // namespace norn::runtime
