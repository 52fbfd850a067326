// Tensor storage: one field that fits the element type, holding exactly what type and dims ask for.
//
// raw_data is measured, not read, except where the specification restricts single bits: a bool's byte is 0 or 1, and
// the last byte of a packed type ends in zeros. int32_data serves many narrow types, so its entries are looked at.
// Writers put 4- and 2-bit elements there packed (two or four to an entry, as specified), one to an entry (the text
// parser of the onnx package) or all 32 bits full; the number of entries decides which, and all are taken.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "check/rule_checks.h"
#include "check/tensor_size.h"
#include "format/notation.h"
#include "ir/tensor_data.h"

namespace norn::checks {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }
std::string number(std::int64_t n) { return std::to_string(n); }
std::string name_of(DataType type) { return std::string(data_type_name(type)); }

enum class Field : std::uint8_t { Raw, Float, Int32, String, Int64, Double, Uint64 };
constexpr const char* kFieldNames[] = {"raw_data",   "float_data",  "int32_data", "string_data",
                                       "int64_data", "double_data", "uint64_data"};
const char* name_of(Field field) { return kFieldNames[static_cast<std::size_t>(field)]; }

Field field_for(DataType type) {
  switch (type) {
    case DataType::Float:
    case DataType::Complex64: return Field::Float;
    case DataType::Double:
    case DataType::Complex128: return Field::Double;
    case DataType::Int64: return Field::Int64;
    case DataType::Uint32:
    case DataType::Uint64: return Field::Uint64;
    case DataType::String: return Field::String;
    default: return Field::Int32;
  }
}

std::uint64_t entries(const ir::Tensor& tensor, Field field) {
  switch (field) {
    case Field::Raw: return tensor.raw_data.get().size();
    case Field::Float: return tensor.float_data.size();
    case Field::Int32: return tensor.int32_data.size();
    case Field::String: return tensor.string_data.size();
    case Field::Int64: return tensor.int64_data.size();
    case Field::Double: return tensor.double_data.size();
    case Field::Uint64: return tensor.uint64_data.size();
  }
  return 0;
}

bool is_complex(DataType type) { return type == DataType::Complex64 || type == DataType::Complex128; }
bool is_float6(DataType type) { return type == DataType::Float6E2M3 || type == DataType::Float6E3M2; }
bool is_16_or_8_bit_float(DataType type) {
  switch (type) {
    case DataType::Float16:
    case DataType::BFloat16:
    case DataType::Float8E4M3FN:
    case DataType::Float8E4M3FNUZ:
    case DataType::Float8E5M2:
    case DataType::Float8E5M2FNUZ:
    case DataType::Float8E8M0: return true;
    default: return false;
  }
}

struct Stored {
  Context& ctx;
  const Place& place;
  const ir::Tensor& tensor;
  DataType type;
  std::int64_t count;  // elements that the message holds
};

// Raw_data:

void report_raw_size(const Stored& s, const std::string& expected) {
  const std::string message = "raw_data has " + number(s.tensor.raw_data.get().size()) + " bytes, but " +
                              number(s.count) + " elements of " + name_of(s.type) + " take " + expected;
  const char* hint =
      "dims, data_type and raw_data have to belong together; raw_data packs 4-bit elements two to a byte, "
      "2-bit ones four to a byte and 6-bit ones four to three bytes";
  switch (s.type) {
    case DataType::Int4:
    case DataType::Uint4: return s.ctx.report("tensor.raw.int4", s.place, message, hint);
    case DataType::Int2:
    case DataType::Uint2: return s.ctx.report("tensor.raw.int2", s.place, message, hint);
    case DataType::Float4E2M1: return s.ctx.report("tensor.raw.float4", s.place, message, hint);
    case DataType::Float6E2M3:
    case DataType::Float6E3M2: return s.ctx.report("tensor.raw.float6", s.place, message, hint);
    default:
      return s.ctx.report("tensor.raw.size", s.place, message, "dims, data_type and raw_data have to belong together");
  }
}

// Bits after the last element of a packed type. int4's are not said to be zero anywhere.
void check_padding(const Stored& s, const ir::Bytes& raw) {
  const int width = storage_bits(s.type);
  const unsigned used =
      static_cast<unsigned>(static_cast<std::uint64_t>(s.count) % 8 * static_cast<unsigned>(width) % 8);
  if (width >= 8 || used == 0) return;
  const unsigned padding = std::to_integer<unsigned>(raw[raw.size() - 1]) >> used;
  if (padding == 0) return;
  const std::string message =
      "the last " + number(std::uint64_t{8} - used) + " bits of raw_data belong to no element and are not zero";
  const char* hint = "write zeros there";
  if (is_float6(s.type))
    s.ctx.report("tensor.raw.float6", s.place, message, hint);
  else if (width == 2)
    s.ctx.report("tensor.raw.int2", s.place, message, hint);
}

