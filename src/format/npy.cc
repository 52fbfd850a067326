#include "format/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/element_bytes.h"
#include "base/text.h"
#include "format/bounds.h"
#include "format/notation.h"
#include "norn/error.h"

namespace norn::format {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

[[noreturn]] void bad_npy(std::string message, ErrorCode code = ErrorCode::InvalidArgument, std::string hint = {}) {
  throw Error(code, "not a readable .npy file: " + std::move(message), {}, std::move(hint));
}

struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
  std::size_t data_offset = 0;
};

// The header is a Python dictionary literal of three entries in any order.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Header parse() {
    Header header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') bad_npy("it holds a structured array", ErrorCode::NotImplemented);
        header.descr = string();
        descr = true;
      } else if (key == "fortran_order") {
        if (word("True"))
          header.fortran_order = true;
        else if (!word("False"))
          bad_npy("fortran_order is neither True nor False");
        order = true;
      } else if (key == "shape") {
        header.shape = tuple();
        shape = true;
      } else {
        bad_npy("its header has an unknown key " + base::quoted(key));
      }
      if (!take(',') && peek() != '}') bad_npy("its header is damaged");
    }
    if (!descr || !order || !shape) bad_npy("its header lacks descr, fortran_order or shape");
    return header;
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) bad_npy(std::string("its header is damaged: '") + c + "' is missing");
  }
  bool word(std::string_view w) {
    peek();
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') bad_npy("its header is damaged: a string is missing");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) bad_npy("its header is damaged: a string does not end");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }
  Shape tuple() {
    Shape shape;
    expect('(');
    while (!take(')')) {
      peek();
      std::int64_t value = 0;
      const auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0) bad_npy("its shape is not a tuple of sizes");
      at_ = static_cast<std::size_t>(stop - text_.data());
      take('L');
      shape.push_back(value);
      if (!take(',') && peek() != ')') bad_npy("its shape is not a tuple of sizes");
    }
    return shape;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Header read_header(const ir::Bytes& bytes) {
  const std::string_view text = ir::as_text(bytes);
  if (!text.starts_with(kMagic)) bad_npy("it does not start with NumPy's magic bytes");
  if (text.size() < 10) bad_npy("it ends within its header");
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3) bad_npy("its format version " + std::to_string(version) + " is unknown");
  const std::size_t digits = version == 1 ? 2 : 4;
  if (text.size() < 8 + digits) bad_npy("it ends within its header");
  std::size_t length = 0;
  for (std::size_t i = 0; i < digits; ++i) length |= std::size_t{static_cast<unsigned char>(text[8 + i])} << (8 * i);
  if (length > text.size() - 8 - digits) bad_npy("it ends within its header");
  Header header = HeaderParser(text.substr(8 + digits, length)).parse();
  header.data_offset = 8 + digits + length;
  return header;
}

struct NumpyType {
  std::string_view code;
  DataType type;
};
constexpr NumpyType kTypes[] = {
    {"b1", DataType::Bool},      {"i1", DataType::Int8},        {"i2", DataType::Int16},  {"i4", DataType::Int32},
    {"i8", DataType::Int64},     {"u1", DataType::Uint8},       {"u2", DataType::Uint16}, {"u4", DataType::Uint32},
    {"u8", DataType::Uint64},    {"f2", DataType::Float16},     {"f4", DataType::Float},  {"f8", DataType::Double},
    {"c8", DataType::Complex64}, {"c16", DataType::Complex128},
};

constexpr const char* kLostType =
    "NumPy stores bfloat16, float8 and smaller types as raw bytes without their name; save the array as a TensorProto "
    "(.pb), or as float32 or an integer view";

// Visits elements in row-major order of the result, giving each one's position in the file.
template <class F>
void for_each_source(const Header& header, std::int64_t count, F&& visit) {
  if (!header.fortran_order) {
    for (std::int64_t i = 0; i < count; ++i) visit(i, i);
    return;
  }
  const std::size_t rank = header.shape.size();
  std::vector<std::int64_t> stride(rank, 1), at(rank, 0);
  for (std::size_t d = 1; d < rank; ++d) stride[d] = stride[d - 1] * header.shape[d - 1];
  std::int64_t source = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    visit(i, source);
    for (std::size_t d = rank; d-- > 0;) {
      source += stride[d];
      if (++at[d] < header.shape[d]) break;
      source -= stride[d] * header.shape[d];
      at[d] = 0;
    }
  }
}

bool is_character(std::uint32_t code_point) {
  return code_point <= 0x10ffff && (code_point < 0xd800 || code_point > 0xdfff);  // surrogates are halves of one
}

