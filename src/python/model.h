// A model argument: a path, bytes, a file object, anything with SerializeToString, or norn.Model.
#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <utility>

#include "loading.h"
#include "norn/model.h"

namespace norn::python {

namespace nb = nanobind;

bool is_path(nb::handle object);
// Paths and back: file names that are not UTF-8 are kept, as os.fsencode and os.fsdecode do. `name` is the argument's.
std::string path_of(nb::handle object, const char* name);
nb::str path_to_python(std::string_view path);
// The name of the message that an object with SerializeToString is, as far as it is known: "ModelProto".
std::string message_of(nb::handle proto);
// Whether it is one of ONNX's.
bool is_onnx_message(std::string_view name);
// The bytes of an object with SerializeToString, of any size. Throws norn::Error for a class, and for a message of ONNX
// other than `message`; "" allows all.
nb::object serialized(nb::handle proto, std::string_view message);
// norn.Model: a model with the reader that its external data may come from. Destroyed with the GIL held.
struct HeldModel : Model {
  HeldModel(Model model, HeldReader held) : Model(std::move(model)), reader(std::move(held)) {}
  HeldReader reader;
};

// As a call takes it: `external_data` may be None, and counts for what is loaded by the call only.
HeldModel to_model(nb::handle object, LoadOptions options = {}, nb::handle external_data = nb::none());
void register_model(nb::module_& module);

}  // namespace norn::python
