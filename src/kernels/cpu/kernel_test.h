// Common parts of kernel tests: random operands, each accepting candidate, the same bits at every width, and a
// comparison with a plain loop in double.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/physical.h"
#include "kernels/form_bytes.h"
#include "kernels/kernel.h"

namespace norn::kernels::test {

// Before the first test, as a session does before it chooses kernels.
class InstructionSetLimit final : public ::testing::Environment {
  void SetUp() override { limit_instruction_set(); }
};
inline ::testing::Environment* const instruction_set_limit =
    ::testing::AddGlobalTestEnvironment(new InstructionSetLimit);

class Constants final : public PackedConstants {
 public:
  std::shared_ptr<const void> get(const Contents& contents, std::size_t offset, std::string_view recipe,
                                  const std::function<std::shared_ptr<const void>()>& make,
                                  std::span<const Contents>) override {
    auto& entry = made_[{static_cast<const char*>(contents.data) + offset, std::string(recipe)}];
    if (entry) return entry;
    entry = make();
    // A form may be kept in a file: no byte of it is what lay in the memory before (packed_bytes_test.cc).
    if (const std::size_t bytes = form_bytes(entry); bytes > 0 && contents.known()) {
      const auto again = make();
      EXPECT_EQ(form_bytes(again), bytes) << recipe;
      EXPECT_EQ(std::memcmp(entry.get(), again.get(), bytes), 0) << "bytes of a form are not set: " << recipe;
    }
    return entry;
  }

 private:
  std::map<std::pair<const void*, std::string>, std::shared_ptr<const void>> made_;
};

inline std::vector<float> random_floats(std::int64_t n, unsigned seed, float low = -1, float high = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> v(static_cast<std::size_t>(n));
  for (float& x : v) x = uniform(engine);
  return v;
}

// The same elements in another layout.
inline std::vector<float> relaid(const std::vector<float>& v, const Shape& dims, Layout from, Layout to) {
  if (from == to) return v;
  const auto a = layout_strides(dims, from), b = layout_strides(dims, to);
  std::vector<float> result(v.size());
  for (std::int64_t i = 0; i < element_count(dims); ++i) {
    std::int64_t rest = i, at_a = 0, at_b = 0;
    for (std::size_t d = dims.size(); d-- > 0;) {
      at_a += rest % dims[d] * a[d];
      at_b += rest % dims[d] * b[d];
      rest /= dims[d];
    }
    result[static_cast<std::size_t>(at_b)] = v[static_cast<std::size_t>(at_a)];
  }
  return result;
}

// What the output holds before a kernel runs, and which operands lie in the same place.
struct OutputBefore {
  std::vector<float> contents;
  std::vector<std::size_t> aliased;
};

// Random operands of the steps that follow a contraction.
struct PostOperands {
  std::vector<std::vector<float>> contents;

  PostOperands(const std::vector<ExtraOperand>& extra, unsigned seed) {
    for (const ExtraOperand& e : extra) contents.push_back(random_floats(element_count(e.dims), seed++, 0.5f, 1.5f));
  }
  // Behind the kernel's own operands. Operand `in_place` (-1: none) lies where the output, of `size` elements, lies.
  OutputBefore append_to(std::vector<void*>& operands, int in_place, std::size_t size) {
    OutputBefore output{std::vector<float>(size, -9.0f), {}};
    for (std::size_t i = 0; i < contents.size(); ++i) {
      if (static_cast<int>(i) == in_place) {
        output.contents = contents[i];
        output.aliased.push_back(operands.size());
      }
      operands.push_back(contents[i].data());
    }
    return output;
  }
};

// Three spatial dimensions: those from `skip` on, missing ones behind.
inline std::vector<std::int64_t> spatial(const Shape& dims, std::size_t skip, std::int64_t missing) {
  std::vector<std::int64_t> t(3, missing);
  for (std::size_t d = skip; d < dims.size(); ++d) t[d - skip] = dims[d];
  return t;
}

// Runs `kernel` at several widths (and twice at one) into outputs filled with `before`; all must give the same bits.
template <class T>
std::vector<T> run_at_widths(const Kernel& kernel, std::vector<void*> operands, const std::vector<T>& before,
                             std::vector<std::size_t> also_output = {}) {
  std::vector<T> first;
  constexpr std::size_t kBehind = 4096;  // of the scratch, which a kernel leaves alone
  const std::size_t bytes = kernel.scratch_bytes();
  std::shared_ptr<void> scratch = aligned_buffer(bytes + kBehind);
  const char* const behind = static_cast<const char*>(scratch.get()) + bytes;
  operands.push_back(nullptr);
  for (int width : {1, 2, 3, 7}) {
    base::ParallelWidth w(width);
    std::vector<T> out = before;
    std::memset(scratch.get(), 0x7f, bytes + kBehind);  // what lies there must not matter
    operands.back() = out.data();
    for (std::size_t i : also_output) operands[i] = out.data();
    kernel.run(operands.data(), scratch.get());
    EXPECT_TRUE(std::all_of(behind, behind + kBehind, [](char c) { return c == 0x7f; })) << "wrote behind its scratch";
    if (first.empty())
      first = out;
    else
      EXPECT_EQ(std::memcmp(first.data(), out.data(), out.size() * sizeof(T)), 0) << "other bits at width " << width;
  }
  return first;
}

inline void expect_close(const std::vector<float>& got, const std::vector<double>& want, double tolerance,
                         const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << what << " at " << i;
      continue;
    }
    if (std::isinf(want[i])) {
      ASSERT_EQ(got[i], want[i]) << what << " at " << i;
      continue;
    }
    ASSERT_NEAR(got[i], want[i], tolerance * (1 + std::abs(want[i]))) << what << " at " << i;
  }
}

