#include "format/npz.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <string_view>

#include "base/atomic_file.h"
#include "base/text.h"
#include "format/bounds.h"
#include "format/notation.h"
#include "format/npy.h"
#include "norn/error.h"

namespace norn::format {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                        kLocator64 = 0x07064b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20;
constexpr std::uint16_t kStored = 0, kDeflated = 8, kEncrypted = 1, kUtf8 = 0x800, kZip64Extra = 1;
constexpr std::uint16_t kAlignExtra = 0xd935;  // padding that readers skip
constexpr std::uint32_t kMax32 = 0xffffffff;
constexpr std::uint64_t kMaxRatio = 1032;  // of deflate
constexpr std::string_view kTypeComment = "onnx:";

[[noreturn]] void bad_npz(std::string message, ErrorCode code = ErrorCode::InvalidArgument, std::string hint = {}) {
  throw Error(code, "not a readable .npz file: " + std::move(message), {}, std::move(hint));
}

template <class T>
T get(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}
std::uint16_t u16(const std::byte* p) { return get<std::uint16_t>(p); }
std::uint32_t u32(const std::byte* p) { return get<std::uint32_t>(p); }
std::uint64_t u64(const std::byte* p) { return get<std::uint64_t>(p); }

// Code page 437 from 0x80 on, which names are in that are not marked as UTF-8.
constexpr std::uint16_t kPage437[128] = {
    0x00c7, 0x00fc, 0x00e9, 0x00e2, 0x00e4, 0x00e0, 0x00e5, 0x00e7, 0x00ea, 0x00eb, 0x00e8, 0x00ef, 0x00ee,
    0x00ec, 0x00c4, 0x00c5, 0x00c9, 0x00e6, 0x00c6, 0x00f4, 0x00f6, 0x00f2, 0x00fb, 0x00f9, 0x00ff, 0x00d6,
    0x00dc, 0x00a2, 0x00a3, 0x00a5, 0x20a7, 0x0192, 0x00e1, 0x00ed, 0x00f3, 0x00fa, 0x00f1, 0x00d1, 0x00aa,
    0x00ba, 0x00bf, 0x2310, 0x00ac, 0x00bd, 0x00bc, 0x00a1, 0x00ab, 0x00bb, 0x2591, 0x2592, 0x2593, 0x2502,
    0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557, 0x255d, 0x255c, 0x255b, 0x2510, 0x2514,
    0x2534, 0x252c, 0x251c, 0x2500, 0x253c, 0x255e, 0x255f, 0x255a, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550,
    0x256c, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256b, 0x256a, 0x2518, 0x250c,
    0x2588, 0x2584, 0x258c, 0x2590, 0x2580, 0x03b1, 0x00df, 0x0393, 0x03c0, 0x03a3, 0x03c3, 0x00b5, 0x03c4,
    0x03a6, 0x0398, 0x03a9, 0x03b4, 0x221e, 0x03c6, 0x03b5, 0x2229, 0x2261, 0x00b1, 0x2265, 0x2264, 0x2320,
    0x2321, 0x00f7, 0x2248, 0x00b0, 0x2219, 0x00b7, 0x221a, 0x207f, 0x00b2, 0x25a0, 0x00a0};

std::string from_page_437(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    append_utf8(utf8, byte < 0x80 ? byte : kPage437[byte - 0x80]);
  }
  return utf8;
}

struct Entry {
  std::string name, comment;
  std::uint16_t method = kStored;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0, size = 0, header = 0, data = 0;
};

class Archive {
 public:
  explicit Archive(const ir::Bytes& bytes) : bytes_(bytes) {}

  std::vector<Entry> entries() {
    find_directory();
    // An entry takes 46 bytes at least, so a false count asks for no memory.
    if (count_ > size_ / kCentralSize) bad_npz("it claims more entries than it has room for");
    std::vector<Entry> list;
    std::uint64_t at = offset_;
    for (std::uint64_t i = 0; i < count_; ++i) list.push_back(entry(at));
    check_overlap(list);
    return list;
  }

 private:
  const std::byte* need(std::uint64_t at, std::uint64_t n, const char* what) const {
    if (at > bytes_.size() || n > bytes_.size() - at) bad_npz(std::string("it ends within ") + what);
    return bytes_.data() + at;
  }

