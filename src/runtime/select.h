// Choosing kernels: how a node of the Program becomes a kernel's configuration.
//
// For each operator that has fast kernels there is one select function; it reads the node, fills a configuration and
// offers it to the kernel's candidates, fastest first. A candidate's refusal is kept for `explain`. A node that no
// candidate takes runs its reference kernel. Tests reach all of a node's candidates, not only the first that takes it,
// by PlanOptions::passed_over: the first k that would take a node are left out, a view among them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/config_key.h"
#include "kernels/kernel.h"
#include "opset/node_view.h"
#include "program/program.h"
#include "runtime/kernel_store.h"
#include "runtime/plan.h"

namespace norn::runtime {

// A value as a kernel's operand.
struct Operand {
  program::ValueId value = program::kNone;  // kNone: a null pointer
  kernels::Layout layout = kernels::Layout::Dense;
  bool as_it_lies = false;  // with the strides of Selector::strides_of
  bool apart = false;       // no output is computed in its place
  bool anywhere = false;    // its elements are read as bytes: a constant need not be aligned, and so is not copied
};

// A value, or part of one, seen with other dimensions than it has: where its elements lie.
struct Piece {
  program::ValueId value = program::kNone;
  Shape dims;
  std::vector<std::int64_t> strides;  // in elements
  bool as_it_lies = false;            // with the strides of Selector::strides_of, not dense
};

// A value of 8-bit integers, and how it becomes real numbers: x, a scale and a zero point, each one number.
struct Dequantized {
  program::ValueId x, scale, zero;
};

class Selector {
 public:
  virtual ~Selector() = default;

  // The operation to choose a kernel for: a node's own, or a part of a fused node.
  const program::Node& node() const noexcept { return *node_; }
  opset::Attrs attrs() const { return node_->attributes(); }
  bool has(std::size_t i) const { return node_->input(i) != program::kNone; }
  DataType dtype(std::size_t i) const { return dtype_of(node_->inputs[i]); }
  const Shape& dims(std::size_t i) const { return dims_of(node_->inputs[i]); }
  // The input's contents if they are constant (or known from shapes), else null.
  const norn::Tensor* constant(std::size_t i) const { return has(i) ? constant_of(node_->inputs[i]) : nullptr; }
  // The same for a kernel that packs it, or reads it ahead of running, and takes what is not known as well.
  const void* constant_data(std::size_t i) const {
    const norn::Tensor* t = has(i) ? constant_if_known(node_->inputs[i]) : nullptr;
    return t ? t->data() : nullptr;
  }
  kernels::Contents contents(std::size_t i) const {
    return has(i) ? contents_of(node_->inputs[i]) : kernels::Contents{};
  }
  kernels::Contents contents_of(program::ValueId id) const {
    const norn::Tensor* t = constant_if_known(id);
    if (!t) return {};
    return {t->bytes_in_place(), is_shared_constant(id), t->bytes(), &packed()};
  }
  DataType out_dtype() const { return dtype_of(node_->outputs[0]); }
  const Shape& out_dims() const { return dims_of(node_->outputs[0]); }

  // What factors of products may be rounded to.
  virtual Precision precision() const = 0;

  virtual DataType dtype_of(program::ValueId id) const = 0;
  virtual const Shape& dims_of(program::ValueId id) const = 0;
  // Null if not known yet; the choice may depend on it, and is then made again during a run (content_choice.h).
  virtual const norn::Tensor* constant_of(program::ValueId id) const = 0;
  // The same where the choice does not depend on it.
  virtual const norn::Tensor* constant_if_known(program::ValueId id) const = 0;
  // Whether it is a constant of the Program; what is known from shapes is the plan's own.
  virtual bool is_shared_constant(program::ValueId id) const = 0;
  // The layout in which the value was made.
  virtual kernels::Layout made_in(program::ValueId id) const = 0;

