// How recipes of packed constants are written (PackedConstants::get).
#pragma once
#include <string_view>

namespace norn::kernels {

// Begins those that name addresses, as of scales beside the contents: such a form is not for other models.
inline constexpr std::string_view kOfAddresses = "here: ";

}  // namespace norn::kernels
