#include "norn/data.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/mapped_file.h"
#include "base/text.h"
#include "format/data_file.h"
#include "format/external.h"
#include "format/npy.h"
#include "format/npz.h"
#include "ir/tensor_data.h"

namespace norn {
namespace {

std::string extension(const std::string& path) {
  const auto dot = path.rfind('.');
  if (dot == std::string::npos || path.find('/', dot) != std::string::npos) return {};
  std::string text = path.substr(dot);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

bool is_npy(const std::string& path, const ir::Bytes& bytes) {
  return ir::as_text(bytes).starts_with("\x93NUMPY") || extension(path) == ".npy";
}

std::string_view message_name(DataKind kind) {
  switch (kind) {
    case DataKind::SparseTensor: return "a SparseTensorProto";
    case DataKind::Sequence: return "a SequenceProto";
    case DataKind::Map: return "a MapProto";
    case DataKind::Optional: return "an OptionalProto";
    default: return "a TensorProto";
  }
}

// The message's own name; "" for what cannot be read, which load_value tells.
std::string name_in(const ir::Bytes& bytes, DataKind kind, const Limits& limits) {
  try {
    switch (kind) {
      case DataKind::SparseTensor: {
        const auto sparse = format::read_message<ir::SparseTensor>(bytes, limits);
        return sparse.values ? sparse.values->name.get() : std::string();
      }
      case DataKind::Sequence: return format::read_message<format::SequenceData>(bytes, limits).name.get();
      case DataKind::Map: return format::read_message<format::MapData>(bytes, limits).name.get();
      case DataKind::Optional: return format::read_message<format::OptionalData>(bytes, limits).name.get();
      default: return format::read_message<ir::Tensor>(bytes, limits).name.get();
    }
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

Value parse_value(std::span<const std::byte> bytes, DataKind kind) {
  return format::read_data(ir::Bytes(std::vector<std::byte>(bytes.begin(), bytes.end())), kind);
}

Value load_value(const std::string& path, DataKind kind) {
  const base::FileBytes file = base::read_file(path);
  const ir::Bytes bytes(file.bytes.data(), file.bytes.size(), file.owner);
  if (extension(path) == ".npz" || format::is_zip(bytes)) {
    auto values = load_values(path);
    if (values.size() == 1) return std::move(values.front().second);
    throw Error(ErrorCode::InvalidArgument,
                "the archive holds " + std::to_string(values.size()) + " arrays, and one value was asked for", path,
                "load_values reads all of them");
  }
  try {
    if (is_npy(path, bytes)) return format::read_npy(bytes);
    return format::read_data(bytes, kind, format::external_reader(folder_of(path)));
  } catch (Error& e) {
    if (e.code() == ErrorCode::InvalidProtobuf || e.code() == ErrorCode::InvalidGraph) {
      e.help("a .pb file does not say which message it holds; this one was read as " +
             std::string(message_name(kind)));
    }
    throw e.within(path);
  }
}

void save_value(const Value& value, const std::string& path, const std::string& name) {
  if (extension(path) == ".npz") {
    const std::pair<std::string, Value> values[] = {{name.empty() ? "arr_0" : name, value}};
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
  const base::FileBytes file = base::read_file(path);
  const ir::Bytes bytes(file.bytes.data(), file.bytes.size(), file.owner);
  std::vector<std::pair<std::string, Value>> values;
  if (extension(path) != ".npz" && !format::is_zip(bytes)) {
    std::string name;
    if (!is_npy(path, bytes)) {
      if (!kind) kind = data_kind(path);
      name = name_in(bytes, *kind, limits);
    }
    values.emplace_back(std::move(name), load_value(path, kind.value_or(DataKind::Tensor)));
    return values;
  }
  try {
    for (auto& [name, tensor] : format::read_npz(bytes, limits))
      values.emplace_back(std::move(name), std::move(tensor));
  } catch (Error& e) {
    throw e.within(path);
  }
  return values;
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
    arrays.emplace_back(name, value.tensor());
  }
  format::write_npz(arrays, path, compress);
}

}  // namespace norn