  // Element-wise steps for as many of the operations fused behind node() as steps can express, appended to `steps` with
  // their operands in `extra` and `uses`; returns the value that they give, which is node()'s own output if none can be
  // taken. Operands of the running value's full size are taken in `layout`. What is taken last counts; what is not
  // taken is planned by itself. `behind`: parts that the caller computes otherwise, the first ones; steps begin behind
  // them.
  program::ValueId take_parts(std::vector<kernels::ElementStep>& steps, std::vector<kernels::ExtraOperand>& extra,
                              std::vector<Operand>& uses, kernels::Layout layout, std::size_t behind = 0);
  // Takes none of them, after take_parts() did.
  void leave_parts() noexcept { taken_ = 0; }
  // The operations fused behind node() that are on offer.
  std::span<const program::Node> parts() const noexcept { return parts_; }
  // Steps for one element-wise operation whose running value is its input `running`.
  bool element_steps(const program::Node& operation, int running, std::vector<kernels::ElementStep>& steps,
                     std::vector<kernels::ExtraOperand>& extra, std::vector<Operand>& uses, kernels::Layout layout);

  // Offers the configuration to the candidates in turn and emits the step of the first that takes it. `uses` are the
  // kernel's inputs, `out` its output. `in_place`: the output may lie where an input of its size lies.
  template <class Config>
  bool choose(std::span<const kernels::Candidate<Config>> candidates, const Config& config,
              const std::vector<Operand>& uses, Operand out, bool in_place = false) {
    return choose_outputs(candidates, config, uses, {out}, in_place);
  }
  // The same for a kernel of several outputs, of which some may be omitted.
  template <class Config>
  bool choose_outputs(std::span<const kernels::Candidate<Config>> candidates, const Config& config,
                      const std::vector<Operand>& uses, const std::vector<Operand>& outs, bool in_place = false) {
    for (const kernels::Candidate<Config>& candidate : candidates) {
      std::string key;
      std::shared_ptr<const kernels::Kernel> kernel;
      if constexpr (requires { config.fields(); })
        if (candidate.costly && only_shared_constants(uses)) {
          key = std::string(candidate.name) + ' ' + kernels::config_key(config);
          kernel = find_kernel(key);
        }
      if (!kernel) {
        std::string reason = candidate.refuses(config);
        if (!reason.empty()) {
          refuse(std::string(candidate.name), std::move(reason));
          continue;
        }
      }
      if (passes_over(candidate.name)) continue;
      if (!kernel) kernel = candidate.make(config, packed());
      if (!key.empty()) keep_kernel(std::move(key), kernel);
      emit(std::move(kernel), candidate.name, uses, outs, in_place);
      return true;
    }
    return false;
  }
  // What follows from the node's attributes alone, made once for all plans.
  std::shared_ptr<const void> of_attributes(std::string_view recipe,
                                            const std::function<std::shared_ptr<const void>()>& make) {
    return packed().get({node_->attrs.data(), true}, 0, recipe, make);
  }
  // Recorded once, however often the operation is offered.
  void refuse(std::string kernel, std::string reason);
  // That many of the parts are taken.
  void take(std::size_t parts) { taken_ = parts; }
  std::size_t taken() const noexcept { return taken_; }
  // Whether this way of computing the node, which would take it, is left out (PlanOptions::passed_over).
  bool passes_over(std::string_view kernel) {
    if (to_pass_over_ == 0) return false;
    --to_pass_over_;
    refuse(std::string(kernel), "is passed over");
    return true;
  }
  // True if the output is float; else a refusal of a kernel that computes nothing else.
  bool is_float(std::string_view kernel);
  // Output 0 is input `i` under other dimensions.
  virtual void view(std::size_t i) = 0;
  // The layout in which the node is best computed, by its operands and the readers of its outputs; nothing if both are
  // equally good.
  virtual std::optional<kernels::Layout> advised_layout() const = 0;
  // The strides, in elements, with which input `i` lies in memory, whatever its layout is or whose memory it is.
  virtual std::vector<std::int64_t> lying_strides(std::size_t i) const = 0;
  // Output `o` is what `strides` and `offset`, in elements and none of them negative, pick out of input `i` where that
  // lies. It is copied when something first needs it dense.
  virtual void strided_view(std::size_t i, std::vector<std::int64_t> strides, std::int64_t offset,
                            std::size_t o = 0) = 0;
  // Of a value that lies in another's memory and is not dense there; null for others. A kernel may take it as it lies
  // (Operand::as_it_lies).
  virtual const std::vector<std::int64_t>* strides_of(program::ValueId id) const = 0;
  // Whether `out`, which is `past` and more behind it along the axis, may lie in the memory of `past`, or get room.
  virtual bool can_append(program::ValueId past, program::ValueId out, std::int64_t axis) const = 0;
  // Emits the steps that write it so: all pieces that come behind `past`, in order.
  virtual void append(program::ValueId past, program::ValueId out, std::int64_t axis,
                      const std::vector<Piece>& behind) = 0;
  // Output 0 is input 0, dequantized when something first needs it so.
  virtual void dequantized_view() = 0;
  // Of a value that is dequantized; null for others. A kernel may read the integers in its place.
  virtual const Dequantized* dequantized(program::ValueId id) const = 0;
  // The whole value where it lies.
  Piece piece(program::ValueId id) const;

