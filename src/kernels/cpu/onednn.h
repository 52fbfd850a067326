// oneDNN as this library uses it: one thread, our scratch, memory objects that belong to one run at a time.
//
// Traps: oneDNN fixes the number of threads of a primitive when it is made, so making counts as using it; primitives
// are shared by threads only because their scratchpad is the caller's; a dnnl::memory is never shared while its address
// changes, hence the pools of Executions. Making primitives takes locks of oneDNN. Running them does not, but for its
// older matrix product (gemm), which takes one at each call, and some of whose code runs with the stack pointer in
// memory from the heap, below which a signal's frame would be written. It keeps sizes and distances in int, unchecked.
#pragma once
#include <cstdint>
#include <dnnl.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fork.h"
#include "kernels/kernel.h"

namespace norn::kernels {

using dnnl_dims = dnnl::memory::dims;

const dnnl::engine& cpu_engine();
dnnl::stream& thread_stream();  // the calling thread's

// While it lives, oneDNN runs on the calling thread alone; the thread's own OpenMP setting comes back afterwards.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int previous_;
};

// Throws std::bad_alloc unless there is as much memory as making a primitive takes: oneDNN does not report that it has
// no memory for generated code, and running the primitive then calls code that does not exist.
struct RoomToMake {
  RoomToMake();
};

// Around what makes primitives or their descriptors, which takes locks of oneDNN's own: no fork comes in between.
// Short, and without a lock of ours that might be waited for.
struct Making {
  RoomToMake room;
  base::ForkGuard whole;
  OneThread one;
};

// Around runs of an implementation that `calls_gemm` (see below): while it lives, no signal reaches this thread, except
// those of its own faults, and no fork comes in between. Does nothing otherwise.
class GemmSection {
 public:
  explicit GemmSection(bool calls_gemm) noexcept;
  ~GemmSection();
  GemmSection(const GemmSection&) = delete;
  GemmSection& operator=(const GemmSection&) = delete;

 private:
  bool calls_gemm_;
  std::uint64_t before_ = 0;  // signals that were blocked
};
// Whether an implementation may call gemm, which it decides by the sizes when it runs.
inline bool calls_gemm(const std::string& implementation) {
  for (const char* name : {"gemm:", "gemm_s8s8s32", "gemm_s8u8s32"})
    if (implementation.find(name) != std::string::npos) return true;
  return false;
}

// About what a primitive holds, its code for the most part.
inline constexpr std::size_t kPrimitiveBytes = 12288;

// The largest number that fits what oneDNN keeps sizes in.
inline constexpr std::int64_t kMostOneDnn = 0x7fffffff;

// Throws norn::Error (Internal) for what oneDNN throws.
[[noreturn]] void rethrow_onednn(const dnnl::error& error, const char* doing);

inline dnnl::memory::desc dense_desc(const dnnl_dims& dims) {
  dnnl_dims strides(dims.size());
  dnnl::memory::dim step = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<dnnl::memory::dim>(1, dims[i]);
  }
  return {dims, dnnl::memory::data_type::f32, strides};
}
// N, C, spatial...: channels last. Ranks 3 to 5.
dnnl::memory::desc channels_last_desc(const dnnl_dims& dims);

// A text that differs for descriptors of different layout.
std::string describe(const dnnl::memory::desc& desc);
// `source`, laid out as `from`, in the layout `to`.
std::shared_ptr<const void> repack(const void* source, const dnnl::memory::desc& from, const dnnl::memory::desc& to);

// How an extra operand meets the output of a contraction.
enum class Spread { None, Scalar, Channel, Full };
// `channel` is the output dimension that a Channel operand runs along.
Spread spread_of(const Shape& operand, const Shape& out, std::size_t channel);

// One post-op that reads an extra operand.
struct BinaryPost {
  int index;  // among the post-ops
  std::size_t extra;
  Spread spread;
};
// The steps as post-ops; false if one has no faithful form. `desc_of` gives the descriptor of an extra as the primitive
// sees it. The in-place extra becomes a sum.
bool append_posts(const std::vector<ElementStep>& steps, const std::vector<Spread>& spreads, int in_place_extra,
                  const std::function<dnnl::memory::desc(std::size_t extra, Spread)>& desc_of, dnnl::post_ops& ops,
                  std::vector<BinaryPost>& binaries);
dnnl::primitive_attr attributes(const dnnl::post_ops& ops);

// Whether products of 8-bit integers are exact: instruction sets without dot products of them add pairs of products in
// 16 bits, which saturate. The environment may limit the set that oneDNN uses.
bool int8_is_exact();
// Whether sums of `depth` products of 8-bit integers stay exact in f32: within 2^24.
bool int8_sums_fit_float(std::int64_t depth);
// Whether an implementation may take sums of `depth` products of 8-bit integers through f32, which rounds them beyond
// 2^24: all but its products of blocks ("brg") do, as was seen of results, and those of int8 without tiles.
bool rounds_int8_sums(const std::string& implementation, DataType x_type, std::int64_t depth);
// Whether there are dot products of bfloat16, without which rounding to it gains nothing.
bool multiplies_bfloat16();
// Whether there are products of tiles (AMX).
bool multiplies_tiles();

inline bool is_reference(const std::string& implementation) { return implementation.rfind("ref", 0) == 0; }

// Executions of one primitive: its arguments, whose addresses are set before each.
struct Execution {
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> args;

  std::vector<const void*> addresses;  // that were set last: setting them takes its time

  void add(int arg, const dnnl::memory::desc& desc) {
    memories.emplace_back(desc, cpu_engine(), nullptr);
    args.push_back({arg, memories.back().get()});
    addresses.push_back(nullptr);
  }
  void set(std::size_t i, const void* address) {
    if (addresses[i] == address) return;
    addresses[i] = address;
    dnnl_memory_set_data_handle(args[i].memory, const_cast<void*>(address));
  }
  void run(const dnnl::primitive& primitive) const;
};

}  // namespace norn::kernels
