#include "runtime/select.h"

#include <utility>

#include "norn/error.h"
#include "ops/common/shapes.h"
#include "ops/logical/compare/compare.h"
#include "ops/logical/logical/logical.h"
#include "ops/math/cumulative/cumulative.h"
#include "ops/math/einsum/einsum.h"
#include "ops/math/expand/expand.h"
#include "ops/math/gemm/gemm.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/matmul_integer/matmul_integer.h"
#include "ops/math/qlinear_matmul/qlinear_matmul.h"
#include "ops/math/softmax/softmax.h"
#include "ops/math/topk/topk.h"
#include "ops/microsoft/quantized_recurrent/quantized_recurrent.h"
#include "ops/nn/attention/attention.h"
#include "ops/nn/batch_normalization/batch_normalization.h"
#include "ops/nn/col2im/col2im.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_integer/conv_integer.h"
#include "ops/nn/conv_transpose/conv_transpose.h"
#include "ops/nn/deform_conv/deform_conv.h"
#include "ops/nn/flatten/flatten.h"
#include "ops/nn/global_pool/global_pool.h"
#include "ops/nn/instance_normalization/instance_normalization.h"
#include "ops/nn/layer_normalization/layer_normalization.h"
#include "ops/nn/lp_normalization/lp_normalization.h"
#include "ops/nn/lrn/lrn.h"
#include "ops/nn/pool/pool.h"
#include "ops/nn/qlinear_conv/qlinear_conv.h"
#include "ops/nn/rms_normalization/rms_normalization.h"
#include "ops/nn/rotary_embedding/rotary_embedding.h"
#include "ops/object_detection/non_max_suppression/non_max_suppression.h"
#include "ops/object_detection/roi_align/roi_align.h"
#include "ops/quantization/dequantize/dequantize.h"
#include "ops/quantization/dynamic_quantize/dynamic_quantize.h"
#include "ops/quantization/quantize/quantize.h"
#include "ops/reduction/arg_extremum/arg_extremum.h"
#include "ops/reduction/reduce/reduce.h"
#include "ops/rnn/recurrent/recurrent.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/compress/compress.h"
#include "ops/tensor/concat/concat.h"
#include "ops/tensor/gather/gather.h"
#include "ops/tensor/gather_elements/gather_elements.h"
#include "ops/tensor/gather_nd/gather_nd.h"
#include "ops/tensor/grid_sample/grid_sample.h"
#include "ops/tensor/identity/identity.h"
#include "ops/tensor/nonzero/nonzero.h"
#include "ops/tensor/one_hot/one_hot.h"
#include "ops/tensor/pad/pad.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/resize/resize.h"
#include "ops/tensor/reverse_sequence/reverse_sequence.h"
#include "ops/tensor/scatter_elements/scatter_elements.h"
#include "ops/tensor/scatter_nd/scatter_nd.h"
#include "ops/tensor/slice/slice.h"
#include "ops/tensor/split/split.h"
#include "ops/tensor/squeeze/squeeze.h"
#include "ops/tensor/tensor_scatter/tensor_scatter.h"
#include "ops/tensor/tile/tile.h"
#include "ops/tensor/transpose/transpose.h"
#include "ops/tensor/trilu/trilu.h"
#include "ops/tensor/where/where.h"
#include "ops/traditionalml/array_feature_extractor/array_feature_extractor.h"
#include "ops/traditionalml/imputer/imputer.h"
#include "ops/traditionalml/label_encoder/label_encoder.h"
#include "ops/traditionalml/linear/linear.h"
#include "ops/traditionalml/normalizer/normalizer.h"
#include "ops/traditionalml/one_hot_encoder/one_hot_encoder.h"
#include "ops/traditionalml/scaler/scaler.h"
#include "ops/traditionalml/svm/svm.h"
#include "ops/traditionalml/tree_ensemble/tree_ensemble.h"