 protected:
  virtual void emit(std::shared_ptr<const kernels::Kernel> kernel, std::string_view name,
                    const std::vector<Operand>& uses, const std::vector<Operand>& outs, bool in_place) = 0;
  virtual kernels::PackedConstants& packed() const = 0;
  // Kernels of other nodes and plans, by candidate and configuration.
  virtual std::shared_ptr<const kernels::Kernel> find_kernel(const std::string& key) const = 0;
  virtual void keep_kernel(std::string key, const std::shared_ptr<const kernels::Kernel>& kernel) = 0;
  // Whether no kernel that reads them depends on contents which are the plan's own.
  bool only_shared_constants(const std::vector<Operand>& uses) const {
    return std::none_of(uses.begin(), uses.end(), [&](const Operand& use) {
      return use.value != program::kNone && constant_if_known(use.value) && !is_shared_constant(use.value);
    });
  }

  const program::Node* node_ = nullptr;
  std::span<const program::Node> parts_;
  std::size_t taken_ = 0;  // of the parts
  std::vector<Refusal> refusals_;
  std::uint32_t to_pass_over_ = 0;  // of the node's candidates
};

// The node as the resolve functions of its operator's slice read it.
class SelectedNode final : public opset::NodeView {
 public:
  explicit SelectedNode(const Selector& s) : SelectedNode(s, s.node()) {}
  // A part of it.
  SelectedNode(const Selector& s, const program::Node& node) : NodeView(node.attributes()), s_(&s), node_(&node) {}
  bool has_input(int i) const noexcept override { return node_->input(static_cast<std::size_t>(i)) != program::kNone; }
  const norn::Tensor* constant(int i) const override;
  std::optional<opset::Dims> known_ints(int i) const override;
  std::optional<opset::Dims> known_shape(int i) const override;
  ErrorCode fault_code() const noexcept override { return ErrorCode::RuntimeError; }

