#include "norn/data.h"

#include <algorithm>
#include <cctype>

#include "base/mapped_file.h"
#include "format/data_file.h"
#include "format/external.h"
#include "format/npy.h"
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

}  // namespace

Value parse_value(std::span<const std::byte> bytes, DataKind kind) {
  return format::read_data(ir::Bytes(std::vector<std::byte>(bytes.begin(), bytes.end())), kind);
}

Value load_value(const std::string& path, DataKind kind) {
  const base::FileBytes file = base::read_file(path);
  const ir::Bytes bytes(file.bytes.data(), file.bytes.size(), file.owner);
  try {
    if (ir::as_text(bytes).starts_with("\x93NUMPY") || extension(path) == ".npy") return format::read_npy(bytes);
    return format::read_data(bytes, kind, format::external_reader(folder_of(path)));
  } catch (Error& e) {
    if (e.code() == ErrorCode::InvalidProtobuf || e.code() == ErrorCode::InvalidGraph) {
      e.help("a .pb file does not say which message it holds; this one was read as " +
             std::string(kind == DataKind::Tensor         ? "a TensorProto"
                         : kind == DataKind::SparseTensor ? "a SparseTensorProto"
                         : kind == DataKind::Sequence     ? "a SequenceProto"
                         : kind == DataKind::Map          ? "a MapProto"
                                                          : "an OptionalProto"));
    }
    throw e.within(path);
  }
}

void save_value(const Value& value, const std::string& path, const std::string& name) {
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

}  // namespace norn