// The code points of well-formed UTF-8.
std::vector<std::uint32_t> code_points(std::string_view text) {
  std::vector<std::uint32_t> out;
  for (const char byte : text) {
    const auto b = static_cast<unsigned char>(byte);
    if (b >> 6 == 2)
      out.back() = out.back() << 6 | (b & 0x3f);
    else
      out.push_back(b < 0x80 ? b : b & (b < 0xe0 ? 0x1f : b < 0xf0 ? 0x0f : 0x07));
  }
  return out;
}

Tensor read_strings(const Header& header, char kind, std::uint64_t width, bool swap, const ir::Bytes& bytes,
                    std::int64_t count) {
  Tensor tensor(DataType::String, header.shape);
  auto* out = tensor.as_mutable<std::string>();
  const std::byte* data = bytes.data() + header.data_offset;
  for_each_source(header, count, [&](std::int64_t to, std::int64_t from) {
    const std::byte* element = data + static_cast<std::uint64_t>(from) * width;
    std::string& text = out[to];
    if (kind == 'S') {
      text.assign(reinterpret_cast<const char*>(element), width);
      text.resize(text.find_last_not_of('\0') + 1);
      return;
    }
    std::size_t used = width / 4;
    const auto character = [&](std::size_t i) {
      std::uint32_t c;
      std::memcpy(&c, element + 4 * i, 4);
      return swap ? __builtin_bswap32(c) : c;
    };
    while (used > 0 && character(used - 1) == 0) --used;
    for (std::size_t i = 0; i < used; ++i) {
      if (!is_character(character(i))) {
        char hex[8];
        const auto end = std::to_chars(hex, hex + sizeof(hex), character(i), 16).ptr;
        bad_npy("string " + std::to_string(to) + " holds U+" + std::string(hex, end) +
                ", which is not a character of Unicode");
      }
      append_utf8(text, character(i));
    }
  });
  return tensor;
}

}  // namespace

Tensor read_npy(const ir::Bytes& bytes, DataType raw_type, const Limits& limits) {
  const Bounds bounds(bytes.size(), limits);
  const Header header = read_header(bytes);
  std::string_view descr = header.descr;
  if (descr.empty()) bad_npy("its element type is missing");
  const bool swap = descr.front() == '>';
  if (std::string_view("<>|=").find(descr.front()) != std::string_view::npos) descr.remove_prefix(1);
  const std::string shown = base::quoted(header.descr);
  if (descr.starts_with('O')) {
    bad_npy("it holds Python objects, which only unpickling could read, and a pickle may run any code",
            ErrorCode::NotImplemented, "save strings as a NumPy string array (dtype '<U') or as a TensorProto (.pb)");
  }
  const bool raw = descr.starts_with('V') || descr == "f1";
  const bool named = raw_type != DataType::Undefined && raw_type != DataType::String &&
                     descr.substr(1) == std::to_string(element_size(raw_type));
  if (raw && !named) {
    bad_npy("its element type " + shown + " does not determine what it is", ErrorCode::NotImplemented, kLostType);
  }
  const std::int64_t count = element_count(header.shape);
  const char kind = descr.empty() ? '?' : descr.front();
  DataType type = DataType::Undefined;
  std::uint64_t width = 0;
  if (kind == 'U' || kind == 'S') {
    const auto digits = descr.substr(1);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), width);
    if (error != std::errc() || stop != digits.data() + digits.size() || width > (std::uint64_t{1} << 40)) {
      bad_npy("its element type is " + shown);
    }
    if (kind == 'U') width *= 4;
    type = DataType::String;
  } else {
    if (raw) type = raw_type;
    for (const auto& t : kTypes)
      if (t.code == descr) type = t.type;
    if (type == DataType::Undefined) {
      bad_npy("ONNX has no element type for NumPy's " + shown, ErrorCode::NotImplemented,
              "convert the array before saving it");
    }
    width = element_size(type);
  }
  const auto total = base::checked_mul(static_cast<std::uint64_t>(count), width);
  const std::uint64_t stored = bytes.size() - header.data_offset;
  if (!total || *total != stored) {
    bad_npy("its data has " + std::to_string(stored) + " bytes, but an array " + to_string(header.shape) + " of " +
            shown + " takes " + (total ? std::to_string(*total) : "more than 64 bits can count"));
  }
  const auto nowhere = [] { return std::string(); };
  bounds.check_payload(*total, "the array", nowhere);
  if (type == DataType::String) {
    // Without any characters the file's size bounds nothing.
    if (width == 0 && count > (std::int64_t{1} << 28)) bad_npy("it claims " + std::to_string(count) + " empty strings");
    bounds.check_payload(static_cast<std::uint64_t>(count) * sizeof(std::string), "the array of strings", nowhere);
    return read_strings(header, kind, width, swap, bytes, count);
  }
  const std::byte* data = bytes.data() + header.data_offset;
  const bool plain = !header.fortran_order || header.shape.size() < 2;
  const bool complex = type == DataType::Complex64 || type == DataType::Complex128;
  const std::uint64_t unit = complex ? width / 2 : width;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % unit == 0;
  const auto sound = [](const Tensor& read) { return base::with_sound_elements(read).value_or(read); };
  if (plain && !swap && aligned && count > 0 && bytes.owner()) {
    return sound(Tensor::borrow(type, header.shape, const_cast<std::byte*>(data), bytes.owner()));
  }
  Tensor tensor(type, header.shape);
  auto* out = static_cast<std::byte*>(tensor.mutable_data());
  if (plain) {
    if (count > 0) std::memcpy(out, data, static_cast<std::size_t>(count) * width);
  } else {
    for_each_source(header, count, [&](std::int64_t to, std::int64_t from) {
      std::memcpy(out + static_cast<std::uint64_t>(to) * width, data + static_cast<std::uint64_t>(from) * width, width);
    });
  }
  if (swap && unit > 1) {
    for (std::uint64_t i = 0; i < *total; i += unit) std::reverse(out + i, out + i + unit);
  }
  return sound(tensor);
}

