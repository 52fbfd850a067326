// The work is done by small models of ONNX's own operators, which the library runs as any other.
#include "image_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

#include "command.h"
#include "inputs.h"
#include "norn/text.h"
#include "streams.h"

namespace norn::cli {

namespace {

Value run_text(const std::string& text, const Value& x) {
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(text.data()),
                                     reinterpret_cast<const std::byte*>(text.data() + text.size()));
  return Session(Model::parse(bytes, Format::OnnxText)).run({{"x", x}}).front();
}

std::string lower(std::string_view text) { return CLI::detail::to_lower(std::string(text)); }

// Keys and values of Image.* ignore case.
std::string metadata_of(const ModelMetadata& metadata, std::string_view key) {
  for (const auto& [name, value] : metadata.custom_metadata) {
    if (lower(name) == key) return lower(value);
  }
  return "";
}

// Where the axes of an image lie in an input; -1 for those that it has not.
struct Layout {
  int batch = -1, channel = -1, height = -1, width = -1;
  std::int64_t channels = 1;
};

std::optional<Layout> layout_of(const ArgInfo& input) {
  if (!input.has_shape) return {};
  const int rank = static_cast<int>(input.shape.size());
  const auto dim = [&](int i) { return input.shape[static_cast<std::size_t>(i)].value; };
  const auto is_channel = [&](int i) { return dim(i) == 1 || dim(i) == 3; };
  const int batch = rank == 4 ? 0 : -1, first = batch + 1;
  if (rank == 2) return Layout{-1, -1, 0, 1, 1};
  if (rank != 3 && rank != 4) return {};
  // [1,28,28] has one channel in front; [28,28,3] three at the end.
  if (is_channel(first)) return Layout{batch, first, first + 1, first + 2, dim(first)};
  if (is_channel(rank - 1)) return Layout{batch, rank - 1, first, first + 1, dim(rank - 1)};
  if (rank == 3 && dim(0) < 0) return Layout{0, -1, 1, 2, 1};
  return {};
}

struct Range {
  double scale, offset;
  const char* name;
};

Range range_of(const ModelMetadata& metadata, bool is_float) {
  const std::string range = metadata_of(metadata, "image.nominalpixelrange");
  if (range == "normalized_0_1" || (range.empty() && is_float)) return {1.0 / 255, 0, "0 to 1"};
  if (range == "normalized_1_1") return {2.0 / 255, -1, "-1 to 1"};
  if (range == "nominalrange_16_235") return {219.0 / 255, 16, "16 to 235"};
  return {1, 0, "0 to 255"};
}

}  // namespace

bool is_image_file(const std::string& path) {
  static constexpr std::string_view kExtensions[] = {".png",  ".jpg", ".jpeg", ".jpe", ".bmp", ".dib", ".tif", ".tiff",
                                                     ".webp", ".jp2", ".j2k",  ".pnm", ".pbm", ".pgm", ".ppm"};
  return std::ranges::count(kExtensions, lower(std::filesystem::path(path).extension().string())) > 0;
}

