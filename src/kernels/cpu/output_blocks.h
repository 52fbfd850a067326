// Constant factors that oneDNN wants in blocks of outputs, one block behind the other. Such a form is packed as a whole
// here, and the form of any outputs that begin with a block is a part of it: how work is cut makes no other forms.
// Internal to the kernels.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "kernels/cpu/onednn.h"

namespace norn::kernels {

class OutputBlocks {
 public:
  // Of a descriptor in f32 whose dimension `output` counts outputs; nothing if it is laid out otherwise.
  static std::optional<OutputBlocks> of(const dnnl::memory::desc& desc, std::size_t output);

  // The part of the form of all `outputs` of `contents`, which begin at its byte `offset`, that `desc` wants for those
  // from `first` on. `strides`: of the contents, in elements, in the descriptor's order of dimensions.
  std::shared_ptr<const void> part(const Contents& contents, std::size_t offset, const dnnl_dims& strides,
                                   std::int64_t outputs, std::int64_t first, PackedConstants& packed) const;
  // Whether a part may end there.
  bool ends_at(std::int64_t output, std::int64_t outputs) const noexcept {
    return output == outputs || output % block_ == 0;
  }
  bool begins_at(std::int64_t output) const noexcept { return output % block_ == 0; }

 private:
  struct Dim {
    std::int64_t size, stride;  // in the form; of one that is blocked too, as if it were not
    std::size_t at;             // in the descriptor
  };
  std::shared_ptr<const void> pack(const char* source, const dnnl_dims& strides, std::int64_t outputs) const;
  bool copy_rows(const char* source, const dnnl_dims& strides, std::int64_t outputs, float* to) const;
  void copy(const char* source, const dnnl_dims& strides, std::int64_t outputs, float* to) const;

  std::size_t output_ = 0;
  std::int64_t block_ = 1, block_stride_ = 0;
  bool padded_ = false;    // dimensions beside the outputs
  std::vector<Dim> dims_;  // beside the outputs, those with the largest strides first
};

}  // namespace norn::kernels
