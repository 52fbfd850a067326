#include "norn/external.h"

#include "format/external.h"
#include "format/external_write.h"
#include "format/wire.h"

namespace norn {
namespace {

ir::Tensor parse_tensor(std::span<const std::byte> bytes, const Limits& limits = {}) {
  return format::read_message<ir::Tensor>(ir::Bytes(std::vector<std::byte>(bytes.begin(), bytes.end())), limits);
}

// A model from memory has no folder; here the caller gives one.
std::string folder(const std::string& base_dir) { return base_dir.empty() ? "." : base_dir; }

}  // namespace

SharedBytes load_external_tensor(std::span<const std::byte> tensor, const std::string& base_dir,
                                 const LoadOptions& options) {
  const ir::Tensor parsed = parse_tensor(tensor, options.limits);
  if (parsed.data_location != ir::kDataLocationExternal) {
    if (!parsed.raw_data.has()) {
      throw Error(ErrorCode::InvalidArgument, "the tensor has neither external data nor raw_data",
                  ir::describe(parsed));
    }
    const ir::Bytes& raw = parsed.raw_data;
    return {raw.span(), raw.owner()};
  }
  const ir::Bytes bytes = format::external_reader(folder(base_dir), format::external_access(options))(parsed);
  return {bytes.span(), bytes.owner()};
}

ExternalDataFile open_external(const std::string& location, const std::string& base_dir, const LoadOptions& options) {
  format::OpenedFile file = format::open_location(folder(base_dir), location, format::path_policy(options));
  return {file.fd.release(), std::move(file.path), file.size};
}

std::vector<std::byte> save_external_tensor(std::span<const std::byte> tensor, const std::string& base_dir,
                                            std::uint64_t alignment) {
  ir::Tensor parsed = parse_tensor(tensor);
  format::append_external(parsed, base_dir, alignment);
  return format::write_message(parsed);
}

}  // namespace norn