// The meaning of a step, in double.
inline double step_value(const ElementStep& s, double v, double y = 0) {
  if (s.swapped) std::swap(v, y);
  switch (s.op) {
    case ElementOp::Identity: return v;
    case ElementOp::Relu: return v < 0 ? 0 : v;
    case ElementOp::LeakyRelu: return v < 0 ? s.a * v : v;
    case ElementOp::Clip: return v < s.a ? s.a : v > s.b ? s.b : v;
    case ElementOp::Abs: return std::abs(v);
    case ElementOp::Neg: return -v;
    case ElementOp::Exp: return std::exp(v);
    case ElementOp::Log: return std::log(v);
    case ElementOp::Sqrt: return std::sqrt(v);
    case ElementOp::Reciprocal: return 1 / v;
    case ElementOp::Erf: return std::erf(v);
    case ElementOp::Sigmoid: return 1 / (1 + std::exp(-v));
    case ElementOp::Tanh: return std::tanh(v);
    case ElementOp::Softsign: return v / (1 + std::abs(v));
    case ElementOp::HardSigmoid: {
      const double t = s.a * v + s.b;
      return t < 0 ? 0 : t > 1 ? 1 : t;
    }
    case ElementOp::HardSwish: {
      const double t = v / 6 + 0.5;
      return v * (t < 0 ? 0 : t > 1 ? 1 : t);
    }
    case ElementOp::Elu: return v < 0 ? s.a * std::expm1(v) : v;
    case ElementOp::Gelu: return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0)));
    case ElementOp::GeluTanh: return 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
    case ElementOp::Softplus: return (v > 0 ? v : 0) + std::log1p(std::exp(-std::abs(v)));
    case ElementOp::Floor: return std::floor(v);
    case ElementOp::Ceil: return std::ceil(v);
    case ElementOp::Swish: return v / (1 + std::exp(-s.a * v));
    case ElementOp::Celu: return v < 0 ? s.a * std::expm1(v / s.a) : v;
    case ElementOp::Selu: return s.b * (v <= 0 ? s.a * std::expm1(v) : v);
    case ElementOp::Mish: return v > 40 ? v : v * std::tanh(std::log1p(std::exp(v)));
    case ElementOp::ThresholdedRelu: return v > s.a ? v : 0;
    case ElementOp::Round: return std::nearbyint(v);
    case ElementOp::Sign: return v > 0 ? 1 : v < 0 ? -1 : v;
    case ElementOp::PRelu: return v < 0 ? v * y : v;
    case ElementOp::Add: return v + y;
    case ElementOp::Sub: return v - y;
    case ElementOp::Mul: return v * y;
    case ElementOp::Div: return v / y;
    case ElementOp::Max: return std::isnan(v) || v > y ? v : y;
    case ElementOp::Min: return std::isnan(v) || v < y ? v : y;
    case ElementOp::Pow: return std::pow(v, y);
  }
  return NAN;
}

// The element of `operand` (its data in its own layout) that output element `index` (row-major) meets.
inline double broadcast_value(const ExtraOperand& operand, const float* data, const Shape& out, std::int64_t index) {
  const auto strides = layout_strides(operand.dims, operand.layout);
  const std::size_t lead = out.size() - operand.dims.size();
  std::int64_t at = 0;
  for (std::size_t d = out.size(); d-- > 0;) {
    if (d >= lead && operand.dims[d - lead] != 1) at += index % out[d] * strides[d - lead];
    index /= out[d];
  }
  return data[at];
}

// Applies steps to row-major values.
inline void apply_steps(std::vector<double>& values, const Shape& out, const std::vector<ElementStep>& steps,
                        const std::vector<ExtraOperand>& extra, const std::vector<std::vector<float>>& data) {
  for (const ElementStep& s : steps) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      double y = 0;
      if (is_binary(s.op)) {
        const std::size_t k = static_cast<std::size_t>(s.operand);
        y = broadcast_value(extra[k], data[k].data(), out, static_cast<std::int64_t>(i));
      }
      values[i] = step_value(s, values[i], y);
    }
  }
}

}  // namespace norn::kernels::test
