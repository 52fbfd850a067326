#include "kernels/cpu/onednn.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <new>

#include "norn/error.h"

#ifdef NORN_ONEDNN_OPENMP
// From the OpenMP runtime that oneDNN itself is linked to; the compiler's own need not be the same.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int);
#endif

namespace norn::kernels {

const dnnl::engine& cpu_engine() {
  return base::made_once([] { return dnnl::engine(dnnl::engine::kind::cpu, 0); });
}

dnnl::stream& thread_stream() {
  thread_local dnnl::stream stream = [] {
    base::ForkGuard whole;
    return dnnl::stream(cpu_engine());
  }();
  return stream;
}

RoomToMake::RoomToMake() {
  constexpr std::size_t kMost = std::size_t{32} << 20;  // some dozens of pieces of code, a quarter of a megabyte each
  void* const memory = ::mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::munmap(memory, kMost);
}

#ifdef NORN_ONEDNN_OPENMP
OneThread::OneThread() : previous_(omp_get_max_threads()) {
  if (previous_ != 1) omp_set_num_threads(1);
}
OneThread::~OneThread() {
  if (previous_ != 1) omp_set_num_threads(previous_);
}
#else
OneThread::OneThread() : previous_(1) {}
OneThread::~OneThread() {}
#endif

GemmSection::GemmSection(bool calls_gemm) noexcept : calls_gemm_(calls_gemm) {
  if (!calls_gemm_) return;
  // By the system call itself: the C library's function leaves its own signals open, whose handlers need a stack too.
  std::uint64_t all = ~std::uint64_t{0};
  for (int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS}) all &= ~(std::uint64_t{1} << (fault - 1));
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before_, sizeof before_);
  base::ForkGuard::enter();  // a handler that forks in between would find it entered, and its child would never leave
                             // it
}
GemmSection::~GemmSection() {
  if (!calls_gemm_) return;
  base::ForkGuard::leave();
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, sizeof before_);
}

void rethrow_onednn(const dnnl::error& error, const char* doing) {
  throw Error(ErrorCode::Internal, std::string("oneDNN failed to ") + doing + ": " + error.what());
}

dnnl::memory::desc channels_last_desc(const dnnl_dims& dims) {
  using tag = dnnl::memory::format_tag;
  const tag tags[] = {tag::nwc, tag::nhwc, tag::ndhwc};
  return {dims, dnnl::memory::data_type::f32, tags[dims.size() - 3]};
}

std::string describe(const dnnl::memory::desc& desc) {
  std::string text;
  auto add = [&](const dnnl_dims& values) {
    text += '/';
    for (auto v : values) text += std::to_string(v) + ',';
  };
  add(desc.get_dims());
  add(desc.get_padded_dims());
  add(desc.get_strides());
  add(desc.get_inner_blks());
  add(desc.get_inner_idxs());
  return text;
}

std::shared_ptr<const void> repack(const void* source, const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
  std::shared_ptr<void> packed = aligned_buffer(to.get_size());
  // Behind the elements lie sums of int8 in whole vectors, of which the reorder sets those that are read.
  std::size_t elements = dnnl::memory::data_type_size(to.get_data_type());
  for (const auto size : to.get_padded_dims()) elements *= static_cast<std::size_t>(size);
  if (elements < to.get_size()) std::memset(static_cast<char*>(packed.get()) + elements, 0, to.get_size() - elements);
  OneThread one;
  dnnl::memory a(from, cpu_engine(), const_cast<void*>(source)), b(to, cpu_engine(), packed.get());
  dnnl::reorder reorder;
  {
    Making making;
    reorder = dnnl::reorder(a, b);
  }
  reorder.execute(thread_stream(), a, b);
  thread_stream().wait();
  return packed;
}

Spread spread_of(const Shape& operand, const Shape& out, std::size_t channel) {
  if (operand.size() > out.size()) return Spread::None;
  const std::size_t lead = out.size() - operand.size();
  bool scalar = true, along_channel = true, full = true;
  for (std::size_t d = 0; d < out.size(); ++d) {
    const std::int64_t size = d < lead ? 1 : operand[d - lead];
    if (size != 1 && size != out[d]) return Spread::None;
    if (size != 1) scalar = false;
    if (size != 1 && d != channel) along_channel = false;
    if (size != out[d]) full = false;
  }
  return full ? Spread::Full : scalar ? Spread::Scalar : along_channel ? Spread::Channel : Spread::None;
}

