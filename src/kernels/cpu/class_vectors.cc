// A part of the output is filled with off, and what is on is written while the part lies in the first cache; in the
// second one where it consists of stretches of many rows, which had better be long.
#include "kernels/cpu/class_vectors.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace class_vectors_cc {
namespace {

constexpr std::int64_t kPartBytes = 16384, kStretchesBytes = 256 << 10;

class ClassVectors final : public Kernel {
 public:
  explicit ClassVectors(const ClassVectorsConfig& c)
      : c_(c),
        columns_(c.depth * c.inner <= elements(kPartBytes)
                     ? c.inner
                     : std::clamp<std::int64_t>(elements(kStretchesBytes) / c.depth, std::min(kLeastColumns, c.inner),
                                                c.inner)) {}

  void run(void* const* operands, void*) const override {
    switch (c_.element_bytes) {
      case 1: return of_element<std::uint8_t>(operands);
      case 2: return of_element<std::uint16_t>(operands);
      case 4: return of_element<std::uint32_t>(operands);
      default: return of_element<std::uint64_t>(operands);
    }
  }

 private:
  static constexpr std::int64_t kLeastColumns = 64;  // so that a row of a part is worth a call
  std::int64_t elements(std::int64_t bytes) const { return bytes / static_cast<std::int64_t>(c_.element_bytes); }

  template <class T>
  void of_element(void* const* operands) const {
    switch (c_.classes) {
      case DataType::Int32: return of_types<T, std::int32_t>(operands);
      case DataType::Uint64: return of_types<T, std::uint64_t>(operands);
      default: return of_types<T, std::int64_t>(operands);
    }
  }

  template <class T, class I>
  void of_types(void* const* operands) const {
    const I* classes = static_cast<const I*>(operands[0]);
    const T off = static_cast<const T*>(operands[1])[0], on = static_cast<const T*>(operands[1])[1];
    T* out = static_cast<T*>(operands[2]);
    const std::int64_t depth = c_.depth, inner = c_.inner;
    const auto mark = [&](T* to, I number, std::int64_t step) {
      std::uint64_t at = static_cast<std::uint64_t>(number);
      if constexpr (std::is_signed_v<I>)
        if (number < 0) at += static_cast<std::uint64_t>(depth);
      if (at < static_cast<std::uint64_t>(depth)) to[static_cast<std::int64_t>(at) * step] = on;
    };
    const double unit_ns = 2 + static_cast<double>(depth * static_cast<std::int64_t>(sizeof(T))) * 0.02;
    if (columns_ == inner) {  // whole blocks of depth * inner elements
      const std::int64_t blocks = std::max<std::int64_t>(1, elements(kPartBytes) / (depth * inner));
      parallel_ranges(c_.outer, unit_ns * static_cast<double>(inner), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t first = begin; first < end; first += blocks) {
          const std::int64_t n = std::min(blocks, end - first);
          T* const part = out + first * depth * inner;
          fill_elements(part, &off, sizeof(T), n * depth * inner);
          for (std::int64_t o = 0; o < n; ++o)
            for (std::int64_t i = 0; i < inner; ++i)
              mark(part + o * depth * inner + i, classes[(first + o) * inner + i], inner);
        }
      });
      return;
    }
    const std::int64_t parts = (inner + columns_ - 1) / columns_;
    parallel_ranges(c_.outer * parts, unit_ns * static_cast<double>(columns_), 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t p = begin; p < end; ++p) {
                        const std::int64_t o = p / parts, first = p % parts * columns_;
                        const std::int64_t n = std::min(columns_, inner - first);
                        T* const part = out + o * depth * inner + first;
                        for (std::int64_t k = 0; k < depth; ++k) fill_elements(part + k * inner, &off, sizeof(T), n);
                        for (std::int64_t i = 0; i < n; ++i) mark(part + i, classes[o * inner + first + i], inner);
                      }
                    });
  }

  ClassVectorsConfig c_;
  std::int64_t columns_;  // of a part
};

std::string refuses(const ClassVectorsConfig& c) {
  if (c.outer < 1 || c.depth < 1 || c.inner < 1) return "there are no elements";
  if (c.classes != DataType::Int32 && c.classes != DataType::Int64 && c.classes != DataType::Uint64)
    return "takes no classes of " + std::string(data_type_name(c.classes));
  if (c.element_bytes != 1 && c.element_bytes != 2 && c.element_bytes != 4 && c.element_bytes != 8)
    return "has no elements of " + std::to_string(c.element_bytes) + " bytes";
  const Shape dims = {c.outer, c.depth, c.inner, 8};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make(const ClassVectorsConfig& c, PackedConstants&) {
  return std::make_unique<ClassVectors>(c);
}

constexpr Candidate<ClassVectorsConfig> kCandidates[] = {{"class_vectors", refuses, make}};

}  // namespace
}  // namespace class_vectors_cc

std::span<const Candidate<ClassVectorsConfig>> class_vectors_candidates() { return kCandidates; }

}  // namespace norn::kernels
