// Models compiled for tests, every pass verified, and what running one refuses.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "norn/error.h"
#include "runtime/compiled_model.h"
#include "tests/support/model_builder.h"

namespace norn::test {

inline runtime::CompiledModel compile(const ir::Model& model, SessionOptions options = {}) {
  options.verify_passes = true;
  return runtime::CompiledModel(model, {}, options);
}
inline runtime::CompiledModel compile(const ModelBuilder& m, SessionOptions options = {}) {
  return compile(m.build(), std::move(options));
}

// What the run throws, which is no defect of Norn; empty if it does not.
inline std::string error_of(const runtime::CompiledModel& model, const std::vector<Feed>& feeds) {
  try {
    model.run(feeds, {});
  } catch (const Error& e) {
    EXPECT_NE(e.code(), ErrorCode::Internal) << e.what();
    return e.what();
  }
  return {};
}

}  // namespace norn::test
