#include "kernels/cpu/lookup.h"

#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "base/text.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "norn/error.h"

namespace norn::kernels {

// Positions of keys: integers in a hash table with open addresses, or directly where they lie close together.
class PackedLookup {
 public:
  explicit PackedLookup(LookupTable given) : table(std::move(given)) {
    if (table.x == DataType::String) {
      for (std::size_t i = 0; i < table.names.size(); ++i) names_.emplace(table.names[i], i);
      return;
    }
    std::size_t size = 16;
    while (size < 2 * table.keys.size()) size *= 2;
    shift_ = 64 - std::countr_zero(size);
    slots_.assign(size, {0, kNone});
    for (std::size_t i = 0; i < table.keys.size(); ++i) {
      std::size_t at = place(table.keys[i]);
      while (slots_[at].position != kNone) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {table.keys[i], i};
    }
  }
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t find(std::int64_t key) const {
    for (std::size_t at = place(key);; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].position == kNone || slots_[at].key == key) return slots_[at].position;
  }
  std::size_t find(const std::string& key) const {
    const auto at = names_.find(key);
    return at == names_.end() ? kNone : at->second;
  }

  const LookupTable table;

 private:
  struct Slot {
    std::int64_t key;
    std::size_t position;
  };
  std::size_t place(std::int64_t key) const {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u) >> shift_);
  }

  std::unordered_map<std::string_view, std::size_t> names_;
  std::vector<Slot> slots_;  // twice as many as keys, so one is free
  int shift_ = 60;
};

