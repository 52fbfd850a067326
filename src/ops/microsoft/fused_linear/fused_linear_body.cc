// FusedMatMul transposes the last two axes of an input, or moves its first axis behind its batch axes, or both.
#include <numeric>

#include "ops/common/body_guard.h"
#include "ops/microsoft/domain.h"
#include "ops/microsoft/fused_linear/fused_linear.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
inline namespace fused_linear_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// What of the input's axes each of the product's operand is, as a Transpose has it.
std::vector<std::int64_t> operand_axes(const BodyBuilder& b, int input, bool transposed, bool batch_moved) {
  const int rank = b.rank(input);
  std::vector<std::int64_t> perm(static_cast<std::size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  if (batch_moved && rank > 2) std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
  if (transposed && rank > 1) std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return perm;
}

void add_operand(BodyBuilder& b, int input, const std::string& from, const std::string& to) {
  const bool transposed = b.attrs().flag("trans" + from), batch_moved = b.attrs().flag("transBatch" + from);
  if (!transposed && !batch_moved) return b.add(to + " = Identity (" + from + ")");
  std::string perm;
  for (const std::int64_t axis : operand_axes(b, input, transposed, batch_moved))
    perm += (perm.empty() ? "" : ", ") + std::to_string(axis);
  if (perm.empty()) b.fail("input " + std::to_string(input) + " is a scalar");
  b.add(to + " = Transpose <perm = [" + perm + "]> (" + from + ")");
}

void fused_matmul_body(BodyBuilder& b) {
  add_operand(b, 0, "A", "left");
  add_operand(b, 1, "B", "right");
  const auto alpha = static_cast<double>(b.attrs().f("alpha"));
  if (alpha == 1) return b.add("Y = MatMul (left, right)");
  b.scalar("factor", b.elem(0), alpha);
  b.add("product = MatMul (left, right) Y = Mul (product, factor)");
}

// The activation of `summed`, by the name that the node gives and the parameters that are found for it.
void add_activation(BodyBuilder& b, const std::vector<float>& params) {
  const std::string name = b.attrs().find_s("activation").value_or("");
  const auto param = [&](std::size_t i, const char* as) {
    if (i >= params.size())
      b.fail("the activation " + name + " takes " + std::to_string(i + 1) + " parameters at least, but there are " +
             std::to_string(params.size()));
    b.scalar(as, b.elem(0), static_cast<double>(params[i]));
  };
  if (name.empty()) return b.add("Y = Identity (summed)");
  if (name == "Relu" || name == "Tanh" || name == "Sigmoid") return b.add("Y = " + name + " (summed)");
  if (name == "LeakyRelu") {
    param(0, "slope");
    return b.add("Y = PRelu (summed, slope)");
  }
  if (name == "Clip") {
    param(0, "least");
    param(1, "most");
    return b.add("Y = Clip (summed, least, most)");
  }
  if (name == "HardSigmoid") {
    param(0, "slope");
    param(1, "offset");
    b.scalar("zero", b.elem(0), 0);
    b.scalar("one", b.elem(0), 1);
    return b.add("sloped = Mul (summed, slope) line = Add (sloped, offset) Y = Clip (line, zero, one)");
  }
  b.unsupported("the activation \"" + name + "\" of the attribute activation is not known",
                "Relu, Tanh, Sigmoid, LeakyRelu, Clip and HardSigmoid are");
}

void fused_conv_body(BodyBuilder& b) {
  b.add(R"(
    convolved = Conv <auto_pad: string = @auto_pad, dilations: ints = @dilations, group: int = @group,
                      kernel_shape: ints = @kernel_shape, pads: ints = @pads, strides: ints = @strides> (X, W, B)
  )");
  if (b.has_input(3)) {
    // Of what inference did not see nothing compared the shapes.
    const bool compared = b.type(0).has_rank() && b.type(1).has_rank() && b.type(3).has_rank();
    if (compared) {
      b.add("summed = Add (convolved, Z)");
    } else {
      b.add("z_shape = Shape (Z) out_shape = Shape (convolved) are_equal = Equal (z_shape, out_shape)");
      add_guard(b, "Z", "out_shape", "are_equal", "Z_of_the_shape_of_the_convolution");
      b.add("summed = Add (convolved, Z_of_the_shape_of_the_convolution)");
    }
  } else {
    b.add("summed = Identity (convolved)");
  }
  add_activation(b, b.attrs().find_floats("activation_params").value_or(std::vector<float>{}));
}

// Its parameters are attributes each, without defaults but for the slope of LeakyRelu, which is ONNX's.
void fused_gemm_body(BodyBuilder& b) {
  b.add(
      "summed = Gemm <alpha: float = @alpha, beta: float = @beta, transA: int = @transA, transB: int = @transB> (A, B, "
      "C)");
  std::vector<float> params;
  for (const char* name : {"activation_alpha", "activation_beta", "activation_gamma"}) {
    const auto given = b.attrs().find_f(name);
    if (!given) break;
    params.push_back(*given);
  }
  const bool leaky = b.attrs().find_s("activation").value_or("") == "LeakyRelu";
  if (leaky && params.empty()) params.push_back(0.01f);
  add_activation(b, params);
}

constexpr FunctionBody kFusedGemmBodies[] = {{.since = 1, .opset = kBodyOpset, .build = fused_gemm_body}};
constexpr FunctionBody kFusedMatMulBodies[] = {{.since = 1, .opset = kBodyOpset, .build = fused_matmul_body}};
constexpr FunctionBody kFusedConvBodies[] = {{.since = 1, .opset = kBodyOpset, .build = fused_conv_body}};

}  // namespace
}  // namespace fused_linear_body_cc
}  // namespace microsoft

void fused_linear_bodies(opset::BodyTable& table) {
  table.add(microsoft::FusedGemm, microsoft::kFusedGemmBodies);
  table.add(microsoft::FusedMatMul, microsoft::kFusedMatMulBodies);
  table.add(microsoft::FusedConv, microsoft::kFusedConvBodies);
}

}  // namespace norn::ops
