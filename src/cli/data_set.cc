#include "data_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <utility>

#include "command.h"
#include "value_text.h"

namespace norn::cli {

namespace fs = std::filesystem;

namespace {

// PREFIX0.pb, PREFIX1.pb, ..., by their numbers.
std::map<std::size_t, std::string> numbered(const fs::path& folder, const std::string& prefix) {
  std::map<std::size_t, std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    std::size_t number = 0;
    if (!name.starts_with(prefix)) continue;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (name == prefix + std::to_string(number) + ".pb") files.emplace(number, entry.path().string());
  }
  return files;
}

std::optional<DataSet> set_in(const fs::path& folder) {
  DataSet set{folder.filename().string(), numbered(folder, "input_"), numbered(folder, "output_")};
  if (set.inputs.empty() && set.outputs.empty()) return {};
  return set;
}

bool natural_less(const DataSet& a, const DataSet& b) {  // test_data_set_2 before test_data_set_10
  return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
}

bool is_float(DataType type) {
  switch (type) {
    case DataType::Float:
    case DataType::Double:
    case DataType::Float16:
    case DataType::BFloat16:
    case DataType::Complex64:
    case DataType::Complex128:
    case DataType::Float8E4M3FN:
    case DataType::Float8E4M3FNUZ:
    case DataType::Float8E5M2:
    case DataType::Float8E5M2FNUZ:
    case DataType::Float8E8M0:
    case DataType::Float6E2M3:
    case DataType::Float6E3M2:
    case DataType::Float4E2M1: return true;
    default: return false;
  }
}

// Compares values and parts of values. The first part that differs is reported, and the largest difference of all.
class Comparer {
 public:
  explicit Comparer(const Tolerance& tolerance) : tolerance_(tolerance) {}

  Comparison result;

  void values(const Value& got, const Value& wanted, const std::string& where) {
    if (got.is_tensor() && wanted.is_tensor()) {
      tensors(got.tensor(), wanted.tensor(), where);
    } else if (got.is_sequence() && wanted.is_sequence()) {
      const auto &a = got.sequence().items, &b = wanted.sequence().items;
      if (a.size() != b.size()) differ(where, fmt::format("{} items instead of {}", a.size(), b.size()));
      for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        values(a[i], b[i], where + fmt::format("item {}: ", i));
    } else if (got.is_map() && wanted.is_map()) {
      maps(got.map(), wanted.map(), where);
    } else if (got.is_sparse() && wanted.is_sparse()) {
      const SparseTensor &a = got.sparse(), &b = wanted.sparse();
      if (a.dims != b.dims) return differ(where, to_string(a.dims) + " instead of " + to_string(b.dims));
      tensors(a.indices, b.indices, where + "indices: ");
      tensors(a.values, b.values, where);
    } else if (!got.is_empty() || !wanted.is_empty()) {
      differ(where, got.describe() + " instead of " + wanted.describe());
    }
  }

 private:
  void differ(const std::string& where, const std::string& what) {
    if (result.difference.empty()) result.difference = where + what;
  }

  // Keys have no order.
  void maps(const Map& got, const Map& wanted, const std::string& where) {
    if (got.keys.dtype() != wanted.keys.dtype() || got.keys.size() != wanted.keys.size()) {
      return differ(where,
                    fmt::format("{} keys of {} instead of {} of {}", got.keys.size(), data_type_name(got.keys.dtype()),
                                wanted.keys.size(), data_type_name(wanted.keys.dtype())));
    }
    std::map<std::string, std::size_t> places;
    for (std::int64_t i = 0; i < got.keys.size(); ++i) places[text_at(got.keys, i)] = static_cast<std::size_t>(i);
    for (std::int64_t i = 0; i < wanted.keys.size(); ++i) {
      const std::string key = text_at(wanted.keys, i);
      const auto place = places.find(key);
      if (place == places.end()) return differ(where, "there is no key " + key);
      values(got.values[place->second], wanted.values[static_cast<std::size_t>(i)], where + "key " + key + ": ");
    }
  }

