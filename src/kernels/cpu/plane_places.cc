// An output row at a time, tap by tap: each tap goes along the row where it meets the input.
#include "kernels/cpu/plane_places.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace plane_places_cc {
namespace {

// T: what half types are computed in, else the elements.
template <class T>
class PlanePlaces final : public Kernel {
 public:
  explicit PlanePlaces(const PlanePlacesConfig& c)
      : column_major_(c.column_major), halves_(c.pool.type), loop_(places_loop<T>()) {
    const PlanePoolConfig& p = c.pool;
    in_ = spatial3(p.x, 2, 1);
    out_ = spatial3(p.out, 2, 1);
    window_ = spatial3(p.window, 0, 1);
    strides_ = spatial3(p.strides, 0, 1);
    dilations_ = spatial3(p.dilations, 0, 1);
    begin_ = spatial3(p.pads_begin, 0, 0);
    planes_ = p.x[0] * p.x[1];
    in_size_ = in_[0] * in_[1] * in_[2];
    out_size_ = out_[0] * out_[1] * out_[2];
    const double taps = static_cast<double>(window_[0]) * static_cast<double>(window_[1] * window_[2]);
    tasks_ = piece_count(planes_, static_cast<double>(out_size_) * taps * 0.3 + 100);
    const auto bytes = [](std::int64_t n, std::size_t each) { return align64(static_cast<std::size_t>(n) * each); };
    places_at_ = bytes(out_[2], sizeof(T));
    plane_at_ = places_at_ + bytes(out_[2], sizeof(std::int32_t));
    task_bytes_ = plane_at_ + (halves_ ? bytes(in_size_, sizeof(T)) : 0);
  }
  std::size_t scratch_bytes() const override { return task_bytes_ * static_cast<std::size_t>(tasks_); }

  void run(void* const* operands, void* scratch) const override {
    base::parallel_for(tasks_, [&](std::int64_t task) {
      std::byte* const own = static_cast<std::byte*>(scratch) + task_bytes_ * static_cast<std::size_t>(task);
      for (auto [p, last_p] = base::part_of(planes_, tasks_, task); p < last_p; ++p) plane(operands, p, own);
    });
  }

 private:
  void plane(void* const* operands, std::int64_t p, std::byte* own) const {
    const std::size_t size = halves_ ? 2 : sizeof(T);
    const std::byte* given = static_cast<const std::byte*>(operands[0]) + static_cast<std::size_t>(p * in_size_) * size;
    const T* x = reinterpret_cast<const T*>(given);
    if (halves_) {
      T* const wide = reinterpret_cast<T*>(own + plane_at_);
      halves_.widen(given, wide, in_size_);
      x = wide;
    }
    T* const best = reinterpret_cast<T*>(own);
    auto* const places = reinterpret_cast<std::int32_t*>(own + places_at_);
    const std::int64_t w = out_[2];
    for (std::int64_t z = 0; z < out_[0]; ++z)
      for (std::int64_t y = 0; y < out_[1]; ++y) {
        using Limits = std::numeric_limits<T>;
        std::fill_n(best, w, Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
        std::fill_n(places, w, -1);
        row(x, z, y, best, places);
        const std::int64_t at = p * out_size_ + (z * out_[1] + y) * w;
        if (auto* const maxima = static_cast<std::byte*>(operands[1])) {
          std::byte* const to = maxima + static_cast<std::size_t>(at) * size;
          if (halves_)
            halves_.narrow(best, to, w);
          else
            std::copy_n(best, w, reinterpret_cast<T*>(to));
        }
        if (auto* const offsets = static_cast<std::int64_t*>(operands[2]))
          for (std::int64_t i = 0; i < w; ++i) offsets[at + i] = offset(p, places[i]);
      }
  }
  // The taps of an output row.
  void row(const T* x, std::int64_t z, std::int64_t y, T* best, std::int32_t* places) const {
    for (std::int64_t kz = 0; kz < window_[0]; ++kz) {
      const std::int64_t from_z = z * strides_[0] - begin_[0] + kz * dilations_[0];
      if (from_z < 0 || from_z >= in_[0]) continue;
      for (std::int64_t ky = 0; ky < window_[1]; ++ky) {
        const std::int64_t from_y = y * strides_[1] - begin_[1] + ky * dilations_[1];
        if (from_y < 0 || from_y >= in_[1]) continue;
        const std::int64_t line = (from_z * in_[1] + from_y) * in_[2];
        for (std::int64_t kx = 0; kx < window_[2]; ++kx) {
          const std::int64_t shift = kx * dilations_[2] - begin_[2], step = strides_[2];
          const std::int64_t low = shift >= 0 ? 0 : (-shift + step - 1) / step;
          const std::int64_t high = shift >= in_[2] ? 0 : std::min(out_[2], (in_[2] - 1 - shift) / step + 1);
          if (low >= high) continue;
          const std::int64_t first = line + low * step + shift;
          loop_(x + first, high - low, step, best + low, places + low, static_cast<std::int32_t>(first));
        }
      }
    }
  }
  std::int64_t offset(std::int64_t p, std::int64_t place) const {
    if (place < 0) return -1;
    if (!column_major_) return p * in_size_ + place;
    const std::int64_t x = place % in_[2], y = place / in_[2] % in_[1], z = place / in_[2] / in_[1];
    return p * in_size_ + (x * in_[1] + y) * in_[0] + z;
  }

  bool column_major_;
  Halves halves_;
  PlacesLoop<T> loop_;
  Spatial3 in_{}, out_{}, window_{}, strides_{}, dilations_{}, begin_{};
  std::int64_t planes_ = 1, in_size_ = 1, out_size_ = 1, tasks_ = 1;
  std::size_t places_at_ = 0, plane_at_ = 0, task_bytes_ = 0;  // of scratch memory
};

std::string refuses(const PlanePlacesConfig& c) {
  if (c.pool.kind != PoolKind::Max) return "gives the places of maxima";
  if (std::string why = plane_pool_refusal(c.pool); !why.empty()) return why;
  if (!bounded_product({element_count(c.pool.x) / (c.pool.x[0] * c.pool.x[1])},
                       std::numeric_limits<std::int32_t>::max()))
    return "planes of 2^31 elements";
  return "";
}
std::unique_ptr<Kernel> make(const PlanePlacesConfig& c, PackedConstants&) {
  switch (c.pool.type) {
    case DataType::Float:
    case DataType::Float16:
    case DataType::BFloat16: return std::make_unique<PlanePlaces<float>>(c);
    case DataType::Double: return std::make_unique<PlanePlaces<double>>(c);
    case DataType::Int8: return std::make_unique<PlanePlaces<std::int8_t>>(c);
    default: return std::make_unique<PlanePlaces<std::uint8_t>>(c);
  }
}

constexpr Candidate<PlanePlacesConfig> kPlanePlacesCandidates[] = {{"places", refuses, make}};

}  // namespace
}  // namespace plane_places_cc

std::span<const Candidate<PlanePlacesConfig>> plane_places_candidates() { return kPlanePlacesCandidates; }

}  // namespace norn::kernels