  void find_directory() {
    if (bytes_.size() < kEndSize) bad_npz("it is too short");
    const std::uint64_t last = bytes_.size() - kEndSize, first = last > 0xffff ? last - 0xffff : 0;
    std::uint64_t end = last + 1;
    while (end-- > first) {
      const std::byte* p = bytes_.data() + end;
      if (u32(p) == kEnd && u16(p + 20) == last - end) break;
      if (end == first) bad_npz("it has no directory", ErrorCode::InvalidArgument, "the file was probably cut off");
    }
    const std::byte* p = bytes_.data() + end;
    if (u16(p + 4) != 0 || u16(p + 6) != 0) {
      if (u16(p + 4) != 0xffff) bad_npz("it is one part of several", ErrorCode::NotImplemented);
    }
    count_ = u16(p + 10), size_ = u32(p + 12), offset_ = u32(p + 16);
    if (count_ == 0xffff || size_ == kMax32 || offset_ == kMax32) {
      if (end >= kLocatorSize && u32(bytes_.data() + end - kLocatorSize) == kLocator64) {
        const std::byte* q = need(u64(bytes_.data() + end - kLocatorSize + 8), kEnd64Size, "its directory's end");
        if (u32(q) != kEnd64) bad_npz("its directory's end is damaged");
        count_ = u64(q + 32), size_ = u64(q + 40), offset_ = u64(q + 48);
      }
    }
    need(offset_, size_, "its directory");
  }

  Entry entry(std::uint64_t& at) const {
    const std::uint64_t end = offset_ + size_;
    const auto take = [&](std::uint64_t n) {
      if (n > end - at) bad_npz("its directory is damaged");
      const std::byte* p = bytes_.data() + at;
      at += n;
      return p;
    };
    const std::byte* p = take(kCentralSize);
    if (u32(p) != kCentral) bad_npz("its directory is damaged");
    Entry e;
    e.method = u16(p + 10), e.crc = u32(p + 16), e.packed = u32(p + 20), e.size = u32(p + 24), e.header = u32(p + 42);
    const std::uint16_t extra_size = u16(p + 30), comment_size = u16(p + 32);
    e.name.assign(reinterpret_cast<const char*>(take(u16(p + 28))), u16(p + 28));
    if (!(u16(p + 8) & kUtf8)) e.name = from_page_437(e.name);
    wide_sizes(e, {take(extra_size), extra_size});
    e.comment.assign(reinterpret_cast<const char*>(take(comment_size)), comment_size);
    if (u16(p + 8) & kEncrypted)
      bad_npz("its entry " + base::quoted(e.name) + " is encrypted", ErrorCode::NotImplemented);
    const std::byte* local = need(e.header, kLocalSize, "an entry");
    if (u32(local) != kLocal) bad_npz("its entry " + base::quoted(e.name) + " is damaged");
    e.data = e.header + kLocalSize + u16(local + 26) + u16(local + 28);
    need(e.data, e.packed, "an entry");
    return e;
  }

  static void wide_sizes(Entry& e, std::span<const std::byte> extra) {
    while (extra.size() >= 4) {
      const std::size_t n = u16(extra.data() + 2);
      if (n > extra.size() - 4) return;
      if (u16(extra.data()) == kZip64Extra) {
        std::span<const std::byte> fields = extra.subspan(4, n);
        for (std::uint64_t* field : {&e.size, &e.packed, &e.header}) {
          if (*field != kMax32) continue;
          if (fields.size() < 8) bad_npz("its entry " + base::quoted(e.name) + " is damaged");
          *field = u64(fields.data());
          fields = fields.subspan(8);
        }
        return;
      }
      extra = extra.subspan(4 + n);
    }
  }

  static void check_overlap(const std::vector<Entry>& list) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    ranges.reserve(list.size());
    for (const Entry& e : list) ranges.emplace_back(e.header, e.data + e.packed);
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i)
      if (ranges[i].first < ranges[i - 1].second) bad_npz("its entries overlap");
  }

  const ir::Bytes& bytes_;
  std::uint64_t count_ = 0, size_ = 0, offset_ = 0;
};

ir::Bytes inflate_entry(std::span<const std::byte> packed, std::uint64_t size) {
  std::shared_ptr<std::byte[]> out(new std::byte[size]);
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&z, inflateEnd);
  constexpr std::size_t kStep = std::size_t{1} << 30;  // zlib counts in 32 bits
  std::uint64_t read = 0, written = 0;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    const auto in = static_cast<uInt>(std::min<std::uint64_t>(kStep, packed.size() - read));
    const auto room = static_cast<uInt>(std::min<std::uint64_t>(kStep, size - written));
    z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + read));
    z.avail_in = in;
    z.next_out = reinterpret_cast<Bytef*>(out.get() + written);
    z.avail_out = room;
    state = inflate(&z, Z_NO_FLUSH);
    const std::uint64_t taken = in - z.avail_in, made = room - z.avail_out;
    read += taken, written += made;
    if (state != Z_OK && state != Z_STREAM_END)
      bad_npz("an entry's compressed data is damaged or longer than it claims");
    if (state == Z_OK && taken == 0 && made == 0) bad_npz("an entry's compressed data is longer than it claims");
  }
  if (written != size) bad_npz("an entry's compressed data is shorter than it claims");
  const std::byte* data = out.get();
  return ir::Bytes(data, static_cast<std::size_t>(size), std::move(out));
}