Value load_image(const std::string& path, const ArgInfo& input, const ModelMetadata& metadata) {
  if (input.type == "tensor(uint8)" && input.has_shape && input.shape.size() == 1) {
    const std::string bytes = read_text(path);
    Tensor file(DataType::Uint8, {static_cast<std::int64_t>(bytes.size())});
    std::copy(bytes.begin(), bytes.end(), file.as_mutable<std::uint8_t>());
    fmt::print(stderr, "{}: {} bytes as they are, as {} {}\n", printable(path), bytes.size(), printable(input.name),
               declaration_text(input));
    return file;
  }
  const std::optional<Layout> layout = layout_of(input);
  const bool is_float = input.type == "tensor(float)" || input.type == "tensor(double)" ||
                        input.type == "tensor(float16)" || input.type == "tensor(bfloat16)";
  const bool is_whole = input.type == "tensor(uint8)" || input.type == "tensor(int32)" || input.type == "tensor(int64)";
  if (!layout || (!is_float && !is_whole)) {
    throw UsageError(
        "input \"" + input.name + "\" is " + declaration_text(input) + ", not an image; \"" + path + "\" is one",
        "an image is [N,C,H,W], [N,H,W,C], [C,H,W], [H,W,C], [N,H,W] or [H,W], with 1 or 3 channels, or uint8 [N] for "
        "the bytes of its file");
  }
  const auto size_of = [&](int axis) {
    return axis < 0 ? std::int64_t{-1} : input.shape[static_cast<std::size_t>(axis)].value;
  };
  if (size_of(layout->batch) > 1) {
    throw UsageError(
        fmt::format("input \"{}\" takes {} images at a time; \"{}\" is one", input.name, size_of(layout->batch), path),
        "give all of them in a .npy file");
  }
  const std::string format = layout->channels == 1                                                 ? "Grayscale"
                             : metadata_of(metadata, "image.bitmappixelformat").starts_with("bgr") ? "BGR"
                                                                                                   : "RGB";
  std::string bytes = read_text(path);
  const Tensor file = Tensor::borrow(DataType::Uint8, {static_cast<std::int64_t>(bytes.size())}, bytes.data());
  const Value decoded = run_text(
      "<ir_version: 9, opset_import: [\"\" : 20]>\n"
      "decode (uint8[n] x) => (uint8[h,w,c] y) { y = ImageDecoder <pixel_format = \"" +
          format + "\"> (x) }",
      file);
  const Shape size = decoded.tensor().dims();
  if (decoded.tensor().size() == 0) {
    throw Error(ErrorCode::InvalidArgument, "\"" + path + "\" cannot be decoded as an image", {},
                "it may be truncated, or of a format other than BMP, JPEG, JPEG 2000, PNG, PNM, TIFF and WebP");
  }
  const std::int64_t height = size_of(layout->height) > 0 ? size_of(layout->height) : size[0];
  const std::int64_t width = size_of(layout->width) > 0 ? size_of(layout->width) : size[1];
  const bool scaled = height != size[0] || width != size[1];
  const Range range = range_of(metadata, is_float);

  std::string body = "a = Cast <to = 1> (x)\n";
  body += scaled ? fmt::format(
                       "sizes = Constant <value_ints = [{}, {}]> ()\n"
                       "b = Resize <mode = \"linear\", antialias = 1, axes = [0, 1]> (a, , , sizes)\n",
                       height, width)
                 : "b = Identity (a)\n";
  body += fmt::format("k = Constant <value_float = {:.9f}> ()\no = Constant <value_float = {:.1f}> ()\n", range.scale,
                      range.offset);
  body += "m = Mul (b, k)\nc = Add (m, o)\n";
  body += is_float ? "d = Identity (c)\n" : "d = Round (c)\n";
  const bool channels_first = layout->channel >= 0 && layout->channel < layout->height;
  body += channels_first ? "e = Transpose <perm = [2, 0, 1]> (d)\n" : "e = Identity (d)\n";
  Shape shape(input.shape.size(), 1);
  if (layout->channel >= 0) shape[static_cast<std::size_t>(layout->channel)] = layout->channels;
  shape[static_cast<std::size_t>(layout->height)] = height;
  shape[static_cast<std::size_t>(layout->width)] = width;
  std::string dims;
  for (const std::int64_t d : shape) dims += (dims.empty() ? "" : ", ") + std::to_string(d);
  body += "shape = Constant <value_ints = [" + dims + "]> ()\nf = Reshape (e, shape)\n";
  const std::string type = input.type.substr(7, input.type.size() - 8);
  body += fmt::format("y = Cast <to = {}> (f)\n", static_cast<int>(data_type_from_name(type)));
  Value value = run_text("<ir_version: 9, opset_import: [\"\" : 20]>\nlay_out (uint8[h,w,c] x) => (" + type + "[" +
                             dims + "] y) {\n" + body + "}",
                         decoded);
  fmt::print(stderr, "{}: {} x {}{}, {} from {}, as {} {}\n", printable(path), size[1], size[0],
             scaled ? fmt::format(" stretched to {} x {}", width, height) : "", format, range.name,
             printable(input.name), declaration_text(input));
  return value;
}

}  // namespace norn::cli
