// A node as its operator's parameters are read from it: attributes, and inputs whose contents say what to do.
//
// Inference (which may know little), reference kernels and the choice of kernels (which know everything) each are one,
// so that one function per operator, `resolve_...` in its slice, reads the parameters for all of them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "norn/error.h"
#include "opset/attrs.h"
#include "opset/dim_expr.h"

namespace norn {
class Tensor;
}

namespace norn::opset {

class NodeView {
 public:
  // since_version of the schema in force.
  int version() const noexcept { return attrs_.schema().since; }
  const Attrs& attrs() const noexcept { return attrs_; }
  const Schema& schema() const noexcept { return attrs_.schema(); }

  // False for an omitted optional input.
  virtual bool has_input(int i) const noexcept = 0;
  // The input's contents; null if it is omitted or they are not known.
  virtual const norn::Tensor* constant(int i) const = 0;
  // The integers of an input of rank 0 or 1, as expressions; nothing if it is omitted or they are not known.
  virtual std::optional<Dims> known_ints(int i) const = 0;
  // The dimensions of an input; nothing if it is omitted, not a tensor, or its rank is not known.
  virtual std::optional<Dims> known_shape(int i) const = 0;
  // As known_ints(), all of them constants.
  std::optional<std::vector<std::int64_t>> const_ints(int i) const;

  // The attribute `axis`, counted from the front: in [0, rank), or [0, rank] if `inclusive`. Throws if it lies outside.
  std::int64_t axis(std::int64_t rank, bool inclusive = false) const {
    return normalize_axis(attrs_.i("axis"), rank, inclusive);
  }
  // `axis` in [-rank, rank) made non-negative (or [-rank, rank] if `inclusive`); throws naming the attribute otherwise.
  std::int64_t normalize_axis(std::int64_t axis, std::int64_t rank, bool inclusive = false,
                              std::string_view attribute = "axis") const;
  // As many of them. Throws if an axis lies outside of [-rank, rank) or is given twice.
  std::vector<std::int64_t> normalize_axes(std::vector<std::int64_t> axes, std::int64_t rank) const;
  // Throws if an axis is negative in a version before `since`, which introduced that.
  void require_axis_sign(std::int64_t axis, int since) const;

  // "input 1 \"W\""
  std::string input_name(int i) const;
  // Requires that input i has this rank, if its rank is known.
  virtual void require_rank(int i, std::int64_t rank) const;
  // Both dimensions must be equal: throws if they are known to differ; returns the more definite of the two. `what`
  // names them in the message: "channels of X and W". Inference records the equality of what is not known.
  virtual DimExpr unify(const DimExpr& a, const DimExpr& b, std::string_view what) const;

  // A parameter that has to be known: throws, naming it, if it is not, since an input is missing.
  template <class T>
  const T& require(const std::optional<T>& parameter, std::string_view name) const {
    if (!parameter) fail(std::string(name) + " is missing");
    return *parameter;
  }

  // Throws norn::Error; the caller adds the node and what is known of its inputs.
  [[noreturn]] void fail(std::string message, std::string hint = {}) const;
  // The code of what is thrown.
  virtual ErrorCode fault_code() const noexcept = 0;

 protected:
  explicit NodeView(const Attrs& attrs) : attrs_(attrs) {}
  ~NodeView() = default;

 private:
  Attrs attrs_;
};

// Which of `rank` dimensions `axes`, counted from the front, name.
std::vector<bool> marked(const std::vector<std::int64_t>& axes, std::int64_t rank);
// The elements of a tensor of int32 or int64 of rank 0 or 1; nothing for another one.
std::optional<Dims> ints_of(const norn::Tensor& tensor);
// Integers as expressions; expressions, all of them constants, as integers.
Dims to_dims(const std::vector<std::int64_t>& values);
std::vector<std::int64_t> to_constants(const Dims& dims);

}  // namespace norn::opset
