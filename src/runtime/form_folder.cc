#include "runtime/form_folder.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/text.h"
#include "kernels/form_bytes.h"
#include "kernels/kernel.h"
#include "kernels/packing_machine.h"
#include "norn/error.h"

namespace norn::runtime {
namespace {

constexpr char kSecretName[] = "secret";

// A file begins with it; the key's text follows, and the form. Numbers as this machine has them: a file is for machines
// of one kind.
struct Header {
  std::array<char, 8> magic;
  std::uint64_t key_bytes, bytes;
  std::uint64_t low, high;  // the sum of the key and the form
};
constexpr std::array<char, 8> kMagic = {'N', 'O', 'R', 'N', 'F', 'O', 'R', 'M'};

struct SecretFile {
  std::array<char, 8> magic;
  unsigned char secret[sizeof base::HashSecret::bytes];
  std::uint64_t sum;
  std::uint64_t right_sum() const { return XXH3_64bits(secret, sizeof secret); }
};
constexpr std::array<char, 8> kSecretMagic = {'N', 'O', 'R', 'N', 'S', 'E', 'C', 'R'};

// No form takes more for each byte of contents: for a file that claims more, no memory is allocated.
constexpr std::size_t kMostGrowth = 64;

// A failure of permissions or space, after which a session runs without the folder.
struct Unusable {
  std::string problem;
};

[[noreturn]] void fail(const char* what, const std::string& path) {
  const int fault = errno;
  std::string message = std::string(what) + " " + base::quoted(path) + ": " + std::strerror(fault);
  for (const int left_out : {EACCES, EPERM, EROFS, ENOSPC, EDQUOT})
    if (fault == left_out) throw Unusable{std::move(message)};
  throw Error(ErrorCode::Io, std::move(message), {},
              "packed weights are kept in a folder that this process may read and write");
}

// A form is that of its key only.
ContentKey sum_with(const std::string& key, const ContentKey& form, const base::HashSecret& secret) {
  std::string all = key;
  for (const std::uint64_t number : {form.low, form.high})
    all.append(reinterpret_cast<const char*>(&number), sizeof number);
  return content_key(all.data(), all.size(), secret);
}

// False at the end of the file.
bool read_fully(int fd, void* to, std::size_t size, std::uint64_t offset) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t n = ::pread(fd, at, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, size -= static_cast<std::size_t>(n), offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

base::Descriptor open_in(const base::Descriptor& folder, const char* name) {
  return base::Descriptor(::openat(folder.get(), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

base::Descriptor copy_of(const base::Descriptor& d) { return base::Descriptor(::fcntl(d.get(), F_DUPFD_CLOEXEC, 0)); }

base::Descriptor open_folder(const std::string& path) {
  if (path.find('\0') != std::string::npos)
    throw Error(ErrorCode::InvalidArgument, "a path must not contain a NUL character");
  // Readable by its owner only, since it holds weights of models.
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail("cannot make the folder", path);
  base::Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) fail("cannot open the folder", path);
  return folder;
}

bool read_secret(const base::Descriptor& folder, const std::string& path, base::HashSecret& secret) {
  const base::Descriptor file = open_in(folder, kSecretName);
  if (!file && errno == ENOENT) return false;
  const std::string shown = path + "/" + kSecretName;
  if (!file) fail("cannot open", shown);
  SecretFile found;
  struct stat info;
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size != sizeof found ||
      !read_fully(file.get(), &found, sizeof found, 0) || found.magic != kSecretMagic ||
      found.sum != found.right_sum()) {
    throw Error(ErrorCode::Io, base::quoted(shown) + " is not the secret file of a folder of packed weights", {},
                "a folder for packed weights alone; remove the file, and all forms are packed again");
  }
  std::memcpy(secret.bytes, found.secret, sizeof secret.bytes);
  return true;
}

base::HashSecret secret_in(const base::Descriptor& folder, const std::string& path) {
  base::HashSecret secret;
  if (read_secret(folder, path, secret)) return secret;
  SecretFile drawn{kSecretMagic, {}, 0};
  if (::getrandom(drawn.secret, sizeof drawn.secret, 0) != sizeof drawn.secret) fail("no random bytes for", path);
  drawn.sum = drawn.right_sum();
  try {
    base::AtomicFile file(copy_of(folder), kSecretName, path + "/" + kSecretName);
    file.set_mode(0600);
    file.write(std::as_bytes(std::span(&drawn, 1)));
    file.commit(base::AtomicFile::Existing::Refuse);
  } catch (const Error& e) {
    if (!read_secret(folder, path, secret)) throw Unusable{e.what()};  // else another process was first
    return secret;
  }
  std::memcpy(secret.bytes, drawn.secret, sizeof secret.bytes);
  return secret;
}

FormFolder::Place place_at(const std::string& path) {
  FormFolder::Place place;
  try {
    place.folder = open_folder(path);
    place.secret = secret_in(place.folder, path);
  } catch (const Unusable& e) {
    place = {{}, {}, "the folder is left out: " + e.problem};
  }
  return place;
}

std::string text_of(const SharedForms::Key& key) {
  const auto& [contents, offset, recipe] = key;
  std::string text = kernels::packing_machine();
  for (const std::uint64_t number : {std::uint64_t{contents.bytes}, contents.low, contents.high, std::uint64_t{offset}})
    (text += '\n') += std::to_string(number);
  return (text += '\n') += recipe;
}

}  // namespace

std::shared_ptr<FormFolder> FormFolder::at(const std::string& path) {
  struct Known {
    base::ForkSafeMutex mutex;
    std::map<std::pair<dev_t, ino_t>, std::weak_ptr<FormFolder>> folders;
  };
  Known& known = *base::made_once([] { return std::make_unique<Known>(); });
  auto folder = std::make_shared<FormFolder>(path, place_at(path));
  struct stat info;
  if (!folder->folder_) return folder;
  if (::fstat(folder->folder_.get(), &info) != 0)
    throw Error(ErrorCode::Io, "cannot look at the folder " + base::quoted(path) + ": " + std::strerror(errno));
  std::lock_guard lock(known.mutex);
  std::erase_if(known.folders, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<FormFolder>& kept = known.folders[{info.st_dev, info.st_ino}];
  if (auto found = kept.lock()) return found;
  kept = folder;
  return folder;
}

FormFolder::FormFolder(const std::string& path, Place place)
    : path_(path),
      folder_(std::move(place.folder)),
      secret_(place.secret),
      shared_(secret_),
      problem_(std::move(place.problem)) {}

std::string FormFolder::name_of(const std::string& key_text) const {
  const XXH128_hash_t hash =
      XXH3_128bits_withSecret(key_text.data(), key_text.size(), secret_.bytes, sizeof secret_.bytes);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (const std::uint64_t word : {hash.high64, hash.low64})
    for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[word >> shift & 15];
  return name + ".packed";
}

// Read into memory rather than mapped: what was compared with its sum cannot change or be truncated then, and kernels
// read it in large pages.
FormFolder::Form FormFolder::find(const SharedForms::Key& key) const {
  if (!folder_) return {};
  const std::string text = text_of(key);
  const base::Descriptor file = open_in(folder_, name_of(text).c_str());
  Header header;
  struct stat info;
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      !read_fully(file.get(), &header, sizeof header, 0))
    return {};
  const std::size_t before = sizeof header + text.size();
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (header.magic != kMagic || header.key_bytes != text.size() || size < before || size - before != header.bytes ||
      header.bytes == 0 || header.bytes / kMostGrowth > std::get<ContentKey>(key).bytes)
    return {};
  std::string found(text.size(), '\0');
  if (!read_fully(file.get(), found.data(), found.size(), sizeof header) || found != text) return {};
  std::shared_ptr<void> form = kernels::aligned_buffer(header.bytes);
  base::prepare_to_fill(form.get(), header.bytes);
  std::atomic<bool> whole = true;
  const ContentKey form_sum = content_key_of(header.bytes, secret_, [&](std::size_t at, std::size_t n) {
    char* const to = static_cast<char*>(form.get()) + at;
    if (!read_fully(file.get(), to, n, before + at)) {
      std::memset(to, 0, n);
      whole = false;
    }
    return to;
  });
  const ContentKey sum = sum_with(text, form_sum, secret_);
  if (!whole || sum.low != header.low || sum.high != header.high) return {};
  return {std::move(form), header.bytes, 0};
}

FormFolder::Form FormFolder::keep(const SharedForms::Key& key, std::shared_ptr<const void> form) {
  const std::size_t bytes = kernels::form_bytes(form);
  if (!folder_ || bytes == 0 || bytes / kMostGrowth > std::get<ContentKey>(key).bytes) return {std::move(form)};
  const std::string text = text_of(key), name = name_of(text);
  const base::StopScope to_the_end(nullptr);  // the form is whole, and others share it
  try {
    const ContentKey sum = sum_with(text, content_key(form.get(), bytes, secret_), secret_);
    const Header header{kMagic, text.size(), bytes, sum.low, sum.high};
    // A file that a crash has cut short does not match its sum.
    base::AtomicFile file(copy_of(folder_), name, path_ + "/" + name, base::Stored::BeforeReplacing);
    file.set_mode(0600);
    file.write(std::as_bytes(std::span(&header, 1)));
    file.write(std::as_bytes(std::span(text)));
    file.write({static_cast<const std::byte*>(form.get()), bytes});
    file.commit();
    return {std::move(form), 0, bytes};
  } catch (const Error& e) {
    std::lock_guard lock(mutex_);
    if (problem_.empty()) problem_ = e.what();
  }
  return {std::move(form)};
}

std::string FormFolder::problem() const {
  std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace norn::runtime
