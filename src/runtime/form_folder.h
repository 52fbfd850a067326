// Packed constants kept in a folder of files, for the next process that has the same weights.
//
// A file is known by the contents that were packed, the recipe, and what else decides how the form looks
// (kernels/packing_machine.h). Contents are known by a hash under a secret of the folder, which the first user draws:
// without reading it, a model cannot be made whose weights are taken for those of another. A file is read into memory
// and compared with its sum there: one that is torn, cut or of another build counts as absent, and is written again;
// later changes to it do not matter. Files appear whole, so that any number of processes may share a folder.
//
// The sum, under the folder's secret, does not protect from users who may read the secret and write there: they can
// change what models answer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/descriptor.h"
#include "base/fork.h"
#include "base/hash.h"
#include "runtime/shared_forms.h"

namespace norn::runtime {

// Thread-safe.
class FormFolder {
 public:
  // This process's object for a path; the folder is made, with its secret, where there is none yet. One that this
  // process may not make or use keeps nothing, and problem() says why. Throws norn::Error (Io, InvalidArgument) if the
  // path cannot be a folder of packed weights.
  static std::shared_ptr<FormFolder> at(const std::string& path);

  // Forms of sessions with this folder, which have their hashes by its secret.
  SharedForms& shared() noexcept { return folder_ ? shared_ : SharedForms::of_process(); }

  struct Form {
    std::shared_ptr<const void> memory;
    std::size_t found_bytes = 0, written_bytes = 0;
  };
  // The form, if there is a file of it that is whole.
  Form find(const SharedForms::Key& key) const;
  // Writes a form of kernels::aligned_buffer(). A failure is kept for problem(), as a session runs without files, too.
  Form keep(const SharedForms::Key& key, std::shared_ptr<const void> form);

  static bool is_worthwhile(std::size_t contents_bytes) noexcept { return contents_bytes >= std::size_t{64} << 10; }

  const std::string& path() const noexcept { return path_; }
  std::string problem() const;  // of the folder, or of the first form that could not be written, or ""

  struct Place {
    base::Descriptor folder;  // none if it cannot be used
    base::HashSecret secret;
    std::string problem;
  };
  FormFolder(const std::string& path, Place place);

 private:
  std::string name_of(const std::string& key_text) const;

  std::string path_;
  const base::Descriptor folder_;
  const base::HashSecret secret_;
  SharedForms shared_;
  mutable base::ForkSafeMutex mutex_;
  std::string problem_;
};

}  // namespace norn::runtime
