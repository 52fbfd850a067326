// What each version added means nothing where it is left out.
#include "ops/nn/attention/attention.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace attention_adapt_cc {
namespace {

using namespace transform;

void without_lengths(NodeEdit& edit) {
  if (edit.has_input(6)) edit.cannot("version 23 has no lengths of padded caches");
}

void without_windows(NodeEdit& edit) {
  for (const char* name : {"left_window_size", "right_window_size"}) {
    if (edit.attrs().i(name) >= 0) edit.cannot("version 24 has no windows");
    edit.remove_attr(name);
  }
}

}  // namespace
}  // namespace attention_adapt_cc

void attention_steps(StepTable& table) {
  table.add(Attention, 23, 24, unchanged, without_lengths);
  table.add(Attention, 24, 25, unchanged, without_windows);
}

}  // namespace norn::ops
