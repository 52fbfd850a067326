#include "kernels/cpu/columns.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cpu/by_four.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace columns_cc {
namespace {

class Pick final : public Kernel {
 public:
  explicit Pick(const PickConfig& c) : c_(c) {}

  void run(void* const* operands, void*) const override {
    const auto* places = static_cast<const std::int64_t*>(operands[1]);
    std::int64_t signs = 0;
    for (std::int64_t k = 0; k < c_.count; ++k) {
      signs |= places[k];
      if (places[k] < -c_.columns || places[k] >= c_.columns)
        throw Error(ErrorCode::RuntimeError, "the position " + std::to_string(places[k]) + " is outside of a row of " +
                                                 std::to_string(c_.columns));
    }
    if (signs < 0) {
      std::vector<std::int64_t> from_front(places, places + c_.count);
      for (std::int64_t& place : from_front) place += place < 0 ? c_.columns : 0;
      pick(operands, from_front.data());
    } else {
      pick(operands, places);
    }
  }

 private:
  void pick(void* const* operands, const std::int64_t* places) const {
    switch (c_.element_bytes) {
      case 1: return rows<std::uint8_t>(operands, places);
      case 2: return rows<std::uint16_t>(operands, places);
      case 4: return rows<std::uint32_t>(operands, places);
      default: return rows<std::uint64_t>(operands, places);
    }
  }
  template <class T>
  void rows(void* const* operands, const std::int64_t* places) const {
    const double row_ns = 3 + 0.7 * static_cast<double>(c_.count);
    parallel_ranges(c_.rows, row_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const T* x = static_cast<const T*>(operands[0]) + r * c_.columns;
        T* out = static_cast<T*>(operands[2]) + r * c_.count;
        by_four(c_.count, [=](std::int64_t k) { out[k] = x[places[k]]; });
      }
    });
  }

  PickConfig c_;
};

std::string pick_refuses(const PickConfig& c) {
  if (c.element_bytes > 8) return "elements of more than 8 bytes";
  const Shape x = {c.rows, c.columns, 8}, y = {c.rows, c.count, 8};
  return extent_refusal({&x, &y});
}
std::unique_ptr<Kernel> make_pick(const PickConfig& c, PackedConstants&) { return std::make_unique<Pick>(c); }

class Impute final : public Kernel {
 public:
  explicit Impute(const ImputeConfig& c) : c_(c) {
    const std::size_t given = is_real(c.type) ? c.by->floats.size() : c.by->ints.size();
    elements_ = c.rows * c.columns;
    one_ = given == 1;
    if (one_) c_.columns = std::int64_t{1} << 12;  // rows may be of any length then
  }
  static bool is_real(DataType type) { return type == DataType::Float || type == DataType::Double; }

  void run(void* const* operands, void*) const override {
    switch (c_.type) {
      case DataType::Float: return rows<float>(operands, c_.by->floats, c_.by->float_mark);
      case DataType::Double: return rows<double>(operands, c_.by->floats, c_.by->float_mark);
      case DataType::Int32: return rows<std::int32_t>(operands, c_.by->ints, c_.by->int_mark);
      default: return rows<std::int64_t>(operands, c_.by->ints, c_.by->int_mark);
    }
  }

 private:
  template <class T, class List, class Mark>
  void rows(void* const* operands, const List& by, Mark mark) const {
    const std::int64_t count = (elements_ + c_.columns - 1) / c_.columns;
    parallel_ranges(count, 5 + 0.5 * static_cast<double>(c_.columns), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const std::int64_t at = r * c_.columns, n = std::min(c_.columns, elements_ - at);
        const T* x = static_cast<const T*>(operands[0]) + at;
        T* out = static_cast<T*>(operands[1]) + at;
        const auto with = [&](const auto& marked) {
          if (one_)
            for (std::int64_t i = 0; i < n; ++i) out[i] = marked(x[i]) ? static_cast<T>(by.front()) : x[i];
          else
            for (std::int64_t i = 0; i < n; ++i)
              out[i] = marked(x[i]) ? static_cast<T>(by[static_cast<std::size_t>(i)]) : x[i];
        };
        if (mark != mark)
          with([](T v) { return v != v; });
        else
          with([mark](T v) { return equal(v, mark); });
      }
    });
  }
  // A mark that the type cannot hold equals no element.
  template <class T, class Mark>
  static bool equal(T v, Mark mark) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<std::int64_t>(v) == mark;
    else
      return v == static_cast<T>(mark);
  }

  ImputeConfig c_;
  std::int64_t elements_ = 0;
  bool one_ = false;
};

std::string impute_refuses(const ImputeConfig& c) {
  const bool real = Impute::is_real(c.type);
  if (!real && c.type != DataType::Int32 && c.type != DataType::Int64)
    return "takes no " + std::string(data_type_name(c.type));
  const auto given = static_cast<std::int64_t>(real ? c.by->floats.size() : c.by->ints.size());
  if (given != 1 && given != c.columns) return "another number of columns";
  const Shape x = {c.rows, c.columns, 8};
  if (std::string why = extent_refusal({&x}); !why.empty()) return why;
  return c.rows < 1 || c.columns < 1 ? "an empty tensor" : "";
}
std::unique_ptr<Kernel> make_impute(const ImputeConfig& c, PackedConstants&) { return std::make_unique<Impute>(c); }

constexpr Candidate<PickConfig> kPick[] = {{"columns", pick_refuses, make_pick}};
constexpr Candidate<ImputeConfig> kImpute[] = {{"columns", impute_refuses, make_impute}};

}  // namespace
}  // namespace columns_cc

std::span<const Candidate<PickConfig>> pick_candidates() { return kPick; }
std::span<const Candidate<ImputeConfig>> impute_candidates() { return kImpute; }

}  // namespace norn::kernels
