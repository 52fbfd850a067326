// Binarizer. An integer is compared with the threshold itself, not with what it rounds to as a float.
#include <cmath>

#include "ops/common/elements.h"
#include "ops/traditionalml/binarizer/binarizer.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace binarizer_ref_cc {
namespace {

bool exceeds(double x, double threshold) { return x > threshold; }
bool exceeds(std::int64_t x, double threshold) {
  if (!(threshold < 0x1p63)) return false;  // or NaN
  return threshold < -0x1p63 || x > static_cast<std::int64_t>(std::floor(threshold));
}

template <class D>
void run(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const double threshold = ctx.attrs().f("threshold");
  std::vector<D> values = load_all<D>(x);
  for (D& v : values) v = exceeds(v, threshold) ? D{1} : D{0};
  store_all<D>(ctx.output(0, x.dtype(), x.dims()), values);
}

void binarizer_ref(opset::ReferenceContext& ctx) {
  if (domain_of(ctx.input(0).dtype()) == Domain::F64)
    run<double>(ctx);
  else
    run<std::int64_t>(ctx);
}

}  // namespace
}  // namespace binarizer_ref_cc

void binarizer_references(opset::ReferenceTable& table) { table.add(Binarizer, binarizer_ref); }

}  // namespace norn::ops