bool is_raw_in_npy(DataType type) noexcept {
  return type != DataType::String &&
         std::none_of(std::begin(kTypes), std::end(kTypes), [&](const NumpyType& t) { return t.type == type; });
}

namespace {

std::vector<std::byte> header_for(const std::string& descr, const Shape& dims) {
  std::string dict = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i) dict += ' ';
    dict += std::to_string(dims[i]) + ",";
  }
  if (dims.size() > 1) dict.pop_back();
  dict += "), }";
  // Data starts at a multiple of 64 bytes, so that a mapped array is aligned.
  const bool wide = dict.size() + 1 + 10 + 63 > 65535;
  const std::size_t lead = wide ? 12 : 10;
  dict.append((64 - (lead + dict.size() + 1) % 64) % 64, ' ');
  dict += '\n';
  std::string text(kMagic);
  text += wide ? '\2' : '\1';
  text += '\0';
  for (std::size_t i = 0; i < lead - 8; ++i) text += static_cast<char>(dict.size() >> (8 * i));
  text += dict;
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  return {p, p + text.size()};
}

}  // namespace

std::vector<std::byte> write_npy_header(const Tensor& tensor) {
  if (!tensor.defined()) throw Error(ErrorCode::InvalidArgument, "an undefined tensor cannot be saved");
  if (tensor.dtype() != DataType::String) {
    const std::size_t size = element_size(tensor.dtype());
    std::string descr = "V";
    descr += std::to_string(size);
    for (const auto& t : kTypes)
      if (t.type == tensor.dtype()) descr = t.code;
    const bool ordered = size > 1 || descr == "V1";
    return header_for((ordered ? "<" : "|") + descr, tensor.dims());
  }
  std::size_t longest = 0;
  std::vector<std::vector<std::uint32_t>> texts;
  texts.reserve(static_cast<std::size_t>(tensor.size()));
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const std::string& text = tensor.as<std::string>()[i];
    if (const auto at = find_invalid_utf8(text)) {
      throw Error(ErrorCode::InvalidArgument,
                  "string " + std::to_string(i) + " is not UTF-8 from byte " + std::to_string(*at) +
                      " on, so that NumPy cannot store it",
                  {}, "save the tensor as a TensorProto (.pb)");
    }
    texts.push_back(code_points(text));
    if (!texts.back().empty() && texts.back().back() == 0) {
      throw Error(ErrorCode::InvalidArgument, "a string ends in a NUL character, which NumPy would drop", {},
                  "save the tensor as a TensorProto (.pb)");
    }
    longest = std::max(longest, texts.back().size());
  }
  longest = std::max<std::size_t>(longest, 1);
  auto file = header_for("<U" + std::to_string(longest), tensor.dims());
  const std::size_t start = file.size();
  file.resize(start + texts.size() * longest * 4);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].empty()) std::memcpy(file.data() + start + i * longest * 4, texts[i].data(), texts[i].size() * 4);
  }
  return file;
}

std::vector<std::byte> write_npy(const Tensor& tensor) {
  auto file = write_npy_header(tensor);
  if (tensor.dtype() != DataType::String && tensor.size() > 0) {
    const auto* data = static_cast<const std::byte*>(tensor.data());
    file.insert(file.end(), data, data + tensor.bytes());
  }
  return file;
}

}  // namespace norn::format