 private:
  const Selector* s_;
  const program::Node* node_;
};

// A kernel that copies elements from where they lie with these strides into memory of their own, and its name.
std::pair<std::shared_ptr<const kernels::Kernel>, std::string> whole_copy(const Shape& dims,
                                                                          const std::vector<std::int64_t>& strides,
                                                                          kernels::Layout layout,
                                                                          std::size_t element_bytes,
                                                                          kernels::PackedConstants& packed);

// The strides of memory that lies as `x` with `strides` when it is seen as `out`; nothing if no strides do that, or
// there are no elements.
std::optional<std::vector<std::int64_t>> reshaped_strides(const Shape& x, const std::vector<std::int64_t>& strides,
                                                          const Shape& out);

// A kernel that dequantizes elements by one scale; null if there is none.
std::shared_ptr<const kernels::Kernel> dequantizing_kernel(DataType integer, const Shape& dims,
                                                           kernels::PackedConstants& packed);

// Emits the operation, with the parts that it took, or returns false (then nothing was emitted).
using SelectFn = bool (*)(Selector&);
// The select function for an operator; null if it has only its reference kernel.
SelectFn find_select(const opset::Operator* op);

// The same for an operator whose outputs have sizes that are known when it has run. The kernel's inputs are inputs of
// the node, dense, its outputs a kernels::LateOutput for each of the node's; it works without scratch memory.
SelectFn find_late_select(const opset::Operator* op);

// Select functions, by computation (select_*.cc):
bool select_conv(Selector&);
bool select_separable(Selector&);  // of a Conv with others among its parts
bool select_matmul(Selector&);
bool select_gemm(Selector&);
bool select_conv_integer(Selector&);
bool select_qlinear_conv(Selector&);
bool select_matmul_integer(Selector&);
bool select_qlinear_matmul(Selector&);
bool select_stored_product(Selector&);
bool select_product(Selector&);  // MatMul and Gemm in other types than float
bool select_gemm_product(Selector&);
bool select_einsum(Selector&);
bool select_conv_transpose(Selector&);
bool select_pool(Selector&);
bool select_global_pool(Selector&);
bool select_elementwise(Selector&);
bool is_elementwise(const opset::Operator* op);  // whether select_elementwise knows it
// Whether select_elementwise reads an operand in the layout of the output: one that has all channels for several
// pixels.
bool lies_alike(const Shape& operand, const Shape& out);
bool select_typed(Selector&);
bool is_typed(const opset::Operator* op);  // whether select_typed knows it
bool select_softmax(Selector&);
bool select_reduce(Selector&);
bool folds_any_layout(const opset::Operator* op);  // whether select_reduce or select_global_pool reads either
bool select_fold(Selector&);
bool select_topk(Selector&);
bool select_grid_sample(Selector&);
bool select_roi_align(Selector&);
bool select_suppression(Selector&);  // late
bool select_nonzero(Selector&);      // late
bool select_compress(Selector&);     // late
bool select_arg_extremum(Selector&);
bool select_cumulative(Selector&);
bool select_hardmax(Selector&);
bool select_batch_normalization(Selector&);
bool select_col2im(Selector&);
bool select_deform_conv(Selector&);
bool select_lrn(Selector&);
bool select_row_norm(Selector&);
bool select_plane_norm(Selector&);
bool select_group_norm(Selector&);  // of a Reshape, with InstanceNormalization among its parts
bool select_rotary(Selector&);
bool select_attention(Selector&);
bool select_attention_chain(Selector&);  // a MatMul with parts that may be attention
bool select_transpose(Selector&);
bool select_concat(Selector&);
bool select_slice(Selector&);
bool select_split(Selector&);
bool select_pad(Selector&);
bool select_gather(Selector&);
bool select_cast(Selector&);
bool select_integer_log_sum_exp(Selector&);  // with the casts around it, the first of which is the node
bool select_quantize(Selector&);
bool select_dynamic_quantize(Selector&);
// An element-wise operation on what is dequantized, with the quantization fused behind it.
bool select_quantized_chain(Selector&);
// What ends in a quantization and follows from one 8-bit integer: a table of what each of 256 integers becomes.
bool select_byte_table(Selector&);
bool select_dequantize(Selector&);
bool select_pair(Selector&);
bool select_where(Selector&);
bool select_view(Selector&);
bool select_gather_elements(Selector&);
bool select_scatter_elements(Selector&);
bool select_gather_nd(Selector&);
bool select_scatter_nd(Selector&);
bool select_tensor_scatter(Selector&);
bool select_one_hot(Selector&);
bool select_pad_mode(Selector&);  // by tables of coordinates
bool select_trilu(Selector&);
bool select_reverse_sequence(Selector&);
bool select_tile(Selector&);
bool select_resize(Selector&);
bool select_expand(Selector&);
bool select_trees(Selector&);
bool select_recurrent(Selector&);
bool select_quantized_recurrent(Selector&);
bool select_linear(Selector&);
bool select_label_encoder(Selector&);
bool select_scaler(Selector&);
bool select_one_hot_encoder(Selector&);
bool select_normalizer(Selector&);
bool select_array_feature_extractor(Selector&);
bool select_imputer(Selector&);
bool select_svm(Selector&);
bool select_lp_normalization(Selector&);

}  // namespace norn::runtime
