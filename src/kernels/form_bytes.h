// How large a packed constant is.
#pragma once
#include <cstddef>
#include <memory>

namespace norn::kernels {

// The bytes of an aligned_buffer() that begins where `form` points, 0 if that is other memory.
std::size_t form_bytes(const std::shared_ptr<const void>& form);

}  // namespace norn::kernels
