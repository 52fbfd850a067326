// ImageDecoder: whatever the bytes are, there is an image of three dimensions, or none, or a refusal of its size.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bounded_memory.h"
#include "norn/error.h"
#include "norn/session.h"
#include "target.h"

namespace norn::fuzz {
namespace {

constexpr std::size_t kLargestInput = 1 << 16;
constexpr std::size_t kLargestAllocation = 64 << 20;

Session decoder(const std::string& format) {
  const std::string text = R"(<ir_version: 10, opset_import: ["" : 20]> g (uint8[N] file) => (uint8[H,W,C] image) {
    image = ImageDecoder <pixel_format = ")" +
                           format + "\"> (file) }";
  return Session(Model::parse(std::as_bytes(std::span(text)), Format::OnnxText));
}

}  // namespace

void check(const std::uint8_t* data, std::size_t size) {
  if (size > kLargestInput) return;
  static const Session colours = decoder("RGB"), reversed = decoder("BGR"), grey = decoder("Grayscale");
  Tensor file(DataType::Uint8, {static_cast<std::int64_t>(size)});
  std::copy_n(data, size, static_cast<std::uint8_t*>(file.mutable_data()));
  const BoundedMemory bounded(kLargestAllocation);
  std::vector<Value> images;
  for (const Session* session : {&colours, &reversed, &grey}) {
    try {
      images.push_back(session->run({{"file", file}}).at(0));
    } catch (const Error& error) {
      require(error.code() == ErrorCode::LimitExceeded, "only an image that is too large is refused");
      return;
    } catch (const std::bad_alloc&) {
      return;
    }
    require(images.back().tensor().rank() == 3, "an image has three dimensions");
  }
  const Tensor &rgb = images[0].tensor(), &bgr = images[1].tensor();
  require(rgb.dims() == bgr.dims(), "the order of colours changes no sizes");
  const auto *a = rgb.as<std::uint8_t>(), *b = bgr.as<std::uint8_t>();
  for (std::int64_t i = 0; i + 2 < rgb.size(); i += 3)
    require(a[i] == b[i + 2] && a[i + 1] == b[i + 1] && a[i + 2] == b[i], "colours in the other order");
}

}  // namespace norn::fuzz