bool append_posts(const std::vector<ElementStep>& steps, const std::vector<Spread>& spreads, int in_place_extra,
                  const std::function<dnnl::memory::desc(std::size_t, Spread)>& desc_of, dnnl::post_ops& ops,
                  std::vector<BinaryPost>& binaries) {
  using dnnl::algorithm;
  for (const ElementStep& step : steps) {
    if (is_binary(step.op)) {
      const std::size_t extra = static_cast<std::size_t>(step.operand);
      if (step.operand < 0 || extra >= spreads.size() || spreads[extra] == Spread::None) return false;
      if (step.operand == in_place_extra) {
        if (step.op != ElementOp::Add || spreads[extra] != Spread::Full) return false;
        ops.append_sum(1.0f);
        continue;
      }
      algorithm kind;
      switch (step.op) {
        case ElementOp::Add: kind = algorithm::binary_add; break;
        case ElementOp::Mul: kind = algorithm::binary_mul; break;
        case ElementOp::Sub: kind = algorithm::binary_sub; break;
        case ElementOp::Div: kind = algorithm::binary_div; break;
        default: return false;  // its Max and Min lose NaN
      }
      if (step.swapped && (step.op == ElementOp::Sub || step.op == ElementOp::Div)) return false;
      binaries.push_back({ops.len(), extra, spreads[extra]});
      ops.append_binary(kind, desc_of(extra, spreads[extra]));
      continue;
    }
    switch (step.op) {
      case ElementOp::Identity: break;
      case ElementOp::Abs: ops.append_eltwise(algorithm::eltwise_abs, 0.0f, 0.0f); break;
      case ElementOp::Neg: ops.append_eltwise(algorithm::eltwise_linear, -1.0f, 0.0f); break;
      case ElementOp::Sqrt: ops.append_eltwise(algorithm::eltwise_sqrt, 0.0f, 0.0f); break;
      case ElementOp::Tanh: ops.append_eltwise(algorithm::eltwise_tanh, 0.0f, 0.0f); break;
      // Its relu, clip and exp turn NaN into a number, and so does its logistic behind some convolutions; a chain
      // behind the contraction keeps it.
      default: return false;
    }
  }
  return true;
}

bool int8_is_exact() {
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::avx2_vnni:
    case dnnl::cpu_isa::avx2_vnni_2:
    case dnnl::cpu_isa::avx512_core_vnni:
    case dnnl::cpu_isa::avx512_core_bf16:
    case dnnl::cpu_isa::avx512_core_fp16:
    case dnnl::cpu_isa::avx512_core_amx:
    case dnnl::cpu_isa::avx512_core_amx_fp16: return true;
    default: return false;
  }
}

bool int8_sums_fit_float(std::int64_t depth) { return depth <= (std::int64_t{1} << 24) / (255 * 128); }

bool rounds_int8_sums(const std::string& implementation, DataType x_type, std::int64_t depth) {
  if (int8_sums_fit_float(depth)) return false;
  if (implementation.rfind("brg", 0) != 0) return true;
  return x_type != DataType::Uint8 &&
         (implementation.rfind("brg:", 0) != 0 || implementation.find("amx") == std::string::npos);
}

bool multiplies_bfloat16() {
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::avx512_core_bf16:
    case dnnl::cpu_isa::avx512_core_fp16:
    case dnnl::cpu_isa::avx512_core_amx:
    case dnnl::cpu_isa::avx512_core_amx_fp16: return true;
    default: return false;
  }
}

bool multiplies_tiles() {
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  return isa == dnnl::cpu_isa::avx512_core_amx || isa == dnnl::cpu_isa::avx512_core_amx_fp16;
}

dnnl::primitive_attr attributes(const dnnl::post_ops& ops) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attr.set_post_ops(ops);
  return attr;
}

void Execution::run(const dnnl::primitive& primitive) const {
  const dnnl_status_t status =
      dnnl_primitive_execute(primitive.get(), thread_stream().get(), static_cast<int>(args.size()), args.data());
  if (status != dnnl_success)
    throw Error(ErrorCode::Internal, "oneDNN failed to run a primitive (status " + std::to_string(status) + ")");
}

}  // namespace norn::kernels