void check_raw(const Stored& s) {
  const ir::Bytes& raw = s.tensor.raw_data.get();
  if (s.type == DataType::String) {
    s.ctx.report("tensor.raw.not-string", s.place, "the tensor's strings are in raw_data, which cannot hold strings",
                 "store strings in string_data");
    return;
  }
  const auto expected = base::packed_bytes(s.count, storage_bits(s.type));
  if (!expected || *expected != raw.size()) {
    report_raw_size(s, expected ? number(*expected) : "more than 64 bits can count");
    return;
  }
  if (raw.empty()) return;
  check_padding(s, raw);
  if (s.type == DataType::Bool) {
    const auto* wrong = std::find_if(raw.begin(), raw.end(), [](std::byte b) { return b > std::byte{1}; });
    if (wrong != raw.end()) {
      s.ctx.report("tensor.raw.bool-byte", s.place,
                   "element " + number(static_cast<std::int64_t>(wrong - raw.begin())) + " of the bools is the byte " +
                       number(std::uint64_t{std::to_integer<std::uint8_t>(*wrong)}) + "; bools are 0 or 1",
                   "write 1 for true");
    }
  }
}

// Int32_data:

struct Range {
  std::int32_t low = 0, high = 0;
};

Range entry_range(DataType type, bool packed) {
  switch (type) {
    case DataType::Int8: return {-128, 127};
    case DataType::Int16: return {-32768, 32767};
    case DataType::Uint16:
    case DataType::Float16:
    case DataType::BFloat16: return {0, 65535};
    case DataType::Bool: return {0, 1};
    // A packed entry is a byte; writers that hold bytes as signed numbers write it so.
    case DataType::Int4: return packed ? Range{-128, 255} : Range{-8, 15};
    case DataType::Int2: return packed ? Range{-128, 255} : Range{-2, 3};
    case DataType::Uint4:
    case DataType::Float4E2M1: return packed ? Range{-128, 255} : Range{0, 15};
    case DataType::Uint2: return packed ? Range{-128, 255} : Range{0, 3};
    case DataType::Float6E2M3:
    case DataType::Float6E3M2: return {0, 63};
    default: return {0, 255};
  }
}

void check_entries(const Stored& s, bool packed) {
  if (s.type == DataType::Int32) return;
  const auto& data = s.tensor.int32_data;
  const Range range = entry_range(s.type, packed);
  const auto* wrong =
      std::find_if(data.begin(), data.end(), [&](std::int32_t v) { return v < range.low || v > range.high; });
  if (wrong == data.end()) return;
  const std::string message = "entry " + number(static_cast<std::int64_t>(wrong - data.begin())) +
                              " of int32_data is " + number(std::int64_t{*wrong}) + "; entries of " + name_of(s.type) +
                              (packed ? ", packed into bytes," : "") + " lie in " + number(std::int64_t{range.low}) +
                              ".." + number(std::int64_t{range.high});
  if (is_float6(s.type)) {
    s.ctx.report("tensor.field.float6", s.place, message, "write the six bits of one element into each entry");
  } else if (is_16_or_8_bit_float(s.type)) {
    s.ctx.report("tensor.field.float16-bits", s.place, message,
                 "an entry is the element's bit pattern, extended with zeros: float16 1.0 is 15360");
  } else if (s.type == DataType::Bool) {
    s.ctx.report("tensor.field.bool", s.place, message, "write 1 for true");
  } else {
    s.ctx.report("tensor.field.int32-range", s.place, message, "readers cut the value down to the type's bits");
  }
}

// Entries of uint64_data are wider than the elements that they hold.
void check_uint32(const Stored& s) {
  if (s.type != DataType::Uint32) return;
  const auto& data = s.tensor.uint64_data;
  const auto* wrong = std::find_if(data.begin(), data.end(), [](std::uint64_t v) { return v > UINT32_MAX; });
  if (wrong == data.end()) return;
  s.ctx.report("tensor.field.int32-range", s.place,
               "entry " + number(static_cast<std::int64_t>(wrong - data.begin())) + " of uint64_data is " +
                   number(*wrong) + "; entries of " + name_of(s.type) + " lie in 0.." +
                   number(std::uint64_t{UINT32_MAX}),
               "readers cut the value down to the type's bits");
}

// Counts:

void report_count(const Stored& s, Field field, std::uint64_t have, const std::string& want, bool more) {
  const std::string message = std::string(name_of(field)) + " has " + number(have) + " entries, but " +
                              number(s.count) + " elements of " + name_of(s.type) + " take " + want;
  const char* hint = "dims and data have to belong together";
  if (more)
    s.ctx.report("tensor.storage.count-exact", s.place, message, hint);
  else
    s.ctx.report("tensor.storage.count-enough", s.place, message, hint);
}

void check_complex(const Stored& s, Field field, std::uint64_t have) {
  const auto want = base::checked_mul(s.count, std::int64_t{2});
  if (want && static_cast<std::uint64_t>(*want) == have) return;
  if (have % 2 == 1 || have == static_cast<std::uint64_t>(s.count)) {
    s.ctx.report("tensor.field.complex-interleaved", s.place,
                 std::string(name_of(field)) + " has " + number(have) + " entries for " + number(s.count) +
                     " complex elements; each takes two, its real and its imaginary part",
                 "write real and imaginary parts alternately");
    return;
  }
  report_count(s, field, have, want ? number(*want) : "more than 64 bits can count",
               want && static_cast<std::uint64_t>(*want) < have);
}

// What lies in an entry, by the number of entries; nothing, which is reported, if it is none of those that are read.
enum class Packing { Element, Byte, Word };
std::optional<Packing> check_packed(const Stored& s, std::uint64_t have) {
  const int width = storage_bits(s.type);
  const std::uint64_t want = *base::packed_bytes(s.count, width);  // narrow types stay below 64 bits
  if (have == want) return Packing::Byte;
  if (have == static_cast<std::uint64_t>(s.count)) return Packing::Element;
  if (have == want / 4 + (want % 4 != 0)) return Packing::Word;
  const std::string message = "int32_data has " + number(have) + " entries, but " + number(s.count) + " elements of " +
                              name_of(s.type) + " take " + number(want) + ", " + std::to_string(8 / width) +
                              " to an entry, low bits first";
  const char* hint = "dims and data have to belong together; raw_data is the simpler place for packed elements";
  if (width == 4)
    s.ctx.report("tensor.field.int4-packing", s.place, message, hint);
  else
    s.ctx.report("tensor.field.int2-packing", s.place, message, hint);
  return std::nullopt;
}

void check_strings(const Stored& s) {
  bool reported_utf8 = false, reported_nul = false;
  for (std::size_t i = 0; i < s.tensor.string_data.size(); ++i) {
    const std::string_view text = ir::as_text(s.tensor.string_data[i]);
    if (!reported_utf8 && !format::is_utf8(text)) {
      reported_utf8 = true;
      s.ctx.report("tensor.string.utf8", s.place, "string " + number(std::uint64_t{i}) + " is not UTF-8",
                   "store other bytes as a uint8 tensor");
    }
    const bool bom = text.starts_with("\xef\xbb\xbf"), nul = text.ends_with('\0');
    if (!reported_nul && (bom || nul)) {
      reported_nul = true;
      s.ctx.report("tensor.string.no-nul-bom", s.place,
                   "string " + number(std::uint64_t{i}) +
                       (bom ? " begins with a byte order mark" : " ends with a NUL character"),
                   bom ? "drop the first three bytes" : "strings know their length: drop the NUL");
    }
  }
}

void check_typed(const Stored& s, Field field) {
  const std::uint64_t have = entries(s.tensor, field);
  if (is_complex(s.type)) return check_complex(s, field, have);
  auto packing = std::optional(Packing::Element);
  if (field == Field::Int32 && (storage_bits(s.type) == 4 || storage_bits(s.type) == 2)) {
    packing = check_packed(s, have);
    if (!packing || packing == Packing::Word) return;
  } else if (have != static_cast<std::uint64_t>(s.count)) {
    return report_count(s, field, have, number(s.count), have > static_cast<std::uint64_t>(s.count));
  }
  if (field == Field::Int32) check_entries(s, packing == Packing::Byte);
  if (field == Field::Uint64) check_uint32(s);
  if (field == Field::String) check_strings(s);
}

// Which field:

void report_wrong_field(Context& ctx, const Place& place, DataType type, Field field) {
  const std::string message = std::string(name_of(field)) + " cannot hold elements of " + name_of(type);
  const std::string hint =
      std::string("store them in ") + name_of(field_for(type)) + (type == DataType::String ? "" : " or raw_data");
  switch (field) {
    case Field::Float: return ctx.report("tensor.field.float", place, message, hint);
    case Field::Int32: return ctx.report("tensor.field.int32", place, message, hint);
    case Field::String: return ctx.report("tensor.field.string", place, message, hint);
    case Field::Int64: return ctx.report("tensor.field.int64", place, message, hint);
    case Field::Double: return ctx.report("tensor.field.double", place, message, hint);
    case Field::Uint64: return ctx.report("tensor.field.uint64", place, message, hint);
    case Field::Raw: return;
  }
}

