// Metadata: key and value strings of the model and, from IR 10, of graphs, functions, nodes, values and tensors.
//
// The Image.* keys describe every value of the model whose type is denoted IMAGE; their keys and values ignore case.
// Keys repeat over thousands of nodes, so what is only advice about a key is reported once for the whole model.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "base/text.h"
#include "check/rule_checks.h"
#include "check/text.h"

namespace norn::checks {
namespace {

struct ImageKey {
  std::string_view key;
  std::string_view values[5];  // the unused ones are empty
};
constexpr ImageKey kImageKeys[] = {
    {"Image.BitmapPixelFormat", {"Gray8", "Rgb8", "Bgr8", "Rgba8", "Bgra8"}},
    {"Image.ColorSpaceGamma", {"Linear", "SRGB", "", "", ""}},
    {"Image.NominalPixelRange", {"NominalRange_0_255", "Normalized_0_1", "Normalized_1_1", "NominalRange_16_235", ""}}};

void check_image_value(Context& ctx, const Place& place, const ImageKey& known, std::string_view value) {
  std::string choice;
  for (std::string_view allowed : known.values) {
    if (allowed.empty()) continue;
    if (base::equal_but_case(allowed, value)) return;
    (choice += choice.empty() ? "" : ", ") += allowed;
  }
  ctx.report("meta.image.values", place,
             std::string(known.key) + " is " + quoted(value) + ", which is not one of its values", "use " + choice);
}

// The type itself, or that of what it holds.
bool is_image(const ir::Type& type) {
  if (type.denotation.get() == "IMAGE") return true;
  const auto inner = [](const ir::Box<ir::Type>& element) { return element && is_image(*element); };
  return (type.sequence_type && inner(type.sequence_type->elem_type)) ||
         (type.optional_type && inner(type.optional_type->elem_type)) ||
         (type.map_type && inner(type.map_type->value_type));
}

struct Images {
  const ir::ValueInfo* first = nullptr;
};

struct ToldKeys {
  NameSet keys;
};

}  // namespace

void note_image(Context& ctx, const ir::ValueInfo& info) {
  if (!info.type || !is_image(*info.type)) return;
  if (const ir::ValueInfo*& first = ctx.state<Images>().first; !first) first = &info;
}

void check_image_keys(Context& ctx, const Place& place, const ir::Model& model) {
  const ir::ValueInfo* image = ctx.state<Images>().first;
  if (!image) return;
  for (const ImageKey& known : kImageKeys) {
    const bool given = std::any_of(model.metadata_props.begin(), model.metadata_props.end(),
                                   [&](const auto& e) { return base::equal_but_case(e.key.get(), known.key); });
    if (given) continue;
    ctx.report(
        "meta.image.provide", place,
        "the value " + quoted(image->name.get()) + " is an IMAGE, but the metadata lacks " + std::string(known.key),
        "say how images are coded, so that callers can prepare them");
  }
}

void check_model_metadata(Context& ctx, const Place& place, const ir::Model& model) {
  if (const auto twice = repeated_key(model.metadata_props); twice.found) {
    ctx.report("meta.model.unique-keys", place,
               "the model's metadata gives the key " + quoted(twice.key) + " more than once", "keep one of them");
  }
  for (const auto& entry : model.metadata_props) {
    for (const ImageKey& known : kImageKeys) {
      if (base::equal_but_case(entry.key.get(), known.key)) check_image_value(ctx, place, known, entry.value.get());
    }
  }
}

void check_metadata(Context& ctx, const Place& place, const ir::Metadata& entries) {
  if (const auto twice = repeated_key(entries); twice.found) {
    ctx.report("meta.any.unique-keys", place, "the metadata gives the key " + quoted(twice.key) + " more than once",
               "keep one of them");
  }
  if (!ctx.binds("meta.qualified-keys")) return;
  for (const auto& entry : entries) {
    const std::string& key = entry.key;
    const std::size_t dot = key.find('.');
    if (dot != std::string::npos && dot > 0 && dot + 1 < key.size()) continue;
    if (!ctx.state<ToldKeys>().keys.insert(key)) continue;
    ctx.report("meta.qualified-keys", place,
               "the metadata key " + quoted(key) + " has no prefix; such keys are left for ONNX itself",
               "put a domain of yours before it, in reverse order: " + quoted("com.example." + key.substr(0, 40)));
  }
}

}  // namespace norn::checks
