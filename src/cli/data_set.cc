#include "data_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>

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
    case DataType::Complex128: return true;
    default: return false;
  }
}

std::optional<std::string> tensor_difference(const Tensor& got, const Tensor& wanted, const Tolerance& tolerance) {
  if (got.dtype() != wanted.dtype() || got.dims() != wanted.dims()) {
    return fmt::format("{}{} instead of {}{}", data_type_name(got.dtype()), to_string(got.dims()),
                       data_type_name(wanted.dtype()), to_string(wanted.dims()));
  }
  const bool complex = got.dtype() == DataType::Complex64 || got.dtype() == DataType::Complex128;
  // A complex tensor is compared as twice as many real numbers.
  const DataType real = got.dtype() == DataType::Complex64 ? DataType::Float : DataType::Double;
  const auto view = [&](const Tensor& t) {
    return complex ? Tensor::borrow(real, {t.size() * 2}, const_cast<void*>(t.data()), t.owner()) : t;
  };
  const Tensor a = view(got), b = view(wanted);
  std::int64_t wrong = 0, worst = -1;
  double worst_error = -1;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    double error = 0;
    bool same = false;
    if (is_float(a.dtype())) {
      const double x = *number_at(a, i), y = *number_at(b, i);
      error = std::abs(x - y);
      same = x == y || (std::isnan(x) && std::isnan(y)) ||
             (std::isfinite(y) && error <= tolerance.absolute + tolerance.relative * std::abs(y));
      if (!same && !std::isfinite(error)) error = HUGE_VAL;
    } else if (a.dtype() == DataType::String) {
      same = a.as<std::string>()[i] == b.as<std::string>()[i];
    } else {
      const std::size_t size = element_size(a.dtype());
      const auto offset = static_cast<std::size_t>(i) * size;
      same = std::memcmp(a.as<std::byte>() + offset, b.as<std::byte>() + offset, size) == 0;
    }
    if (same) continue;
    ++wrong;
    if (error > worst_error) {
      worst_error = error;
      worst = i;
    }
  }
  if (wrong == 0) return {};
  return fmt::format("{} of {} elements differ; the worst, element {}, is {} instead of {}", wrong, a.size(), worst,
                     text_at(a, worst), text_at(b, worst));
}

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

std::optional<std::string> difference(const Value& got, const Value& wanted, const Tolerance& tolerance) {
  if (got.is_tensor() && wanted.is_tensor()) return tensor_difference(got.tensor(), wanted.tensor(), tolerance);
  if (got.is_sequence() && wanted.is_sequence()) {
    const auto &a = got.sequence().items, &b = wanted.sequence().items;
    if (a.size() != b.size()) return fmt::format("{} items instead of {}", a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (auto found = difference(a[i], b[i], tolerance)) return fmt::format("item {}: {}", i, *found);
    }
    return {};
  }
  if (got.is_map() && wanted.is_map()) {
    const Map &a = got.map(), &b = wanted.map();
    if (auto keys = tensor_difference(a.keys, b.keys, tolerance)) return "keys: " + *keys;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      if (auto found = difference(a.values[i], b.values[i], tolerance)) {
        return "key " + text_at(a.keys, static_cast<std::int64_t>(i)) + ": " + *found;
      }
    }
    return {};
  }
  if (got.is_sparse() && wanted.is_sparse()) {
    const SparseTensor &a = got.sparse(), &b = wanted.sparse();
    if (a.dims != b.dims) return to_string(a.dims) + " instead of " + to_string(b.dims);
    if (auto indices = tensor_difference(a.indices, b.indices, tolerance)) return "indices: " + *indices;
    return tensor_difference(a.values, b.values, tolerance);
  }
  if (got.is_empty() && wanted.is_empty()) return {};
  return got.describe() + " instead of " + wanted.describe();
}

}  // namespace norn::cli
