// Sizes are compared with the stored bytes before anything is allocated, so a small damaged file cannot ask for memory.
//
// Traps: a writer may put 4- and 2-bit elements into int32_data packed into bytes (the specification), one to an entry
// (the text parser of the onnx package) or all 32 bits full (its checker takes that); the number of entries shows
// which. float6 is never packed there. raw_data in a protobuf message starts at any byte, so sharing it is often
// impossible for lack of alignment.
#include "ir/tensor_data.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/element_bytes.h"
#include "base/mapped_file.h"
#include "base/parallel.h"
#include "base/text.h"
#include "norn/error.h"

namespace norn::ir {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian and is shared as it is");

[[noreturn]] void invalid(const Tensor& tensor, std::string message, std::string hint = {}) {
  throw Error(ErrorCode::InvalidGraph, std::move(message), describe(tensor), std::move(hint));
}

DataType checked_type(const Tensor& tensor) {
  const std::int32_t number = tensor.data_type;
  if (number <= 0 || number >= kDataTypeCount) {
    invalid(tensor,
            number == 0 ? "the tensor has no element type"
                        : "the tensor's element type " + std::to_string(number) + " is unknown",
            number == 0
                ? "set data_type to the type of its elements; what wrote the tensor left it out, or the file is "
                  "damaged"
                : "it is of a newer version of ONNX, which a newer Norn may read, or the file is damaged");
  }
  return static_cast<DataType>(number);
}

constexpr std::size_t kWorthSharing = std::size_t{64} << 10;  // bytes of memory that is not aligned

std::size_t alignment_of(DataType type) {
  switch (type) {
    case DataType::Complex64: return alignof(float);
    case DataType::Complex128: return alignof(double);
    default: return element_size(type);
  }
}

bool is_signed_sub_byte(DataType type) { return type == DataType::Int4 || type == DataType::Int2; }

// One element of a sub-byte type as memory holds it: right-aligned, integers sign-extended.
std::uint8_t widen(DataType type, unsigned bits, int width) {
  bits &= (1u << width) - 1;
  if (is_signed_sub_byte(type) && (bits >> (width - 1))) bits |= ~0u << width;
  return static_cast<std::uint8_t>(bits);
}

// The elements of whole bytes.
template <int width, bool is_signed>
void unpack_bytes(const std::byte* packed, std::int64_t bytes, std::uint8_t* out) {
  constexpr unsigned kMask = (1u << width) - 1, kSign = is_signed ? 1u << (width - 1) : 0;
  constexpr std::int64_t kEach = 8 / width;
  for (std::int64_t i = 0; i < bytes; ++i)
    for (std::int64_t j = 0; j < kEach; ++j) {
      const unsigned bits = std::to_integer<unsigned>(packed[i]) >> (j * width) & kMask;
      out[i * kEach + j] = static_cast<std::uint8_t>((bits ^ kSign) - kSign);
    }
}

norn::Tensor unpack(DataType type, Shape dims, std::span<const std::byte> packed) {
  norn::Tensor value(type, std::move(dims));
  auto* out = static_cast<std::uint8_t*>(value.mutable_data());
  const int width = storage_bits(type);
  std::int64_t done = 0;
  if (width == 4 || width == 2) {
    constexpr std::int64_t kPiece = 1 << 16;
    const bool is_signed = is_signed_sub_byte(type);
    const auto unpack_piece = width == 4 ? (is_signed ? unpack_bytes<4, true> : unpack_bytes<4, false>)
                                         : (is_signed ? unpack_bytes<2, true> : unpack_bytes<2, false>);
    const std::int64_t each = 8 / width, bytes = value.size() / each;
    base::parallel_for((bytes + kPiece - 1) / kPiece, [&](std::int64_t piece) {
      const std::int64_t first = piece * kPiece;
      unpack_piece(packed.data() + first, std::min(kPiece, bytes - first), out + first * each);
    });
    done = bytes * each;
  }
  for (std::int64_t i = done; i < value.size(); ++i) {
    const auto bit = static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(width);
    unsigned bits = std::to_integer<unsigned>(packed[bit / 8]);
    if (bit / 8 + 1 < packed.size()) bits |= std::to_integer<unsigned>(packed[bit / 8 + 1]) << 8;
    out[i] = widen(type, bits >> (bit % 8), width);
  }
  base::release_pages(packed.data(), packed.size());
  return value;
}

norn::Tensor share(DataType type, Shape dims, const void* data, const std::shared_ptr<const void>& owner) {
  return norn::Tensor::borrow(type, std::move(dims), const_cast<void*>(data), owner);
}

norn::Tensor from_raw(const Tensor& tensor, DataType type, Shape dims, const Bytes& raw, const char* place) {
  if (type == DataType::String) invalid(tensor, std::string("strings cannot be stored in ") + place);
  const std::int64_t count = element_count(dims);
  const auto expected = base::packed_bytes(count, storage_bits(type));
  if (raw.size() != expected) {
    invalid(tensor, std::string(place) + " has " + std::to_string(raw.size()) + " bytes, but " + std::to_string(count) +
                        " elements of " + std::string(data_type_name(type)) + " take " +
                        (expected ? std::to_string(*expected) : "more than 64 bits can count"));
  }
  if (storage_bits(type) < 8) return unpack(type, std::move(dims), raw.span());
  const bool aligned = reinterpret_cast<std::uintptr_t>(raw.data()) % alignment_of(type) == 0;
  norn::Tensor value;
  if (aligned && count > 0 && raw.owner()) {
    value = share(type, std::move(dims), raw.data(), raw.owner());
  } else if (raw.size() >= kWorthSharing && raw.owner()) {
    value = norn::Tensor::borrow_unaligned(type, std::move(dims), raw.data(), raw.owner());
  } else {
    value = norn::Tensor(type, std::move(dims));
    if (count > 0) std::memcpy(value.mutable_data(), raw.data(), raw.size());
  }
  return base::with_sound_elements(value).value_or(value);
}

void check_count(const Tensor& tensor, const char* field, std::uint64_t have, std::uint64_t want) {
  if (have == want) return;
  invalid(tensor, std::string(field) + " has " + std::to_string(have) + " entries, but the shape needs " +
                      std::to_string(want));
}

template <class T>
norn::Tensor from_same(const Tensor& tensor, DataType type, Shape dims, const SharedArray<T>& field, const char* name) {
  const auto per_element = element_size(type) / sizeof(T);
  check_count(tensor, name, field.size(), static_cast<std::uint64_t>(element_count(dims)) * per_element);
  if (!field.empty() && field.owner()) return share(type, std::move(dims), field.data(), field.owner());
  norn::Tensor value(type, std::move(dims));
  if (!field.empty()) std::memcpy(value.mutable_data(), field.data(), field.size() * sizeof(T));
  return value;
}

// To is as wide as an element.
template <class To, class From>
norn::Tensor narrowed(const Tensor& tensor, DataType type, Shape dims, const SharedArray<From>& field,
                      const char* name) {
  check_count(tensor, name, field.size(), static_cast<std::uint64_t>(element_count(dims)));
  norn::Tensor value(type, std::move(dims));
  auto* out = static_cast<To*>(value.mutable_data());
  for (std::size_t i = 0; i < field.size(); ++i) {
    if constexpr (std::is_same_v<To, bool>)
      out[i] = field[i] != 0;
    else
      out[i] = static_cast<To>(field[i]);
  }
  return value;
}

norn::Tensor sub_byte_from_int32(const Tensor& tensor, DataType type, Shape dims) {
  const auto& field = tensor.int32_data;
  const std::int64_t count = element_count(dims);
  const int width = storage_bits(type);
  const std::uint64_t packed_size = *base::packed_bytes(count, width);  // of narrow types, always counted
  if (8 % width == 0 && field.size() == packed_size) {
    std::vector<std::byte> packed(field.size());
    std::transform(field.begin(), field.end(), packed.begin(),
                   [](std::int32_t v) { return static_cast<std::byte>(v); });
    return unpack(type, std::move(dims), packed);
  }
  if (8 % width == 0 && field.size() == (packed_size + 3) / 4) {
    const auto* bytes = reinterpret_cast<const std::byte*>(field.data());
    return unpack(type, std::move(dims), {bytes, field.size() * sizeof(std::int32_t)});
  }
  if (field.size() != static_cast<std::uint64_t>(count)) {
    invalid(tensor, "int32_data has " + std::to_string(field.size()) + " entries, but " + std::to_string(count) +
                        " elements of " + std::string(data_type_name(type)) + " take " +
                        std::to_string(8 % width == 0 ? packed_size : static_cast<std::uint64_t>(count)));
  }
  norn::Tensor value(type, std::move(dims));
  auto* out = static_cast<std::uint8_t*>(value.mutable_data());
  for (std::size_t i = 0; i < field.size(); ++i) out[i] = widen(type, static_cast<unsigned>(field[i]), width);
  return value;
}

norn::Tensor from_strings(const Tensor& tensor, Shape dims) {
  check_count(tensor, "string_data", tensor.string_data.size(), static_cast<std::uint64_t>(element_count(dims)));
  norn::Tensor value(DataType::String, std::move(dims));
  auto out = value.as_mutable<std::string>();
  for (std::size_t i = 0; i < tensor.string_data.size(); ++i) out[i] = as_text(tensor.string_data[i]);
  return value;
}

// The field that must hold elements of this type when raw_data does not.
const char* field_for(DataType type) {
  switch (type) {
    case DataType::Float:
    case DataType::Complex64: return "float_data";
    case DataType::Double:
    case DataType::Complex128: return "double_data";
    case DataType::Int64: return "int64_data";
    case DataType::Uint32:
    case DataType::Uint64: return "uint64_data";
    case DataType::String: return "string_data";
    default: return "int32_data";
  }
}

void check_one_field(const Tensor& tensor, DataType type, bool raw) {
  const std::pair<const char*, bool> fields[] = {
      {"float_data", !tensor.float_data.empty()},   {"int32_data", !tensor.int32_data.empty()},
      {"string_data", !tensor.string_data.empty()}, {"int64_data", !tensor.int64_data.empty()},
      {"double_data", !tensor.double_data.empty()}, {"uint64_data", !tensor.uint64_data.empty()}};
  const std::string_view allowed = raw ? "" : field_for(type);
  for (const auto& [name, filled] : fields) {
    if (!filled || name == allowed) continue;
    invalid(tensor, raw ? std::string("the tensor has both raw_data and ") + name
                        : std::string(name) + " cannot hold elements of " + std::string(data_type_name(type)) + "; " +
                              std::string(allowed) + " or raw_data does");
  }
}

bool has_data(const Tensor& tensor) {
  return !tensor.raw_data.get().empty() || !tensor.float_data.empty() || !tensor.int32_data.empty() ||
         !tensor.string_data.empty() || !tensor.int64_data.empty() || !tensor.double_data.empty() ||
         !tensor.uint64_data.empty();
}

}  // namespace

