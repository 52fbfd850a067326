// Version 20 took any number of dimensions and renamed modes.
#include <string>

#include "ops/tensor/grid_sample/grid_sample.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace grid_sample_adapt_cc {
namespace {

using namespace transform;

void rename_mode(NodeEdit& edit, const char* linear, const char* linear_to, const char* cubic, const char* cubic_to) {
  const std::string mode = edit.attrs().s("mode");
  edit.set_attr("mode", mode == linear ? std::string(linear_to) : mode == cubic ? std::string(cubic_to) : mode);
}

void grid_sample_16_20(NodeEdit& edit) { rename_mode(edit, "bilinear", "linear", "bicubic", "cubic"); }

void grid_sample_20_16(NodeEdit& edit) {
  const auto x = edit.input_rank(0), grid = edit.input_rank(1);
  if (x.value_or(grid.value_or(0)) != 4) edit.cannot("the older version takes images N x C x H x W only");
  rename_mode(edit, "linear", "bilinear", "cubic", "bicubic");
}

}  // namespace
}  // namespace grid_sample_adapt_cc

void grid_sample_steps(StepTable& table) { table.add(GridSample, 16, 20, grid_sample_16_20, grid_sample_20_16); }

}  // namespace norn::ops
