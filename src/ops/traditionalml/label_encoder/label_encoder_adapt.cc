// Version steps of LabelEncoder. Version 1 has one list, whose direction the input's type says; where that is not known
// it stays. Version 4 compares floats as numbers, 2 by their bits, so that keys of NaN or zero keep a node in 2.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "ops/traditionalml/label_encoder/label_encoder.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace label_encoder_adapt_cc {
namespace {

using namespace transform;

// The first place of a name counts, in pairs the last: names given again are left out.
void classes_to_pairs(NodeEdit& edit) {
  const std::vector<std::string> classes = edit.attrs().strings("classes_strings");
  const DataType x = edit.input_type(0).elem;
  if (x == DataType::Undefined) edit.cannot("the type of X, which says the direction, is not known");
  std::vector<std::int64_t> places;
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (x == DataType::String && !seen.insert(classes[i]).second) continue;
    names.push_back(classes[i]);
    places.push_back(static_cast<std::int64_t>(i));
  }
  edit.remove_attr("classes_strings");
  edit.set_attr(x == DataType::String ? "keys_strings" : "values_strings", std::move(names));
  edit.set_attr(x == DataType::String ? "values_int64s" : "keys_int64s", std::move(places));
}

void pairs_to_classes(NodeEdit& edit) {
  const opset::Attrs attrs = edit.attrs();
  const bool from_strings = attrs.has("keys_strings");
  const auto places = attrs.find_ints(from_strings ? "values_int64s" : "keys_int64s");
  const auto names = attrs.find_strings(from_strings ? "keys_strings" : "values_strings");
  bool counted = places && names && places->size() == names->size();
  for (std::size_t i = 0; counted && i < places->size(); ++i) counted = (*places)[i] == static_cast<std::int64_t>(i);
  if (!counted) edit.cannot("version 1 takes strings to their places in one list, or back");
  if (from_strings) {
    const std::unordered_set<std::string> once(names->begin(), names->end());
    if (once.size() != names->size()) edit.cannot("a key is given twice, of which version 1 takes the first");
  }
  for (const char* name : {"keys_strings", "keys_int64s", "values_strings", "values_int64s", "default_float"})
    edit.remove_attr(name);
  edit.set_attr("classes_strings", *names);
}

void require_bits_do_not_matter(NodeEdit& edit) {
  const auto keys = edit.attrs().find_floats("keys_floats");
  if (keys && std::any_of(keys->begin(), keys->end(), [](float v) { return std::isnan(v) || v == 0; }))
    edit.cannot("keys that are NaN or zero are compared by their bits in version 2 only");
}

void require_lists(NodeEdit& edit) {
  for (const char* name : {"keys_tensor", "values_tensor", "default_tensor"})
    if (edit.attrs().has(name)) edit.cannot(std::string(name) + " came with version 4");
  require_bits_do_not_matter(edit);
}

}  // namespace
}  // namespace label_encoder_adapt_cc

void label_encoder_steps(StepTable& table) {
  table.add(LabelEncoder, 1, 2, classes_to_pairs, pairs_to_classes);
  table.add(LabelEncoder, 2, 4, require_bits_do_not_matter, require_lists);
  table.keeps(LabelEncoder, 1, "an X whose type is not known, which says the direction");
  table.keeps(LabelEncoder, 2, "keys of NaN or zero, which later versions do not compare by their bits");
}

}  // namespace norn::ops