std::string describe(const Tensor& tensor) {
  std::string text = "tensor";
  if (!tensor.name.get().empty()) text += " " + base::quoted(tensor.name.get());
  const std::int32_t number = tensor.data_type;
  text += ' ';
  text += number > 0 && number < kDataTypeCount ? data_type_name(static_cast<DataType>(number)) : "undefined";
  return text + norn::to_string(tensor.dims);
}

Shape tensor_shape(const Tensor& tensor) {
  try {
    element_count(tensor.dims);
  } catch (const Error& e) {
    invalid(tensor, e.message());
  }
  return tensor.dims;
}

norn::Tensor to_value(const Tensor& tensor, const ExternalReader& external) {
  const DataType type = checked_type(tensor);
  Shape dims = tensor_shape(tensor);
  if (tensor.segment) {
    throw Error(ErrorCode::NotImplemented, "the tensor is a segment of a larger one; segments are not joined",
                describe(tensor));
  }
  if (tensor.data_location == kDataLocationExternal) {
    check_one_field(tensor, type, true);
    if (!external) {
      throw Error(ErrorCode::InvalidArgument,
                  "the tensor's data is in an external file, and the model's folder is unknown", describe(tensor),
                  "load the model from its path instead of from bytes");
    }
    std::string what = "the external data";
    for (const StringStringEntry& entry : tensor.external_data)
      if (entry.key.get() == "location") what += " in " + base::quoted(entry.value.get());
    return from_raw(tensor, type, std::move(dims), external(tensor), what.c_str());
  }
  const bool raw = tensor.raw_data.has() && !tensor.raw_data.get().empty();
  check_one_field(tensor, type, raw);
  if (raw) return from_raw(tensor, type, std::move(dims), tensor.raw_data.get(), "raw_data");
  if (const std::int64_t elements = element_count(dims); elements > 0 && !has_data(tensor)) {
    invalid(tensor, "the tensor has no data, where its shape has " + std::to_string(elements) + " elements",
            "a model whose weights were stripped can be looked at, but not run; take the one with its weights");
  }
  switch (type) {
    case DataType::Float:
    case DataType::Complex64: return from_same(tensor, type, std::move(dims), tensor.float_data.value(), "float_data");
    case DataType::Double:
    case DataType::Complex128:
      return from_same(tensor, type, std::move(dims), tensor.double_data.value(), "double_data");
    case DataType::Int64: return from_same(tensor, type, std::move(dims), tensor.int64_data.value(), "int64_data");
    case DataType::Uint64: return from_same(tensor, type, std::move(dims), tensor.uint64_data.value(), "uint64_data");
    case DataType::Int32: return from_same(tensor, type, std::move(dims), tensor.int32_data.value(), "int32_data");
    case DataType::Uint32:
      return narrowed<std::uint32_t>(tensor, type, std::move(dims), tensor.uint64_data.value(), "uint64_data");
    case DataType::String: return from_strings(tensor, std::move(dims));
    case DataType::Bool: return narrowed<bool>(tensor, type, std::move(dims), tensor.int32_data.value(), "int32_data");
    default: break;
  }
  if (storage_bits(type) < 8) return sub_byte_from_int32(tensor, type, std::move(dims));
  if (element_size(type) == 1) {
    return narrowed<std::uint8_t>(tensor, type, std::move(dims), tensor.int32_data.value(), "int32_data");
  }
  return narrowed<std::uint16_t>(tensor, type, std::move(dims), tensor.int32_data.value(), "int32_data");
}