  void tensors(const Tensor& got, const Tensor& wanted, const std::string& where) {
    if (got.dtype() != wanted.dtype() || got.dims() != wanted.dims()) {
      return differ(where, fmt::format("{}{} instead of {}{}", data_type_name(got.dtype()), to_string(got.dims()),
                                       data_type_name(wanted.dtype()), to_string(wanted.dims())));
    }
    const bool complex = got.dtype() == DataType::Complex64 || got.dtype() == DataType::Complex128;
    // A complex tensor is compared as twice as many real numbers.
    const DataType real = got.dtype() == DataType::Complex64 ? DataType::Float : DataType::Double;
    const auto view = [&](const Tensor& t) {
      return complex ? Tensor::borrow(real, {t.size() * 2}, const_cast<void*>(t.data()), t.owner()) : t;
    };
    const Tensor a = view(got), b = view(wanted);
    const bool rough = got.dtype() == DataType::BFloat16 && tolerance_.relative == Tolerance{}.relative;
    const double relative = rough ? 0x1p-6 : tolerance_.relative;
    std::int64_t wrong = 0, worst = -1, last_wrong = -1;
    double worst_error = -1;
    for (std::int64_t i = 0; i < a.size(); ++i) {
      double error = 0;
      bool same = false;
      if (a.dtype() == DataType::String) {
        same = a.as<std::string>()[i] == b.as<std::string>()[i];
      } else {
        const double x = *number_at(a, i), y = *number_at(b, i);
        same = x == y || (std::isnan(x) && std::isnan(y));
        if (!same) error = std::abs(x - y);
        if (!std::isfinite(error)) error = HUGE_VAL;
        if (is_float(a.dtype())) {
          same = same || (std::isfinite(y) && error <= tolerance_.absolute + relative * std::abs(y));
        } else if (same) {  // 64 bits are more than a double has
          const std::size_t size = element_size(a.dtype()), offset = static_cast<std::size_t>(i) * size;
          same = std::memcmp(a.as<std::byte>() + offset, b.as<std::byte>() + offset, size) == 0;
        }
        result.largest = std::max(result.largest.value_or(0), error);
      }
      if (same) continue;
      const std::int64_t element = complex ? i / 2 : i;
      if (element != last_wrong) ++wrong;
      last_wrong = element;
      if (error > worst_error) {
        worst_error = error;
        worst = element;
      }
    }
    if (wrong == 0) return;
    differ(where, fmt::format("{} of {} elements differ; the worst, element {}, is {} instead of {}", wrong, got.size(),
                              worst, text_at(got, worst), text_at(wanted, worst)));
  }

  Tolerance tolerance_;
};

}  // namespace

std::vector<DataSet> find_data_sets(const std::string& folder, const std::string& model_path) {
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown)) throw UsageError("\"" + folder + "\" is not a folder");
  if (auto set = set_in(folder)) return {*set};
  std::vector<DataSet> sets;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory() || !entry.path().filename().string().starts_with("test_data_set")) continue;
    if (auto set = set_in(entry.path())) sets.push_back(*set);
  }
  std::ranges::sort(sets, natural_less);
  if (sets.empty()) {
    const std::string stem = fs::path(model_path).stem().string();
    DataSet set{stem, {}, numbered(folder, stem + "_output_"), true};
    if (!set.outputs.empty()) sets.push_back(set);
  }
  if (sets.empty()) {
    throw UsageError("there is no test data in \"" + folder + "\"",
                     "expected input_0.pb and output_0.pb, folders test_data_set_N with them, or " +
                         fs::path(model_path).stem().string() + "_output_0.pb");
  }
  return sets;
}

Comparison compare(const Value& got, const Value& wanted, const Tolerance& tolerance) {
  Comparer comparer(tolerance);
  comparer.values(got, wanted, "");
  return std::move(comparer.result);
}

}  // namespace norn::cli
