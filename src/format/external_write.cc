#include "format/external_write.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "base/mapped_file.h"
#include "base/text.h"
#include "ir/walk.h"
#include "norn/error.h"

namespace norn::format {
namespace {

constexpr std::size_t kMaxOpen = 256;                          // of descriptors; a process may have about a thousand
constexpr std::uint64_t kLargestGap = std::uint64_t{1} << 16;  // alignment of mapped files on every system

bool known_key(std::string_view key) {
  return key == "location" || key == "offset" || key == "length" || key == "checksum" || key == "basepath";
}

void clear_contents(ir::Tensor& t) {
  t.raw_data.clear();
  t.float_data = {}, t.int32_data = {}, t.int64_data = {}, t.double_data = {}, t.uint64_data = {};
  t.string_data.clear();
}

std::uint64_t aligned(std::uint64_t at, std::uint64_t alignment) {
  if (alignment <= 1) return at;
  const std::uint64_t up = (at + alignment - 1) & ~(alignment - 1);
  if (up < at) throw Error(ErrorCode::LimitExceeded, "a data file grows beyond 64-bit offsets");
  return up;
}

void check_alignment(std::uint64_t alignment) {
  if (alignment == 0 || (std::has_single_bit(alignment) && alignment <= (std::uint64_t{1} << 30))) return;
  throw Error(ErrorCode::InvalidArgument, "the alignment of tensors in a data file, " + std::to_string(alignment) +
                                              ", is not a power of two up to 2^30");
}

// "w.data", 2 -> "w-2.data"
std::string with_number(const std::string& location, unsigned number) {
  const auto slash = location.rfind('/');
  const auto dot = location.rfind('.');
  const bool extended = dot != std::string::npos && dot != 0 && (slash == std::string::npos || dot > slash + 1);
  const std::size_t at = extended ? dot : location.size();
  return location.substr(0, at) + "-" + std::to_string(number) + location.substr(at);
}

// Of appending to a file: what was there stays, and a file made for it goes. The error that leads here says more than
// those of undoing would.
struct Undo {
  const WritePlace& place;
  int fd;
  off_t end;
  bool made, needed = true;
  ~Undo() {
    struct stat now, named;
    if (!needed || ::fstat(fd, &now) != 0) return;
    [[maybe_unused]] const int cut = now.st_size == end ? 0 : ::ftruncate(fd, end);
    // Its name may have been given to another file meanwhile.
    if (made && ::fstatat(place.folder.get(), place.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        named.st_ino == now.st_ino && named.st_dev == now.st_dev) {
      ::unlinkat(place.folder.get(), place.name.c_str(), 0);
    }
  }
};

}  // namespace

ir::Bytes MappedFiles::add(OpenedFile file) {
  base::FileBytes mapped = base::map_descriptor(file.fd.get(), file.size, file.path);
  struct stat info;
  if (::fstat(file.fd.get(), &info) == 0) mode_ &= info.st_mode;
  Part part{ir::Bytes(mapped.bytes.data(), mapped.bytes.size(), std::move(mapped.owner)), {}};
  if (parts_.size() < kMaxOpen) part.fd = std::move(file.fd);
  parts_.push_back(std::move(part));
  return parts_.back().bytes;
}

void MappedFiles::append(base::AtomicFile& out, std::span<const std::byte> bytes) const {
  constexpr std::size_t kChunk = std::size_t{1} << 23, kPage = 4096;
  if (bytes.size() < kPage) return out.write(bytes);
  for (const Part& part : parts_) {
    // Integers, because the pointers may be of unrelated memory.
    const auto at = reinterpret_cast<std::uintptr_t>(bytes.data()),
               begin = reinterpret_cast<std::uintptr_t>(part.bytes.data());
    if (at < begin || at - begin >= part.bytes.size()) continue;
    if (part.fd) return out.copy(part.fd.get(), at - begin, bytes.size());
    // Pages of a mapping that were read count as memory of the process until they are given back.
    while (!bytes.empty()) {
      const auto chunk = bytes.first(std::min(bytes.size(), kChunk));
      out.write(chunk);
      const auto from = reinterpret_cast<std::uintptr_t>(chunk.data()) & ~(kPage - 1);
      ::madvise(reinterpret_cast<void*>(from), reinterpret_cast<std::uintptr_t>(chunk.data()) + chunk.size() - from,
                MADV_DONTNEED);
      bytes = bytes.subspan(chunk.size());
    }
    return;
  }
  out.write(bytes);
}

DataFileWriter::DataFileWriter(std::string folder, DataFileOptions options, const MappedFiles& sources)
    : folder_(std::move(folder)), options_(std::move(options)), sources_(sources) {
  check_alignment(options_.alignment);
}

std::string DataFileWriter::next_location() {
  ++numbered_;
  return numbered_ == 1 ? options_.location : with_number(options_.location, numbered_);
}

// There may be as many files as tensors: one at a time is open.
void DataFileWriter::begin_file() {
  const std::string location = next_location();
  if (files_.empty()) {
    files_.emplace_back(location, place_for_writing(folder_, location));
    mode_ = options_.mode.value_or(files_.back().file.mode());
    hide(files_.back().file);
    return;
  }
  File& last = files_.back();
  const std::string name = location.substr(location.rfind('/') + 1), &shown = last.file.path();
  files_.emplace_back(location, last, name, shown.substr(0, shown.rfind('/') + 1) + name);
  hide(files_.back().file);
  last.file.pause();
}

// Only its owner, until all that goes into it is known, and with that its permissions.
void DataFileWriter::hide(base::AtomicFile& file) { file.set_mode(0600); }

void DataFileWriter::add(ir::Tensor& tensor, std::span<const std::byte> bytes) {
  if (files_.empty()) begin_file();
  std::uint64_t offset = aligned(files_.back().file.size(), options_.alignment);
  if (options_.max_file_bytes != 0 && offset != 0 &&
      (offset > options_.max_file_bytes || bytes.size() > options_.max_file_bytes - offset)) {
    begin_file();
    offset = 0;
  }
  File& file = files_.back();
  file.file.write_zeros(offset - file.file.size());
  sources_.append(file.file, bytes);
  file.entries.push_back({&tensor, offset, bytes.size()});
}

void DataFileWriter::choose_name(File& file) {
  while (file.file.target_exists()) {
    if (file.file.same_as_target()) {
      file.exists = true;
      return;
    }
    if (!options_.may_rename) {
      throw Error(ErrorCode::InvalidArgument,
                  "the data file " + base::quoted(file.file.path()) +
                      " exists already with other content, which other "
                      "models may refer to",
                  {}, "choose another name for the data file, or remove it");
    }
    file.location = next_location();
    WritePlace place = place_for_writing(folder_, file.location);
    file.file.retarget(std::move(place.name), std::move(place.shown));
  }
}

void DataFileWriter::finish() {
  for (File& file : files_) {
    file.file.resume();
    choose_name(file);
    file.file.set_mode((mode_ & options_.at_most & sources_.mode()) | 0400);
    const std::string digest =
        options_.checksums ? sha1(file.file.fd(), file.file.size(), file.file.path()) : std::string();
    for (const Entry& e : file.entries) make_external(*e.tensor, file.location, e.offset, e.length, digest);
    file.file.pause();
  }
}

void DataFileWriter::commit() {
  for (File& file : files_) {
    if (file.exists)
      file.file.discard();
    else
      file.file.commit(base::AtomicFile::Existing::Refuse);
  }
}

void make_external(ir::Tensor& tensor, const std::string& location, std::uint64_t offset, std::uint64_t length,
                   const std::string& checksum) {
  ir::Metadata entries;
  const auto put = [&](const char* key, std::string value) {
    auto& e = entries.emplace_back();
    e.key = key;
    e.value = std::move(value);
  };
  put("location", location);
  put("offset", std::to_string(offset));
  put("length", std::to_string(length));
  if (!checksum.empty()) put("checksum", checksum);
  for (auto& e : tensor.external_data)
    if (!known_key(e.key.get())) entries.push_back(std::move(e));
  clear_contents(tensor);
  tensor.external_data = std::move(entries);
  tensor.data_location = ir::kDataLocationExternal;
}

void make_internal(ir::Tensor& tensor, ir::Bytes raw) {
  std::erase_if(tensor.external_data.mut_value(), [](const auto& e) { return known_key(e.key.get()); });
  tensor.data_location.clear();
  clear_contents(tensor);
  tensor.raw_data = std::move(raw);
}

void refuse_data_file(const ir::Model& model, std::initializer_list<std::string_view> folders,
                      const std::vector<std::string>& roots, const std::string& path) {
  namespace fs = std::filesystem;
  const auto same = [&](std::string_view folder, const std::string& location) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / location;
    std::error_code error;
    if (fs::equivalent(file, path, error)) return true;  // both exist
    return fs::absolute(file, error).lexically_normal() == fs::absolute(path, error).lexically_normal();
  };
  std::set<std::string> seen;
  ir::for_each_tensor(model, [&](const ir::Tensor& tensor) {
    if (tensor.data_location != ir::kDataLocationExternal) return;
    for (const auto& entry : tensor.external_data) {
      if (entry.key.get() != "location" || !seen.insert(entry.value.get()).second) continue;
      const std::string& location = entry.value.get();
      const auto lies_in = [&](const auto& folder) { return same(folder, location); };
      if (std::none_of(folders.begin(), folders.end(), lies_in) && std::none_of(roots.begin(), roots.end(), lies_in))
        continue;
      throw Error(ErrorCode::InvalidArgument,
                  base::quoted(path) + " is a data file of the model, whose tensors would be lost",
                  ir::describe(tensor), "write the model under another name");
    }
  });
}

void copy_external_files(const ir::Model& model, const std::string& from, const std::string& to,
                         const PathPolicy& policy) {
  std::error_code error;
  if (from.empty() ? policy.roots.empty() : std::filesystem::equivalent(from, to, error)) return;
  for (const ExternalFile& source : external_files(model, from, policy)) {
    WritePlace place = place_for_writing(to, source.location);
    if (std::filesystem::equivalent(source.file.path, place.shown, error)) continue;
    base::AtomicFile copy(std::move(place.folder), std::move(place.name), std::move(place.shown));
    struct stat info;
    if (::fstat(source.file.fd.get(), &info) == 0) copy.set_mode((copy.mode() & info.st_mode) | 0400);
    copy.copy(source.file.fd.get(), 0, source.file.size);
    if (!copy.target_exists()) {
      copy.commit(base::AtomicFile::Existing::Refuse);
    } else if (!copy.same_as_target()) {
      throw Error(ErrorCode::Io,
                  "the model's data file " + base::quoted(copy.path()) + " exists already with other content", {},
                  "save the model into an empty folder, or remove that file");
    }
  }
}

void append_external(ir::Tensor& tensor, const std::string& base_dir, std::uint64_t alignment) {
  check_alignment(alignment);
  if (!tensor.raw_data.has()) {
    throw Error(ErrorCode::InvalidArgument, "the tensor has no raw_data that could be saved to a data file",
                ir::describe(tensor));
  }
  const ExternalEntry entry = parse_external(tensor);
  WritePlace place = place_for_writing(base_dir, entry.location);
  const auto fail = [&](const char* what) {
    throw Error(ErrorCode::Io, what + (" " + base::quoted(place.shown) + ": ") + std::strerror(errno),
                ir::describe(tensor));
  };
  constexpr int kAppending = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  base::Descriptor fd;
  bool made = false;
  struct stat info;
  int tries = 0;
  do {
    const auto open = [&](int more) {
      fd = base::Descriptor(::openat(place.folder.get(), place.name.c_str(), kAppending | more, 0666));
      return static_cast<bool>(fd);
    };
    made = open(O_EXCL);
    if (!made && !open(0))
      fail(errno == ELOOP ? "the data file is a link, which is not followed for writing:" : "cannot open");
    // Two processes that append at once would write to the same offset.
    if (::flock(fd.get(), LOCK_EX) != 0 || ::fstat(fd.get(), &info) != 0) fail("cannot lock");
    // Its maker could not write to it, and has removed it meanwhile. Some file systems count no links at all.
  } while (info.st_nlink == 0 && ++tries < 100);
  if (!S_ISREG(info.st_mode) || info.st_nlink > 1) {
    throw Error(ErrorCode::InvalidArgument,
                "the data file " + base::quoted(place.shown) + " is not a regular file of one name",
                ir::describe(tensor), "remove it or choose another location");
  }
  const auto end = static_cast<std::uint64_t>(info.st_size);
  Undo undo{place, fd.get(), info.st_size, made && end == 0};
  const bool given = std::any_of(tensor.external_data.begin(), tensor.external_data.end(),
                                 [](const auto& e) { return e.key.get() == "offset"; });
  const std::uint64_t offset = given ? entry.offset : aligned(end, alignment);
  if (offset < end || offset - end > std::max(kLargestGap, alignment)) {
    throw Error(ErrorCode::InvalidArgument,
                "data can only be appended to " + base::quoted(place.shown) + ", which has " + std::to_string(end) +
                    " bytes, and the tensor's offset is " + std::to_string(offset),
                ir::describe(tensor), "leave out the offset");
  }
  const ir::Bytes raw = tensor.raw_data.get();
  for (std::size_t done = 0; done < raw.size();) {
    const ssize_t n = ::pwrite(fd.get(), raw.data() + done, std::min(raw.size() - done, std::size_t{1} << 30),
                               static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot write");
    done += static_cast<std::size_t>(n);
  }
  if (raw.empty() && ::ftruncate(fd.get(), static_cast<off_t>(offset)) != 0) fail("cannot write");
  if (::fsync(fd.get()) != 0) fail("cannot write");
  make_external(tensor, entry.location, offset, raw.size());
  undo.needed = false;
}

}  // namespace norn::format