Tensor from_value(const norn::Tensor& value, std::string name) {
  Tensor tensor;
  tensor.dims = value.dims();
  tensor.data_type = static_cast<std::int32_t>(value.dtype());
  if (!name.empty()) tensor.name = std::move(name);
  const auto count = static_cast<std::size_t>(value.size());
  if (value.dtype() == DataType::String) {
    tensor.string_data.reserve(count);
    for (std::size_t i = 0; i < count; ++i) tensor.string_data.push_back(bytes_of(value.as<std::string>()[i]));
    return tensor;
  }
  const int width = storage_bits(value.dtype());
  if (width > 0 && width < 8) {
    std::vector<std::byte> packed(*base::packed_bytes(value.size(), width));
    const auto* from = static_cast<const std::uint8_t*>(value.data());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t bit = i * static_cast<std::size_t>(width);
      const unsigned bits = (from[i] & ((1u << width) - 1)) << (bit % 8);
      packed[bit / 8] |= static_cast<std::byte>(bits);
      if (bits >> 8) packed[bit / 8 + 1] |= static_cast<std::byte>(bits >> 8);
    }
    tensor.raw_data = Bytes(std::move(packed));
    return tensor;
  }
  auto data = static_cast<const std::byte*>(value.data());
  if (value.owns())
    tensor.raw_data = Bytes(data, value.bytes(), value.owner());
  else
    tensor.raw_data = Bytes(std::vector<std::byte>(data, data + value.bytes()));
  return tensor;
}

}  // namespace norn::ir
