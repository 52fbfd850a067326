#include <string>

#include "ops/object_detection/roi_align/roi_align.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace roi_align_adapt_cc {
namespace {

using namespace transform;

void write_coordinates(NodeEdit& edit) {
  edit.set_attr("coordinate_transformation_mode", std::string("output_half_pixel"));
}

void drop_coordinates(NodeEdit& edit) {
  if (edit.attrs().s("coordinate_transformation_mode") != "output_half_pixel") {
    edit.cannot("coordinates are moved by a half, which the older version does not do");
  }
  edit.remove_attr("coordinate_transformation_mode");
}

}  // namespace
}  // namespace roi_align_adapt_cc

void roi_align_steps(StepTable& table) { table.add(RoiAlign, 10, 16, write_coordinates, drop_coordinates); }

}  // namespace norn::ops
