// ONNX Runtime's lists of what a session may run on. There is one here, the CPU.
#pragma once
#include <nanobind/nanobind.h>

namespace norn::python {

inline constexpr char kCpuProvider[] = "CPUExecutionProvider";

// Warns of each provider that ONNX Runtime has and Norn has not, since what runs instead is the CPU, and of options
// that have no effect. Throws norn::Error for unknown providers, and for lists that ONNX Runtime does not take either.
void check_providers(nanobind::handle providers, nanobind::handle provider_options);

}  // namespace norn::python