ir::Bytes contents(const ir::Bytes& bytes, const Entry& e) {
  ir::Bytes data;
  const std::span<const std::byte> packed = bytes.span().subspan(e.data, e.packed);
  if (e.method == kStored) {
    if (e.packed != e.size) bad_npz("a stored entry has two sizes");
    data = ir::Bytes(packed.data(), packed.size(), bytes.owner());
  } else {
    data = inflate_entry(packed, e.size);
  }
  if (crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()) != e.crc)
    bad_npz("an entry's checksum is wrong");
  return data;
}

DataType raw_type(const Entry& e) {
  return e.comment.starts_with(kTypeComment) ? data_type_from_name(e.comment.substr(kTypeComment.size()))
                                             : DataType::Undefined;
}

}  // namespace

bool is_zip(const ir::Bytes& bytes) noexcept {
  return bytes.size() >= 4 && (u32(bytes.data()) == kLocal || u32(bytes.data()) == kEnd);
}

std::vector<std::pair<std::string, Tensor>> read_npz(const ir::Bytes& bytes, const Limits& limits) {
  Bounds(bytes.size(), limits);
  std::vector<std::pair<std::string, Tensor>> arrays;
  std::set<std::string> names;
  std::uint64_t total = 0;
  for (const Entry& e : Archive(bytes).entries()) {
    std::string name = e.name.ends_with(".npy") ? e.name.substr(0, e.name.size() - 4) : e.name;
    try {
      if (e.method != kStored && e.method != kDeflated) {
        bad_npz("compression method " + std::to_string(e.method) + " is unknown", ErrorCode::NotImplemented);
      }
      if (e.method == kDeflated && e.size / kMaxRatio > e.packed) bad_npz("it claims to expand more than deflate can");
      if (e.size > limits.max_tensor_bytes || e.size > limits.max_bytes - std::min(total, limits.max_bytes)) {
        throw Error(ErrorCode::LimitExceeded, "the archive expands beyond the limits max_tensor_bytes and max_bytes");
      }
      total += e.size;
      if (!names.insert(name).second) bad_npz("the name is used twice");
      const ir::Bytes data = contents(bytes, e);
      if (!ir::as_text(data).starts_with("\x93NUMPY")) {
        bad_npz("it is not an array", ErrorCode::NotImplemented,
                "a zip archive is read as .npz, which holds one .npy file for each array");
      }
      arrays.emplace_back(name, read_npy(data, raw_type(e), limits));
    } catch (Error& error) {
      throw error.within("entry " + base::quoted(e.name));
    }
  }
  return arrays;
}

namespace {

class Record {
 public:
  template <class T>
  Record& put(T value) {
    return append(&value, sizeof(T));
  }
  Record& text(std::string_view s) { return append(s.data(), s.size()); }
  std::span<const std::byte> span() const { return bytes_; }

 private:
  Record& append(const void* data, std::size_t size) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    if (size > 0) std::memcpy(bytes_.data() + at, data, size);
    return *this;
  }

  std::vector<std::byte> bytes_;
};

std::uint32_t low(std::uint64_t v) { return v >= kMax32 ? kMax32 : static_cast<std::uint32_t>(v); }