namespace norn::runtime {
namespace {

struct Entry {
  const opset::Operator* op;
  SelectFn select;
};

constexpr Entry kTable[] = {
    {&ops::Conv, select_conv},
    {&ops::MatMul, select_matmul},
    {&ops::Gemm, select_gemm},
    {&ops::ConvInteger, select_conv_integer},
    {&ops::QLinearConv, select_qlinear_conv},
    {&ops::MatMulInteger, select_matmul_integer},
    {&ops::QLinearMatMul, select_qlinear_matmul},
    {&ops::Einsum, select_einsum},
    {&ops::ConvTranspose, select_conv_transpose},
    {&ops::MaxPool, select_pool},
    {&ops::AveragePool, select_pool},
    {&ops::GlobalAveragePool, select_global_pool},
    {&ops::GlobalMaxPool, select_global_pool},
    {&ops::Softmax, select_softmax},
    {&ops::LogSoftmax, select_softmax},
    {&ops::ReduceMean, select_reduce},
    {&ops::ReduceSum, select_reduce},
    {&ops::ReduceMax, select_reduce},
    {&ops::ReduceMin, select_reduce},
    {&ops::ReduceProd, select_reduce},
    {&ops::ReduceSumSquare, select_reduce},
    {&ops::ReduceL1, select_reduce},
    {&ops::ReduceL2, select_fold},
    {&ops::ReduceLogSum, select_fold},
    {&ops::ReduceLogSumExp, select_fold},
    {&ops::TopK, select_topk},
    {&ops::GridSample, select_grid_sample},
    {&ops::RoiAlign, select_roi_align},
    {&ops::ArgMax, select_arg_extremum},
    {&ops::ArgMin, select_arg_extremum},
    {&ops::Hardmax, select_hardmax},
    {&ops::BatchNormalization, select_batch_normalization},
    {&ops::Col2Im, select_col2im},
    {&ops::DeformConv, select_deform_conv},
    {&ops::CumSum, select_cumulative},
    {&ops::CumProd, select_cumulative},
    {&ops::LRN, select_lrn},
    {&ops::LayerNormalization, select_row_norm},
    {&ops::RMSNormalization, select_row_norm},
    {&ops::InstanceNormalization, select_plane_norm},
    {&ops::RotaryEmbedding, select_rotary},
    {&ops::Attention, select_attention},
    {&ops::QuantizeLinear, select_quantize},
    {&ops::DequantizeLinear, select_dequantize},
    {&ops::DynamicQuantizeLinear, select_dynamic_quantize},
    {&ops::Equal, select_pair},
    {&ops::Less, select_pair},
    {&ops::LessOrEqual, select_pair},
    {&ops::Greater, select_pair},
    {&ops::GreaterOrEqual, select_pair},
    {&ops::And, select_pair},
    {&ops::Or, select_pair},
    {&ops::Xor, select_pair},
    {&ops::Where, select_where},
    {&ops::Transpose, select_transpose},
    {&ops::Concat, select_concat},
    {&ops::Slice, select_slice},
    {&ops::Split, select_split},
    {&ops::Pad, select_pad},
    {&ops::Gather, select_gather},
    {&ops::Cast, select_cast},
    {&ops::GatherElements, select_gather_elements},
    {&ops::ScatterElements, select_scatter_elements},
    {&ops::GatherND, select_gather_nd},
    {&ops::ScatterND, select_scatter_nd},
    {&ops::TensorScatter, select_tensor_scatter},
    {&ops::OneHot, select_one_hot},
    {&ops::Tile, select_tile},
    {&ops::Trilu, select_trilu},
    {&ops::ReverseSequence, select_reverse_sequence},
    {&ops::Resize, select_resize},
    {&ops::Expand, select_expand},
    {&ops::Reshape, select_view},
    {&ops::Flatten, select_view},
    {&ops::Squeeze, select_view},
    {&ops::Unsqueeze, select_view},
    {&ops::Identity, select_view},
    {&ops::microsoft::DynamicQuantizeLSTM, select_quantized_recurrent},
    {&ops::LSTM, select_recurrent},
    {&ops::GRU, select_recurrent},
    {&ops::RNN, select_recurrent},
    {&ops::LinearClassifier, select_linear},
    {&ops::LinearRegressor, select_linear},
    {&ops::LabelEncoder, select_label_encoder},
    {&ops::Scaler, select_scaler},
    {&ops::OneHotEncoder, select_one_hot_encoder},
    {&ops::Normalizer, select_normalizer},
    {&ops::ArrayFeatureExtractor, select_array_feature_extractor},
    {&ops::Imputer, select_imputer},
    {&ops::SVMClassifier, select_svm},
    {&ops::SVMRegressor, select_svm},
    {&ops::LpNormalization, select_lp_normalization},
    {&ops::TreeEnsemble, select_trees},
    {&ops::TreeEnsembleRegressor, select_trees},
    {&ops::TreeEnsembleClassifier, select_trees},
};

constexpr Entry kLateTable[] = {
    {&ops::NonMaxSuppression, select_suppression},
    {&ops::NonZero, select_nonzero},
    {&ops::Compress, select_compress},
};

}  // namespace

SelectFn find_late_select(const opset::Operator* op) {
  for (const Entry& entry : kLateTable)
    if (entry.op == op) return entry.select;
  return nullptr;
}

SelectFn find_select(const opset::Operator* op) {
  for (const Entry& entry : kTable)
    if (entry.op == op) return entry.select;
  if (is_elementwise(op)) return select_elementwise;
  return is_typed(op) ? select_typed : nullptr;
}

void Selector::refuse(std::string kernel, std::string reason) {
  for (const Refusal& known : refusals_)
    if (known.kernel == kernel && known.reason == reason) return;
  refusals_.push_back({std::move(kernel), std::move(reason)});
}

Piece Selector::piece(program::ValueId id) const {
  const auto* lies = strides_of(id);
  return {id, dims_of(id), lies ? *lies : ops::dense_strides(dims_of(id)), lies != nullptr};
}

bool Selector::is_float(std::string_view kernel) {
  if (out_dtype() == DataType::Float) return true;
  refuse(std::string(kernel), "computes float, not " + std::string(data_type_name(out_dtype())));
  return false;
}

const norn::Tensor* SelectedNode::constant(int i) const {
  return has_input(i) ? s_->constant_of(node_->inputs[static_cast<std::size_t>(i)]) : nullptr;
}

std::optional<opset::Dims> SelectedNode::known_ints(int i) const {
  const norn::Tensor* t = constant(i);
  return t ? opset::ints_of(*t) : std::nullopt;
}

std::optional<opset::Dims> SelectedNode::known_shape(int i) const {
  if (!has_input(i)) return {};
  return opset::to_dims(s_->dims_of(node_->inputs[static_cast<std::size_t>(i)]));
}

}  // namespace norn::runtime
