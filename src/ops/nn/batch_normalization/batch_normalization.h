// The operators of this slice, for other rooms to name.
#pragma once
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator BatchNormalization;

// Of a node that names outputs which are not computed, as the checker and inference say it.
inline constexpr const char* kStatisticsOutsideTraining =
    "running_mean and running_var are computed in training mode only, yet the node names them";
inline constexpr const char* kStatisticsHint = "set training_mode to 1, or leave these outputs out";

struct BatchNormalizationParams {
  float epsilon, momentum;
  bool training;        // the batch's own statistics
  bool per_activation;  // of each element of C x D1 x ... x Dn, not of each channel
};
// `wants_statistics`: an output other than the first is used.
BatchNormalizationParams resolve_batch_normalization(const opset::NodeView& node, bool wants_statistics);
// The shape of scale, bias and statistics, as far as it is known. Throws if they do not fit X.
std::optional<opset::Dims> resolve_statistics(const opset::NodeView& node, const BatchNormalizationParams& params);

}  // namespace norn::ops
