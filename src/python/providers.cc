#include "providers.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "errors.h"

namespace norn::python {

namespace {

constexpr std::string_view kElsewhere[] = {
    "ACLExecutionProvider",      "ArmNNExecutionProvider",  "AzureExecutionProvider",
    "CANNExecutionProvider",     "CUDAExecutionProvider",   "CoreMLExecutionProvider",
    "DmlExecutionProvider",      "DnnlExecutionProvider",   "JsExecutionProvider",
    "MIGraphXExecutionProvider", "NnapiExecutionProvider",  "NvTensorRTRTXExecutionProvider",
    "OpenVINOExecutionProvider", "QNNExecutionProvider",    "ROCMExecutionProvider",
    "RknpuExecutionProvider",    "SNPEExecutionProvider",   "TensorrtExecutionProvider",
    "TvmExecutionProvider",      "VSINPUExecutionProvider", "VitisAIExecutionProvider",
    "WebGpuExecutionProvider",   "WebNNExecutionProvider",  "XnnpackExecutionProvider"};

void warn(const std::string& text) {
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
}

struct Provider {
  std::string name;
  nb::object options;  // a dict, or nothing
};

nb::object options_argument(nb::handle options, std::string_view name) {
  if (!PyDict_Check(options.ptr())) wrong_type(options, name, "a dict of options");
  return nb::borrow(options);
}

Provider provider_of(nb::handle given) {
  if (PyUnicode_Check(given.ptr())) return {string_argument(given, "a provider"), {}};
  if (!PyTuple_Check(given.ptr()) || PyTuple_GET_SIZE(given.ptr()) != 2)
    wrong_type(given, "a provider", "a str, or a tuple of a str and a dict of options");
  return {string_argument(given[0], "a provider"), options_argument(given[1], "what follows a provider's name")};
}

std::vector<Provider> providers_of(nb::handle given) {
  std::vector<Provider> providers;
  if (given.is_none()) return providers;
  for (nb::handle provider : items_argument(given, "providers", "a list of str")) {
    providers.push_back(provider_of(provider));
  }
  return providers;
}

void add_options(std::vector<Provider>& providers, nb::handle given) {
  if (given.is_none()) return;
  std::vector<nb::object> options;
  for (nb::handle of_one : items_argument(given, "provider_options", "a list of dicts"))
    options.push_back(options_argument(of_one, "an element of provider_options"));
  if (options.size() != providers.size() && !providers.empty()) {
    invalid_argument("there are " + std::to_string(providers.size()) + " providers, and provider_options for " +
                         std::to_string(options.size()),
                     "give a dict for each provider, or (name, options) in providers");
  }
  for (std::size_t i = 0; i < providers.size(); ++i) {
    if (providers[i].options.is_valid()) {
      invalid_argument("options of " + providers[i].name + " are given both in providers and in provider_options");
    }
    providers[i].options = std::move(options[i]);
  }
}

}  // namespace

void check_providers(nb::handle given, nb::handle provider_options) {
  std::vector<Provider> providers = providers_of(given);
  add_options(providers, provider_options);
  for (const auto& [name, options] : providers) {
    if (name == kCpuProvider) {
      if (options.is_valid() && PyDict_GET_SIZE(options.ptr()) != 0) {
        warn(name + " has no options in norn: " + nb::repr(options).c_str() + " has no effect");
      }
    } else if (std::ranges::find(kElsewhere, name) != std::end(kElsewhere)) {
      warn(name + " is not available: " + kCpuProvider + " is used instead");
    } else {
      invalid_argument("there is no execution provider \"" + name + "\"",
                       std::string("norn runs on the CPU: leave providers out, or give \"") + kCpuProvider + "\"");
    }
  }
}

}  // namespace norn::python
