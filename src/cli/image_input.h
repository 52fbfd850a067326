// Image files as inputs of a model: decoded, scaled and laid out as the model's input is declared.
#pragma once
#include <string>

#include "norn/session.h"

namespace norn::cli {

// By the extension: .png, .jpg, ...
bool is_image_file(const std::string& path);

// Of an input that is a list of uint8, as ImageDecoder takes it, the bytes of the file.
// Else the image as a value of `input`: [N,C,H,W], [N,H,W,C], [C,H,W], [H,W,C], [N,H,W] or [H,W], where C is 1 (gray)
// or 3. It is stretched to H x W where these are numbers. What the numbers mean follows from the model's metadata
// (Image.BitmapPixelFormat, Image.NominalPixelRange); without it red comes first, and floats are in [0, 1]. What was
// made of the image goes to standard error. Throws UsageError where the input is not an image, norn::Error where the
// file cannot be read or decoded.
Value load_image(const std::string& path, const ArgInfo& input, const ModelMetadata& metadata);

}  // namespace norn::cli