inline namespace lookup_cc {
namespace {

class Lookup final : public Kernel {
 public:
  explicit Lookup(const LookupConfig& c) : c_(c) {}

  void run(void* const* operands, void*) const override {
    const double ns = c_.table->table.x == DataType::String ? 40 : 3;
    parallel_ranges(c_.size, ns, 1, [&](std::int64_t begin, std::int64_t end) {
      switch (c_.table->table.x) {
        case DataType::String:
          return write<std::string>(operands, begin, end, [](const std::string& x) -> auto& { return x; });
        case DataType::Float:
          if (c_.table->table.bitwise)
            return write<float>(operands, begin, end,
                                [](float x) { return std::int64_t{std::bit_cast<std::int32_t>(x)}; });
          return write<float>(operands, begin, end, [](float x) { return canonical(static_cast<double>(x)); });
        case DataType::Double: return write<double>(operands, begin, end, canonical);
        case DataType::Int64: return write<std::int64_t>(operands, begin, end, [](std::int64_t x) { return x; });
        case DataType::Int32:
          return write<std::int32_t>(operands, begin, end, [](std::int32_t x) { return std::int64_t{x}; });
        default: return write<std::int16_t>(operands, begin, end, [](std::int16_t x) { return std::int64_t{x}; });
      }
    });
  }

 private:
  static std::int64_t canonical(double x) {
    return std::bit_cast<std::int64_t>(std::isnan(x) ? std::nan("") : x == 0 ? 0.0 : x);
  }
  template <class X, class Key>
  void write(void* const* operands, std::int64_t begin, std::int64_t end, Key key) const {
    const auto* x = static_cast<const X*>(operands[0]);
    const DataType type = c_.table->table.values.dtype();
    if (type == DataType::String) return write_as<std::string>(x, operands[1], begin, end, key);
    switch (element_size(type)) {
      case 2: return write_as<std::uint16_t>(x, operands[1], begin, end, key);
      case 4: return write_as<std::uint32_t>(x, operands[1], begin, end, key);
      default: return write_as<std::uint64_t>(x, operands[1], begin, end, key);
    }
  }
  template <class Y, class X, class Key>
  void write_as(const X* x, void* out, std::int64_t begin, std::int64_t end, Key key) const {
    auto* y = static_cast<Y*>(out);
    const auto* values = static_cast<const Y*>(c_.table->table.values.data());
    const auto* otherwise = static_cast<const Y*>(c_.table->table.otherwise.data());
    for (std::int64_t i = begin; i < end; ++i) {
      const std::size_t at = c_.table->find(key(x[i]));
      y[i] = at == PackedLookup::kNone ? *otherwise : values[at];
    }
  }

  LookupConfig c_;
};

class OneHot final : public Kernel {
 public:
  explicit OneHot(const OneHotConfig& c) : c_(c) {}

  void run(void* const* operands, void*) const override {
    parallel_ranges(c_.size, 10 + 0.2 * static_cast<double>(c_.width), 1, [&](std::int64_t begin, std::int64_t end) {
      const auto with = [&]<class X>(const X&) {
        write(static_cast<const X*>(operands[0]), static_cast<float*>(operands[1]), begin, end);
      };
      switch (c_.table->table.x) {
        case DataType::String: return with(std::string());
        case DataType::Float: return with(float{});
        case DataType::Double: return with(double{});
        case DataType::Int32: return with(std::int32_t{});
        default: return with(std::int64_t{});
      }
    });
  }

 private:
  template <class X>
  void write(const X* x, float* y, std::int64_t begin, std::int64_t end) const {
    const auto* places = static_cast<const std::int64_t*>(c_.table->table.values.data());
    std::fill(y + begin * c_.width, y + end * c_.width, 0.0f);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::size_t at = find(x[i]);
      if (at != PackedLookup::kNone) y[i * c_.width + places[at]] = 1;
    }
  }
  // Floats are cut to integers.
  template <class X>
  std::size_t find(const X& x) const {
    std::size_t at = PackedLookup::kNone;
    if constexpr (!std::is_floating_point_v<X>)
      at = c_.table->find(x);
    else if (x >= X{-0x1p63} && x < X{0x1p63})
      at = c_.table->find(static_cast<std::int64_t>(x));
    if (at == PackedLookup::kNone && !c_.zeros) {
      std::string text;
      if constexpr (std::is_same_v<X, std::string>)
        text = base::quoted(x);
      else
        text = std::to_string(x);
      throw Error(ErrorCode::RuntimeError, text + " is not one of the categories", {},
                  "set zeros to 1 for a row of zeros");
    }
    return at;
  }

  OneHotConfig c_;
};

std::string one_hot_refuses(const OneHotConfig& c) {
  const DataType type = c.table->table.x;
  if (type != DataType::String && type != DataType::Int64 && type != DataType::Int32 && type != DataType::Float &&
      type != DataType::Double)
    return "takes no " + std::string(data_type_name(type));
  const Shape y = {c.size, c.width};
  return extent_refusal({&y});
}
std::unique_ptr<Kernel> make_one_hot(const OneHotConfig& c, PackedConstants&) { return std::make_unique<OneHot>(c); }

std::string refuses(const LookupConfig& c) {
  for (const DataType type : {c.table->table.x, c.table->table.values.dtype()})
    if (type != DataType::String && type != DataType::Float && type != DataType::Double && type != DataType::Int64 &&
        type != DataType::Int32 && type != DataType::Int16)
      return "takes no " + std::string(data_type_name(type));
  return c.size > kMostExtent ? "a tensor larger than any memory" : "";
}
std::unique_ptr<Kernel> make(const LookupConfig& c, PackedConstants&) { return std::make_unique<Lookup>(c); }

constexpr Candidate<LookupConfig> kLookupCandidates[] = {{"hashed", refuses, make}};
constexpr Candidate<OneHotConfig> kOneHot[] = {{"hashed", one_hot_refuses, make_one_hot}};

}  // namespace
}  // namespace lookup_cc

std::shared_ptr<const PackedLookup> pack_lookup(LookupTable table) {
  return std::make_shared<PackedLookup>(std::move(table));
}

std::span<const Candidate<LookupConfig>> lookup_candidates() { return kLookupCandidates; }
std::span<const Candidate<OneHotConfig>> one_hot_candidates() { return kOneHot; }

}  // namespace norn::kernels
