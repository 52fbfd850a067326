#include "format/external_pack.h"

#include <map>
#include <utility>

#include "ir/tensor_data.h"
#include "ir/walk.h"
#include "norn/error.h"

namespace norn::format {
namespace {

// External bytes of tensors, each file mapped once.
class Contents {
 public:
  Contents(std::string base_dir, const ExternalAccess& access, MappedFiles& files)
      : base_dir_(std::move(base_dir)), access_(access), files_(files) {}

  ir::Bytes of(const ir::Tensor& tensor) {
    if (access_.reader) return reader()(tensor);
    const ExternalEntry entry = parse_external(tensor);
    try {
      auto found = mapped_.find(entry.location);
      if (found == mapped_.end()) {
        OpenedFile file = open_location(base_dir_, entry.location, access_.policy);
        Mapped mapped;
        mapped.path = file.path;
        if (access_.checksums && entry.checksum) mapped.checksum = sha1(file.fd.get(), file.size, file.path);
        mapped.bytes = files_.add(std::move(file));
        found = mapped_.emplace(entry.location, std::move(mapped)).first;
      }
      const Mapped& mapped = found->second;
      if (access_.checksums && entry.checksum && mapped.checksum != *entry.checksum) {
        if (mapped.checksum.empty()) found->second.checksum = sha1(mapped.bytes.span());
        check_digest(mapped.path, mapped.checksum, *entry.checksum);
      }
      const std::uint64_t length = checked_length(entry, mapped.bytes.size(), mapped.path);
      return ir::Bytes(mapped.bytes.data() + entry.offset, static_cast<std::size_t>(length), mapped.bytes.owner());
    } catch (Error& e) {
      throw e.within(ir::describe(tensor));
    }
  }

 private:
  struct Mapped {
    ir::Bytes bytes;
    std::string path, checksum;
  };
  const ir::ExternalReader& reader() {
    if (!reader_) reader_ = external_reader(base_dir_, access_);
    return reader_;
  }

  const std::string base_dir_;
  const ExternalAccess& access_;
  MappedFiles& files_;
  ir::ExternalReader reader_;
  std::map<std::string, Mapped> mapped_;
};

// The bytes of a tensor in the model as a data file holds them; nothing if it should stay.
ir::Bytes stored_bytes(const ir::Tensor& tensor) {
  const bool typed = !tensor.float_data.empty() || !tensor.int32_data.empty() || !tensor.int64_data.empty() ||
                     !tensor.double_data.empty() || !tensor.uint64_data.empty();
  if (tensor.segment || !tensor.string_data.empty()) return {};
  if (!typed) return tensor.raw_data.get();
  if (tensor.raw_data.has()) return {};
  try {
    return ir::from_value(ir::to_value(tensor)).raw_data.get();
  } catch (const Error&) {
    return {};  // the checker reports it
  }
}

bool is_external(const ir::Tensor& tensor) { return tensor.data_location == ir::kDataLocationExternal; }

}  // namespace

void pack_tensors(ir::Model& model, const std::string& base_dir, const ExternalAccess& access, MappedFiles& files) {
  Contents contents(base_dir, access, files);
  ir::for_each_tensor(model, [&](ir::Tensor& tensor, bool) {
    if (is_external(tensor)) make_internal(tensor, contents.of(tensor));
  });
}

void unpack_tensors(ir::Model& model, std::uint64_t threshold, const std::string& base_dir,
                    const ExternalAccess& access, MappedFiles& files, DataFileWriter& writer) {
  Contents contents(base_dir, access, files);
  ir::for_each_tensor(model, [&](ir::Tensor& tensor, bool loaded_inside) {
    if (is_external(tensor)) {
      ir::Bytes bytes = contents.of(tensor);
      if (bytes.size() < threshold || bytes.empty())
        make_internal(tensor, std::move(bytes));
      else
        writer.add(tensor, bytes.span());
      return;
    }
    if (loaded_inside) return;
    const ir::Bytes bytes = stored_bytes(tensor);
    if (bytes.size() >= threshold && !bytes.empty()) writer.add(tensor, bytes.span());
  });
}

void strip_tensors(ir::Model& model) {
  ir::for_each_tensor(model, [](ir::Tensor& tensor, bool) {
    make_internal(tensor, {});
    tensor.raw_data.clear();
    tensor.external_data.clear();
  });
}

}  // namespace norn::format
