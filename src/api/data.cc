#include "norn/data.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "api/data_content.h"
#include "base/element_bytes.h"
#include "base/mapped_file.h"
#include "base/path.h"
#include "base/text.h"
#include "format/bounds.h"
#include "format/data_file.h"
#include "format/external.h"
#include "format/notation.h"
#include "format/npy.h"
#include "format/npz.h"
#include "ir/tensor_data.h"

namespace norn {
namespace {

std::string extension(const std::string& path) {
  const auto dot = path.rfind('.');
  if (dot == std::string::npos || path.find('/', dot) != std::string::npos) return {};
  std::string text = path.substr(dot);
  std::transform(text.begin(), text.end(), text.begin(), base::lower);
  return text;
}

ir::Bytes bytes_of(const base::FileBytes& file) { return {file.bytes.data(), file.bytes.size(), file.owner}; }

bool is_npz(const std::string& path, const ir::Bytes& bytes) {
  return extension(path) == ".npz" || format::is_zip(bytes);
}

bool is_npy(const std::string& path, const ir::Bytes& bytes) {
  return ir::as_text(bytes).starts_with("\x93NUMPY") || extension(path) == ".npy";
}

std::pair<std::string, Value> message_of(const std::string& path, const ir::Bytes& bytes, std::optional<DataKind> kind,
                                         const Limits& limits) {
  const format::Bounds bounds(bytes.size(), limits);
  const ir::ExternalReader files = format::external_reader(base::folder_of(path));
  const auto external = [&](const ir::Tensor& tensor) {
    ir::Bytes data = files(tensor);
    bounds.check_payload(data.size(), "the external data", [&] { return ir::describe(tensor); });
    return data;
  };
  const DataKind as = kind ? *kind : data_kind(bytes.span(), limits);
  try {
    return format::with_data(bytes, as, limits, [&](const auto& message) {
      if (kind) refuse_other_kind(bytes, as, limits, message);
      return format::named_value(message, external);
    });
  } catch (Error& e) {
    if (e.code() == ErrorCode::InvalidProtobuf || e.code() == ErrorCode::InvalidGraph) {
      e.help("a .pb file does not say which message it holds; this one was read as " + message_name(as));
    }
    throw;
  }
}

}  // namespace

bool is_numpy(const std::string& path, const base::FileBytes& file) {
  const ir::Bytes bytes = bytes_of(file);
  return is_npz(path, bytes) || is_npy(path, bytes);
}

std::vector<std::pair<std::string, Value>> values_of(const std::string& path, const base::FileBytes& file,
                                                     const Limits& limits, std::optional<DataKind> kind) {
  const ir::Bytes bytes = bytes_of(file);
  std::vector<std::pair<std::string, Value>> values;
  const auto read = [&] {
    if (is_npz(path, bytes)) {
      for (auto& [name, tensor] : format::read_npz(bytes, limits))
        values.emplace_back(std::move(name), std::move(tensor));
    } else if (is_npy(path, bytes)) {
      values.emplace_back(std::string(), format::read_npy(bytes, DataType::Undefined, limits));
    } else {
      values.push_back(message_of(path, bytes, kind, limits));
    }
  };
  try {
    if (is_numpy({}, file))
      read();  // whatever its name
    else
      reading_data(file.bytes, read);
  } catch (Error& e) {
    throw e.within(path);
  }
  return values;
}

Value parse_value(std::span<const std::byte> bytes, DataKind kind) {
  std::vector<std::byte> content(bytes.size());
  std::copy(bytes.begin(), bytes.end(), content.begin());
  const ir::Bytes copy(std::move(content));
  return reading_data(bytes, [&] {
    return format::with_data(copy, kind, {}, [&](const auto& message) {
      refuse_other_kind(copy, kind, {}, message);
      return format::named_value(message).second;
    });
  });
}

Value load_value(const std::string& path, std::optional<DataKind> kind, const Limits& limits) {
  auto values = load_values(path, limits, kind);
  if (values.size() == 1) return std::move(values.front().second);
  throw Error(ErrorCode::InvalidArgument,
              "the archive holds " + std::to_string(values.size()) + " arrays, and one value was asked for", path,
              "load_values reads all of them");
}

void save_value(const Value& given, const std::string& path, const std::string& name) {
  const Value value = base::with_sound_elements(given).value_or(given);
  if (extension(path) == ".npz") {
    std::vector<std::pair<std::string, Value>> values;
    values.emplace_back(name.empty() ? "arr_0" : name, value);
    return save_values(values, path);
  }
  std::vector<std::byte> head;
  std::span<const std::byte> body;
  if (extension(path) == ".npy") {
    if (!value.is_tensor()) {
      throw Error(ErrorCode::InvalidArgument, "a .npy file holds one tensor, not " + value.describe(), path,
                  "save it as .pb");
    }
    const Tensor& t = value.tensor();
    if (t.dtype() > DataType::Complex128) {
      throw Error(ErrorCode::InvalidArgument,
                  "a .npy file cannot record that its elements are " + std::string(data_type_name(t.dtype())), path,
                  "save it as .pb, or as .npz, where Norn notes the type beside the array");
    }
    head = format::write_npy_header(t);
    if (t.dtype() != DataType::String) body = {static_cast<const std::byte*>(t.data()), t.bytes()};
  } else {
    head = format::write_data(value, name);
  }
  const std::span<const std::byte> pieces[] = {head, body};
  base::write_file_atomically(path, pieces);
}

std::vector<std::pair<std::string, Value>> load_values(const std::string& path, const Limits& limits,
                                                       std::optional<DataKind> kind) {
  return values_of(path, base::read_file(path, limits), limits, kind);
}

void save_values(std::span<const std::pair<std::string, Value>> values, const std::string& path, bool compress) {
  if (const std::string kind = extension(path); kind == ".npy" || kind == ".pb") {
    if (values.size() == 1) return save_value(values[0].second, path, values[0].first);
    throw Error(ErrorCode::InvalidArgument,
                "a " + kind + " file holds one value, and there are " + std::to_string(values.size()), path,
                "save them as .npz, or each in a file of its own");
  }
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (const auto& [name, value] : values) {
    if (!value.is_tensor()) {
      throw Error(ErrorCode::InvalidArgument, "an .npz archive holds tensors, not " + value.describe(),
                  path + " / " + base::quoted(name), "save it as .pb");
    }
    arrays.emplace_back(name, base::with_sound_elements(value.tensor()).value_or(value.tensor()));
  }
  format::write_npz(arrays, path, compress);
}

}  // namespace norn
