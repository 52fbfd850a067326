// What a fast kernel is: made once for a node's types, shapes, layouts and constants; run many times, by many threads.
//
// Kernels know computations (a convolution, a matrix product, a chain of element-wise operations), not graphs or
// operators: the runtime translates nodes into the configurations declared beside each kernel. No kernel allocates
// while running; scratch memory comes from the run's arena. Parallel work goes through base::parallel_for with a grain
// that follows from the shape alone, so results are the same bits for any number of threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "norn/types.h"

namespace norn::kernels {

// How a tensor's elements are laid out. Dense is row-major. ChannelsLast puts dimension 1 innermost ([N,C,H,W] lies as
// [N,H,W,C]), without padding: rows of an image are then contiguous, so that a convolution can be cut into rows, and
// oneDNN's kernels for it were the fastest measured on AVX-512 and the only good ones on AVX2.
enum class Layout : std::uint8_t { Dense, ChannelsLast };

class Kernel {
 public:
  virtual ~Kernel() = default;
  // `operands`: addresses of the inputs, then of the outputs, in the configuration's order; null where omitted.
  // `scratch`: scratch_bytes() bytes, aligned to 64. Outputs never alias inputs unless the configuration says so.
  virtual void run(void* const* operands, void* scratch) const = 0;
  virtual std::size_t scratch_bytes() const { return 0; }
  // Whether running reads operand `i`: not one that was packed when the kernel was made. Its address may be null then.
  virtual bool reads([[maybe_unused]] std::size_t i) const { return true; }
  // An estimate of the memory that it holds, packed constants aside.
  virtual std::size_t bytes() const noexcept { return 512; }
};

class PackedConstants;

// Contents of an operand that are known when a kernel is made.
struct Contents {
  // Null: not known. They may not be aligned for their elements, as they lie in a file.
  const void* data = nullptr;
  // Whether they live as long as every plan. Otherwise they die with the plan the kernel is made for, and their address
  // comes again with other contents.
  bool shared = true;
  std::size_t bytes = 0;
  PackedConstants* keeper = nullptr;  // of what was found out about them, if anything keeps it
  bool known() const noexcept { return data != nullptr; }
  // Whether what takes long to find out holds of them; `question` says what, and determines it with the contents.
  bool are(std::string_view question, const std::function<bool()>& answer) const;
  auto fields() const noexcept { return std::tie(data, shared, bytes, keeper); }
};

// An element of contents that may not be aligned.
inline float float_at(const float* at) noexcept {
  float value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Constants that kernels have rearranged, shared by all plans of one compiled model as long as one of them holds them.
// Thread-safe.
class PackedConstants {
 public:
  virtual ~PackedConstants() = default;
  // The packed form of `contents`, from byte `offset` on, and of `also`, under `recipe` (a description that, with their
  // contents, determines the result in any process on this machine); `make` is called if there is none yet, or if
  // some contents are not shared.
  virtual std::shared_ptr<const void> get(const Contents& contents, std::size_t offset, std::string_view recipe,
                                          const std::function<std::shared_ptr<const void>()>& make,
                                          std::span<const Contents> also = {}) = 0;
  // Contents::are() for shared contents.
  virtual bool ask([[maybe_unused]] const Contents& contents, [[maybe_unused]] std::string_view question,
                   const std::function<bool()>& answer) {
    return answer();
  }
};

inline bool Contents::are(std::string_view question, const std::function<bool()>& answer) const {
  return keeper != nullptr && shared ? keeper->ask(*this, question, answer) : answer();
}

// One way to compute a configuration. `refuses` says why it cannot ("" if it can), in words for `norn explain`.
template <class Config>
struct Candidate {
  std::string_view name;  // "onednn", "avx512", "portable"
  std::string (*refuses)(const Config&);
  std::unique_ptr<Kernel> (*make)(const Config&, PackedConstants&);
  // Refusing and making take long enough that kernels are looked for by their configuration first; it has fields()
  // (config_key.h) then.
  bool costly = false;
};

// Memory for packed constants: 64-byte aligned.
std::shared_ptr<void> aligned_buffer(std::size_t bytes);

// Element-wise operations, alone, in chains, and as what follows a contraction:

// What each is, what it costs and for which types it is there: element_op.h.
enum class ElementOp : std::uint8_t {
  // unary; a and b are parameters
  Identity,
  Relu,
  LeakyRelu,  // a x below 0
  Clip,       // to [a, b]
  Abs,
  Neg,
  Exp,
  Log,
  Sqrt,
  Reciprocal,
  Erf,
  Sigmoid,
  Tanh,
  Softsign,
  HardSigmoid,  // a x + b, clipped to [0, 1]
  HardSwish,
  Elu,   // a (exp(x) - 1) below 0
  Celu,  // a (exp(x / a) - 1) below 0
  Selu,  // b x, or b a (exp(x) - 1) up to 0
  Gelu,
  GeluTanh,
  Softplus,
  Swish,  // x / (1 + exp(-a x))
  Mish,
  ThresholdedRelu,  // x above a, else 0
  Floor,
  Ceil,
  Round,  // to nearest, halves to even
  Sign,
  // binary
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  Pow,
  PRelu,  // x, or x y where x is below 0
};
inline constexpr std::size_t kElementOps = static_cast<std::size_t>(ElementOp::PRelu) + 1;
constexpr bool is_binary(ElementOp op) { return op >= ElementOp::Add; }

// One step of a chain: v := op(v) or v := op(v, operand) (op(operand, v) if swapped).
struct ElementStep {
  ElementOp op;
  float a = 0, b = 0;
  int operand = -1;  // which extra operand of the configuration; -1 for unary
  bool swapped = false;
  auto fields() const noexcept { return std::tie(op, a, b, operand, swapped); }
};

// An operand that a chain reads beside its running value: dims broadcast to the output's.
struct ExtraOperand {
  Shape dims;
  Layout layout = Layout::Dense;
  const void* constant = nullptr;     // its contents if they are known when the kernel is made
  std::vector<std::int64_t> strides;  // of dims, in elements, not negative, in place of the layout's; empty: none
  auto fields() const noexcept { return std::tie(dims, layout, constant, strides); }
};

}  // namespace norn::kernels
