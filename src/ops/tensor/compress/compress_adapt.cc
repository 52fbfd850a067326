// Negative axes came with 11.
#include "ops/tensor/compress/compress.h"
#include "transform/shared_steps.h"

namespace norn::ops {
void compress_steps(transform::StepTable& table) {
  table.add(Compress, 9, 11, transform::unchanged, transform::axis_of_data_from_front);
}

}  // namespace norn::ops
