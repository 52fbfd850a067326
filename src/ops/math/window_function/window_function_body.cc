// Sums of cosines of the angle 2 pi n / N, where N is the size, or one less if the window is symmetric. Computed in
// double.
#include "ops/common/body_guard.h"
#include "ops/math/window_function/window_function.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace window_function_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// a0 - a1 cos(angle) + a2 cos(2 angle). In the order below Blackman's window is 0 at its ends and 1 in its middle.
void window(BodyBuilder& b, double a0, double a1, double a2) {
  b.scalar("zero", DataType::Double, 0);
  b.scalar("one", DataType::Double, 1);
  b.scalar("turn", DataType::Double, 6.283185307179586);
  b.scalar("a0", DataType::Double, a0);
  b.scalar("a1", DataType::Double, a1);
  if (b.constant(0)) {
    b.add("number = Identity (size)");
  } else {
    const std::int64_t list[] = {1}, nothing[] = {0};
    b.ints("one_number", list);
    b.ints("nothing", nothing);
    b.add("wide = Cast <to = 7> (size) is_size = GreaterOrEqual (wide, nothing)");
    add_guard(b, "wide", "one_number", "is_size", "a_size_from_0");
    b.add("number = Squeeze (a_size_from_0)");
  }
  b.add("count = Cast <to = 11> (number) n = Range (zero, count, one)");
  if (b.attrs().i("periodic") != 0)
    b.add("whole = Identity (count)");
  else
    b.add("less = Sub (count, one) whole = Max (less, one)");  // a window of one element has the angle 0
  b.add("turns = Mul (n, turn) angle = Div (turns, whole) cosine = Cos (angle) first = Mul (cosine, a1)");
  if (a2 != 0) {
    b.scalar("a2", DataType::Double, a2);
    b.add("twice = Add (angle, angle) cosine2 = Cos (twice) second = Mul (cosine2, a2)");
    b.add("outer = Add (a0, second) window = Sub (outer, first)");
  } else {
    b.add("window = Sub (a0, first)");
  }
  b.add("output = Cast <to: int = @output_datatype> (window)");
}

void blackman_body(BodyBuilder& b) { window(b, 0.42, 0.5, 0.08); }
void hamming_body(BodyBuilder& b) { window(b, 25.0 / 46.0, 21.0 / 46.0, 0); }
void hann_body(BodyBuilder& b) { window(b, 0.5, 0.5, 0); }

constexpr FunctionBody kBlackman[] = {{.since = 17, .opset = 17, .build = blackman_body}};
constexpr FunctionBody kHamming[] = {{.since = 17, .opset = 17, .build = hamming_body}};
constexpr FunctionBody kHann[] = {{.since = 17, .opset = 17, .build = hann_body}};

}  // namespace
}  // namespace window_function_body_cc

void window_function_bodies(opset::BodyTable& table) {
  table.add(BlackmanWindow, kBlackman);
  table.add(HammingWindow, kHamming);
  table.add(HannWindow, kHann);
}

}  // namespace norn::ops
