// A product with a constant matrix that is widened first: DequantizeLinear or Cast, perhaps Transpose, then MatMul or
// Gemm, as one node of parts. The matrix is read as it is stored.
#include <optional>

#include "kernels/cpu/matmul_stored.h"
#include "norn/session.h"
#include "ops/math/gemm/gemm.h"
#include "ops/math/matmul/matmul.h"
#include "ops/microsoft/matmul_nbits/matmul_nbits.h"
#include "ops/quantization/dequantize/dequantize.h"
#include "ops/quantization/quantize/quantize.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/transpose/transpose.h"
#include "program/node_parameters.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

using kernels::Layout;

// The first of the parts that is a product; nothing unless only Transpose and Cast are before it.
std::optional<std::size_t> find_product(const Selector& s) {
  for (std::size_t i = 0; i < s.parts().size(); ++i) {
    const opset::Operator* op = s.parts()[i].op;
    if (op == &ops::MatMul || op == &ops::Gemm) return i;
    if (op != &ops::Transpose && op != &ops::Cast) return {};
  }
  return {};
}

// Scales and zero points of the matrix [rows, columns] that is stored; why they do not fit, or "".
std::string take_scales(const Selector& s, bool transposed, kernels::StoredMatMulConfig& config) {
  if (s.node().op != &ops::DequantizeLinear) return "";
  if (!s.constant(1) || !s.is_shared_constant(s.node().inputs[1])) return "scales that are not constant";
  if (s.has(2) && (!s.constant(2) || !s.is_shared_constant(s.node().inputs[2])))
    return "zero points that are not constant";
  if (s.has(2) && element_count(s.dims(1)) != element_count(s.dims(2)))
    return "zero points that are not one for each scale";
  const Shape& stored = s.dims(0);
  const ops::ScaleLayout layout = ops::resolve_scales(SelectedNode(s), stored, s.dims(1));
  config.scales = s.constant_data(1);
  config.scale_type = s.dtype(1);
  config.zeros = s.has(2) ? s.constant_data(2) : nullptr;
  // Which scale element (i, j) of the stored matrix has: i / rows * row_step + j / columns * column_step.
  std::int64_t rows = 1, columns = 1, row_step = 0, column_step = 0;
  if (element_count(s.dims(1)) != 1) {
    const bool along_rows = layout.view.inner == stored[1] && layout.view.n == stored[0] && layout.view.outer == 1;
    rows = along_rows ? layout.block : 1;
    columns = along_rows ? 1 : layout.block;
    row_step = along_rows ? layout.step : layout.outer_step;
    column_step = along_rows ? layout.inner_step : layout.step;
  }
  if (transposed) {
    std::swap(rows, columns);
    std::swap(row_step, column_step);
  }
  config.block = row_step == 0 ? config.product.b[0] : rows;
  config.columns = columns;
  config.scale_row = row_step;
  config.scale_column = column_step;
  return "";
}

}  // namespace

bool select_stored_product(Selector& s) {
  const auto at = find_product(s);
  if (!at) return false;
  const auto refuse = [&](std::string why) {
    s.refuse("stored", std::move(why));
    return false;
  };
  if (s.dims(0).size() != 2) return refuse("a matrix of rank 2 alone is read as it is stored");
  if (!s.constant(0) || !s.is_shared_constant(s.node().inputs[0])) return refuse("the matrix is not constant");
  const program::Node& product = s.parts()[*at];
  const program::ValueId widened = *at == 0 ? s.node().outputs[0] : s.parts()[*at - 1].outputs[0];
  if (product.inputs[1] != widened || product.inputs[0] == widened || product.input(2) == widened)
    return refuse("it is not the right factor");
  if (s.dtype_of(product.outputs[0]) != DataType::Float || s.dtype_of(widened) != DataType::Float)
    return refuse("computes float, not " + std::string(data_type_name(s.dtype_of(product.outputs[0]))));
  bool transposed = false;
  for (const program::Node& part : s.parts().first(*at)) {
    if (part.op == &ops::Cast) {
      const DataType from = s.dtype_of(part.inputs[0]);
      if (from != DataType::Float16 && from != DataType::BFloat16) return refuse("a Cast that may round");
    } else {
      transposed = transposed != (ops::resolve_transpose(program::NodeParameters(part), 2)->front() == 1);
    }
  }

  kernels::StoredMatMulConfig config;
  kernels::MatMulConfig& m = config.product;
  m.a = s.dims_of(product.inputs[0]);
  m.out = s.dims_of(product.outputs[0]);
  if (product.op == &ops::Gemm) {
    const ops::GemmParams params = ops::resolve_gemm(program::NodeParameters(product));
    transposed = transposed != params.trans_b;
    m.trans_a = params.trans_a;
    m.alpha = params.alpha;
    m.beta = params.beta;
    m.has_c = product.input(2) != program::kNone;
    if (m.has_c) {
      m.c = s.dims_of(product.inputs[2]);
      const norn::Tensor* contents = s.constant_of(product.inputs[2]);
      m.c_constant = contents ? contents->data() : nullptr;
    }
  }
  const Shape& stored = s.dims(0);
  m.b = transposed ? Shape{stored[1], stored[0]} : stored;
  m.b_constant = s.contents(0);
  config.type = s.dtype(0);
  config.row = transposed ? 1 : stored[1];
  config.column = transposed ? stored[1] : 1;
  if (std::string why = take_scales(s, transposed, config); !why.empty()) return refuse(std::move(why));
  std::vector<Operand> uses{{product.inputs[0]}, {}, {m.has_c ? product.inputs[2] : program::kNone}};
  const program::ValueId made = s.take_parts(m.post, m.extra, uses, Layout::Dense, *at + 1);
  const bool rounds = s.precision() == Precision::Int8 ||
                      (s.precision() == Precision::Model && ops::microsoft::may_round_to_int8(product.metadata));
  if (rounds && s.choose(kernels::stored_matmul_int8_candidates(), config, uses, {made})) return true;
  if (s.choose(kernels::stored_matmul_candidates(), config, uses, {made})) return true;
  s.leave_parts();
  return false;
}

}  // namespace norn::runtime
