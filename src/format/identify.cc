#include "format/identify.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "format/notation.h"

namespace norn::format {
namespace {

using namespace std::string_view_literals;

std::string_view beginning(std::span<const std::byte> bytes, std::size_t n) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(n, bytes.size())};
}

// `start` is in lower case.
bool starts_with_any_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(), [](char s, char c) { return s == lower(c); });
}

}  // namespace

bool looks_like_text(std::span<const std::byte> bytes) {
  const auto head = beginning(bytes, 512);
  return head.size() >= 4 && std::all_of(head.begin(), head.end(), [](char c) {
           const auto u = static_cast<unsigned char>(c);
           return u >= 0x20 ? u != 0x7f : u == '\n' || u == '\r' || u == '\t';
         });
}

std::optional<Mistake> identify(std::span<const std::byte> bytes) {
  const auto head = beginning(bytes, 512);
  const auto is = [&](std::string_view magic, std::size_t at = 0) {
    return head.substr(std::min(at, head.size())).starts_with(magic);
  };
  // What would help, whatever was wanted.
  const auto either = [](std::string what, const std::string& hint) { return Mistake{std::move(what), hint, hint}; };
  // What arrays can be made of.
  const auto decodable = [](std::string what, const std::string& how, std::string model_hint = {}) {
    return Mistake{std::move(what), std::move(model_hint),
                   "make an array of it, as the model wants its input, and save that: np.save(\"x.npy\", " + how + ")"};
  };
  constexpr const char* kImage = "np.asarray(PIL.Image.open(FILE))";
  constexpr const char* kSound = "scipy.io.wavfile.read(FILE)[1]";
  if (is("version https://git-lfs")) {
    return either("a Git LFS pointer, not the file itself",
                  "fetch the content with 'git lfs pull' in the repository the file comes from");
  }
  if (is("\x0a\x09ONNXOPSET")) {
    return Mistake{"a document that describes an operator set, not a model",
                   "give it to the command or session beside the model that uses its operators", ""};
  }
  auto text = head;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  for (auto start : {"<!doctype html"sv, "<html"sv, "<head"sv}) {
    if (starts_with_any_case(text, start)) {
      return either("a page of HTML",
                    "the download probably returned an error or a log-in page; use the link of the file itself");
    }
  }
  if (text.starts_with("<?xml")) {
    return Mistake{"an XML document",
                   "if it is a model of OpenVINO, use the ONNX model that it was converted from; if it is an error "
                   "page, download the file itself",
                   ""};
  }
  if (is("\x89PNG\r\n\x1a\n")) return decodable("a PNG image", kImage);
  if (is("\xff\xd8\xff")) return decodable("a JPEG image", kImage);
  if (is("GIF87a") || is("GIF89a")) return decodable("a GIF image", kImage);
  if (is("RIFF") && is("WEBP", 8)) return decodable("a WebP image", kImage);
  if (is("II*\0"sv) || is("MM\0*"sv)) return decodable("a TIFF image", kImage);
  if (is("BM") && is("\0\0\0\0"sv, 6)) return decodable("a BMP image", kImage);
  if (is("RIFF") && is("WAVE", 8)) return decodable("a WAV sound", kSound);
  if (is("PK\x03\x04") || is("PK\x05\x06")) {
    return Mistake{"a zip archive",
                   "unpack it first; if it is a PyTorch checkpoint (.pt, .pth), export it with torch.onnx.export",
                   "of zip archives, only .npz hold data for models"};
  }
  if (is("\x1f\x8b")) return either("gzip-compressed data", "unpack it first, for example with gunzip or tar xzf");
  if (is("\xfd"
         "7zXZ\0"sv))
    return either("xz-compressed data", "unpack it first with unxz");
  if (is("BZh") && head.size() > 3 && head[3] >= '1' && head[3] <= '9') {
    return either("bzip2-compressed data", "unpack it first with bunzip2");
  }
  if (is("\x28\xb5\x2f\xfd")) return either("zstd-compressed data", "unpack it first with unzstd");
  if (is("7z\xbc\xaf\x27\x1c")) return either("a 7-Zip archive", "unpack it first with 7z x");
  if (is("ustar", 257)) return either("a tar archive", "unpack it first with tar xf");
  if (is("\x89HDF\r\n\x1a\n")) {
    return decodable("an HDF5 file", "h5py.File(FILE)[NAME][...]", "convert a Keras model with tf2onnx");
  }
  if (is("MATLAB 5.0 MAT-file")) return decodable("a MATLAB file", "scipy.io.loadmat(FILE)[NAME]");
  if (is("PAR1")) return decodable("a Parquet file", "pandas.read_parquet(FILE).to_numpy()");
  if (is("\x93NUMPY")) return Mistake{"a NumPy array (.npy)", "it is data for a model, not a model", ""};
  if (is("TFL3", 4)) return Mistake{"a TensorFlow Lite model", "convert it with tf2onnx --tflite", ""};
  if (is("ORTM", 4)) {
    return Mistake{"a model in ONNX Runtime's own format (.ort)", "use the .onnx file that it was made from", ""};
  }
  if (is("GGUF"))
    return Mistake{"a GGUF file", "it holds weights for llama.cpp: export the model that it was made from to ONNX", ""};
  if (is("%PDF-")) return either("a PDF document", "give the file that the document comes with");
  if (is("\x7f"
         "ELF"))
    return Mistake{"an executable or a shared library", "", ""};
  if (is("\x80\x02") || is("\x80\x03") || is("\x80\x04\x95") || is("\x80\x05\x95")) {
    return decodable("a Python pickle, which Norn never unpickles", "array",
                     "export the model it holds to ONNX with the framework it comes from");
  }
  // A count of bytes in 64 bits, then as many of JSON.
  if (head.size() > 8 && head[8] == '{' && is("\0\0\0\0"sv, 4)) {
    return decodable("a safetensors file", "safetensors.numpy.load_file(FILE)[NAME]",
                     "it holds weights without a graph: export the model to ONNX with the framework it comes from");
  }
  return std::nullopt;
}

}  // namespace norn::format