constexpr Field kFields[] = {Field::Raw,   Field::Float,  Field::Int32, Field::String,
                             Field::Int64, Field::Double, Field::Uint64};

void check_inline(Context& ctx, const Place& place, const ir::Tensor& tensor, DataType type) {
  Field filled = Field::Raw;
  int count = 0;
  for (Field field : kFields) {
    if (entries(tensor, field) == 0) continue;
    if (count++ == 0) filled = field;
  }
  if (count > 1) {
    std::string names;
    for (Field field : kFields) {
      if (entries(tensor, field) > 0) (names += names.empty() ? "" : " and ") += name_of(field);
    }
    ctx.report("tensor.storage.exactly-one", place, "the tensor's data stand in " + names + " at once",
               "keep the one that holds the tensor's elements");
    return;
  }
  const auto elements = held_elements(tensor);
  if (count == 0) {
    if (!elements || *elements == 0) return;
    const bool early = ctx.ir_version() < 4 && tensor.data_location.get() == ir::kDataLocationExternal;
    ctx.report(
        "tensor.storage.exactly-one", place,
        "the tensor has " + number(*elements) + " elements of " + name_of(type) + ", but no data",
        early ? "data in external files exist from IR 4 on; this file is of IR " + std::to_string(ctx.ir_version())
              : std::string("fill ") + name_of(field_for(type)) + (type == DataType::String ? "" : " or raw_data"));
    return;
  }
  if (filled != Field::Raw && filled != field_for(type)) return report_wrong_field(ctx, place, type, filled);
  if (!elements) return;
  const Stored stored{ctx, place, tensor, type, *elements};
  if (filled == Field::Raw)
    check_raw(stored);
  else
    check_typed(stored, filled);
}

void check_dims(Context& ctx, const Place& place, const ir::Tensor& tensor) {
  const auto count = base::checked_count(tensor.dims);
  if (!count) {
    const auto negative = std::find_if(tensor.dims.begin(), tensor.dims.end(), [](std::int64_t d) { return d < 0; });
    if (negative != tensor.dims.end()) {
      ctx.report("tensor.dims.nonnegative", place,
                 "dimension " + number(static_cast<std::int64_t>(negative - tensor.dims.begin())) +
                     " of the tensor is " + number(*negative) + "; dimensions of a tensor are 0 or more",
                 "a constant's shape is fully known: write the real size");
    } else {
      ctx.report("tensor.dims.no-overflow", place,
                 "the tensor's dims " + norn::to_string(tensor.dims) + " make more elements than 63 bits can count",
                 "the dims are damaged or malicious");
    }
  }
  if (!tensor.segment) return;
  const std::int64_t begin = tensor.segment->begin, end = tensor.segment->end;
  if (begin < 0 || end < begin || (count && end > *count)) {
    ctx.report("tensor.segment.bounds", place,
               "the segment goes from element " + number(begin) + " to " + number(end) + ", but the tensor has " +
                   (count ? number(*count) : std::string("an unknown number of")) + " elements",
               "0 <= begin <= end <= number of elements");
  }
}

}  // namespace

void check_tensor(Context& ctx, const Place& place, const ir::Tensor& tensor, TensorUse) {
  const std::int32_t type = tensor.data_type;
  if (!tensor.data_type.has()) {
    ctx.report("tensor.data-type.present", place, "the tensor has no data_type", "set data_type, 1 (FLOAT) to 28");
  } else if (!known_type(tensor)) {
    ctx.report("tensor.data-type.valid", place,
               type == 0 ? "the tensor's data_type is UNDEFINED (0)"
                         : "the tensor's data_type " + std::to_string(type) + " is not one of the known ones, 1 to " +
                               std::to_string(kDataTypeCount - 1),
               "set data_type, 1 (FLOAT) to 28");
  }
  check_dims(ctx, place, tensor);
  if (tensor.data_location.has() || !tensor.external_data.empty()) check_external_data(ctx, place, tensor);
  if (const auto known = known_type(tensor); known && !ir::is_external(tensor, ctx.ir_version())) {
    check_inline(ctx, place, tensor, *known);
  }
  check_doc_string(ctx, place, tensor.doc_string.get());
  if (!tensor.metadata_props.empty()) check_metadata(ctx, place, tensor.metadata_props);
}

}  // namespace norn::checks