std::uint16_t flags_of(const Entry& e) {
  const bool ascii = std::all_of(e.name.begin(), e.name.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  return ascii ? 0 : kUtf8;
}

// The local header, with as much padding as brings the data behind it to a multiple of 64.
Record local_header(const Entry& e, bool align) {
  const std::size_t bare = kLocalSize + e.name.size() + 20;
  std::size_t padding = 0;
  if (align) padding = (64 - (e.header + bare + 4) % 64) % 64 + 4;
  Record r;
  r.put(kLocal).put(std::uint16_t{45}).put(flags_of(e)).put(e.method).put(std::uint16_t{0}).put(std::uint16_t{0x21});
  r.put(e.crc).put(kMax32).put(kMax32);
  r.put(static_cast<std::uint16_t>(e.name.size())).put(static_cast<std::uint16_t>(20 + padding)).text(e.name);
  r.put(kZip64Extra).put(std::uint16_t{16}).put(e.size).put(e.packed);
  if (align) r.put(kAlignExtra).put(static_cast<std::uint16_t>(padding - 4)).text(std::string(padding - 4, '\0'));
  return r;
}

Record central_header(const Entry& e) {
  Record wide;
  for (const std::uint64_t v : {e.size, e.packed, e.header})
    if (low(v) == kMax32) wide.put(v);
  const auto extra = static_cast<std::uint16_t>(wide.span().empty() ? 0 : wide.span().size() + 4);
  Record r;
  r.put(kCentral).put(std::uint16_t{0x032d}).put(std::uint16_t{45}).put(flags_of(e)).put(e.method);
  r.put(std::uint16_t{0}).put(std::uint16_t{0x21}).put(e.crc).put(low(e.packed)).put(low(e.size));
  r.put(static_cast<std::uint16_t>(e.name.size())).put(extra).put(static_cast<std::uint16_t>(e.comment.size()));
  r.put(std::uint16_t{0}).put(std::uint16_t{0}).put(std::uint32_t{0600u << 16 | 1u << 31}).put(low(e.header));
  r.text(e.name);
  if (extra != 0) {
    r.put(kZip64Extra).put(static_cast<std::uint16_t>(extra - 4));
    r.text({reinterpret_cast<const char*>(wide.span().data()), wide.span().size()});
  }
  return r.text(e.comment);
}

void deflate_into(base::AtomicFile& file, std::span<const std::span<const std::byte>> pieces) {
  z_stream z{};
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&z, deflateEnd);
  std::vector<std::byte> buffer(std::size_t{1} << 18);
  const auto drain = [&](int flush) {
    do {
      z.next_out = reinterpret_cast<Bytef*>(buffer.data());
      z.avail_out = static_cast<uInt>(buffer.size());
      deflate(&z, flush);
      file.write({buffer.data(), buffer.size() - z.avail_out});
    } while (z.avail_out == 0);
  };
  for (std::span<const std::byte> piece : pieces) {
    while (!piece.empty()) {
      const std::size_t n = std::min(piece.size(), std::size_t{1} << 30);
      z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(piece.data()));
      z.avail_in = static_cast<uInt>(n);
      drain(Z_NO_FLUSH);
      piece = piece.subspan(n);
    }
  }
  z.avail_in = 0;
  drain(Z_FINISH);
}

}  // namespace

void write_npz(std::span<const std::pair<std::string, Tensor>> arrays, const std::string& path, bool compress) {
  base::AtomicFile file(path, base::Stored::BeforeReplacing);
  std::vector<Entry> entries;
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : arrays) {
    if (name.empty() || name.size() > 60000 || name.find('\0') != std::string::npos || !names.insert(name).second) {
      throw Error(ErrorCode::InvalidArgument, "arrays of an .npz need names of their own, not empty and without NUL: " +
                                                  base::quoted(name.substr(0, 100)));
    }
    if (!is_utf8(name)) {
      throw Error(ErrorCode::InvalidArgument,
                  "the name " + base::quoted(name.substr(0, 100)) + " is not UTF-8, and names in an .npz are");
    }
    Entry e;
    e.name = name + ".npy";
    e.method = compress ? kDeflated : kStored;
    e.header = file.size();
    if (is_raw_in_npy(tensor.dtype()))
      e.comment = std::string(kTypeComment) + std::string(data_type_name(tensor.dtype()));
    const std::vector<std::byte> head = write_npy_header(tensor);
    std::span<const std::byte> body;
    if (tensor.dtype() != DataType::String) body = {static_cast<const std::byte*>(tensor.data()), tensor.bytes()};
    e.size = head.size() + body.size();
    e.crc = static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size()));
    // zlib takes a null pointer for a request to start anew.
    if (!body.empty()) {
      e.crc = static_cast<std::uint32_t>(crc32_z(e.crc, reinterpret_cast<const Bytef*>(body.data()), body.size()));
    }
    file.write(local_header(e, !compress).span());
    e.data = file.size();
    const std::span<const std::byte> pieces[] = {head, body};
    if (compress) {
      deflate_into(file, pieces);
    } else {
      for (const auto piece : pieces) file.write(piece);
    }
    e.packed = file.size() - e.data;
    file.write_at(e.header, local_header(e, !compress).span());
    entries.push_back(std::move(e));
  }
  const std::uint64_t directory = file.size(), count = entries.size();
  for (const Entry& e : entries) file.write(central_header(e).span());
  const std::uint64_t end = file.size(), size = end - directory;
  Record tail;
  if (count >= 0xffff || low(size) == kMax32 || low(directory) == kMax32) {
    tail.put(kEnd64).put(std::uint64_t{kEnd64Size - 12}).put(std::uint16_t{45}).put(std::uint16_t{45});
    tail.put(std::uint32_t{0}).put(std::uint32_t{0}).put(count).put(count).put(size).put(directory);
    tail.put(kLocator64).put(std::uint32_t{0}).put(end).put(std::uint32_t{1});
  }
  const auto few = static_cast<std::uint16_t>(std::min<std::uint64_t>(count, 0xffff));
  tail.put(kEnd).put(std::uint16_t{0}).put(std::uint16_t{0}).put(few).put(few).put(low(size)).put(low(directory));
  tail.put(std::uint16_t{0});
  file.write(tail.span());
  file.commit();
}

}  // namespace norn::format
