// Broadcasting: two different symbolic sizes may still meet (one of them may be 1), and then the result is either of
// them; so the answer is a fresh size, not max(a, b), which would be wrong for 1 against 0.
//
// Windows: with ceil_mode, a window that would start in the padding at the end is left out. Under auto_pad VALID the
// standard's formula gives the same size with and without ceil_mode; SAME_* ignore it too.
#include "ops/common/shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/checked.h"
#include "base/number.h"
#include "base/text.h"
#include "norn/error.h"

namespace norn::ops {

using opset::DimExpr;
using opset::Dims;

namespace {

// Whether `least` is the other size, or a constant beyond 1 where that is less, as rows cut from a table of positions
// are. The two can then only meet where they are equal: one of them is 1 exactly when the other is.
bool is_cut_of(const DimExpr& least, const DimExpr& size) {
  const auto bound = least.evaluate([](std::string_view) { return std::int64_t{1} << 40; });
  return bound && *bound > 1 && DimExpr::min(size, *bound) == least;
}

}  // namespace

Dims broadcast(opset::InferContext& ctx, const Dims& a, const Dims& b) {
  const Dims &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Dims out = longer;
  const std::size_t skip = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const DimExpr &x = longer[skip + i], &y = shorter[i];
    DimExpr& result = out[skip + i];
    if (x == y || y == DimExpr(1)) continue;
    if (x == DimExpr(1)) {
      result = y;
    } else if (x.is_constant() && y.is_constant()) {
      ctx.fail("the shapes " + to_string(a) + " and " + to_string(b) +
               " cannot be broadcast together: " + x.to_string() + " against " + y.to_string());
    } else if (y.is_constant() || is_cut_of(x, y)) {
      result = y;
    } else if (!x.is_constant() && !is_cut_of(y, x)) {
      result = ctx.fresh_dim("either of the sizes that are broadcast together may be 1");
    }
  }
  return out;
}

Shape broadcast(const Shape& a, const Shape& b) {
  const Shape &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  const std::size_t skip = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& result = out[skip + i];
    if (result == shorter[i] || shorter[i] == 1) continue;
    if (result != 1) {
      throw Error(ErrorCode::RuntimeError,
                  "the shapes " + to_string(a) + " and " + to_string(b) + " cannot be broadcast together");
    }
    result = shorter[i];
  }
  return out;
}

std::optional<std::int64_t> axis_of_b(const opset::NodeView& node, std::int64_t rank_a, std::int64_t rank_b) {
  if (!node.attrs().flag("broadcast")) return {};
  if (rank_b > rank_a) {
    node.fail("B's rank " + std::to_string(rank_b) + " exceeds A's rank " + std::to_string(rank_a));
  }
  const auto given = node.attrs().find_i("axis");
  const std::int64_t axis = given ? node.normalize_axis(*given, rank_a, true) : rank_a - rank_b;
  if (axis + rank_b > rank_a) {
    node.fail("B's " + std::to_string(rank_b) + " dimensions do not fit into A's from axis " + std::to_string(axis));
  }
  return axis;
}

namespace {

Dims shape_before_7(opset::InferContext& ctx) {
  const Dims &a = ctx.shape(0), &b = ctx.shape(1);
  const auto rank_a = static_cast<std::int64_t>(a.size()), rank_b = static_cast<std::int64_t>(b.size());
  const auto axis = axis_of_b(ctx, rank_a, rank_b);
  if (!axis) {
    if (a.size() != b.size()) {
      ctx.fail("the shapes " + to_string(a) + " and " + to_string(b) + " differ in rank",
               "before opset version 7 the attribute \"broadcast\" has to be 1 to stretch B");
    }
    Dims out = a;
    for (std::size_t d = 0; d < a.size(); ++d) {
      out[d] = ctx.unify(a[d], b[d], "dimension " + std::to_string(d) + " of A and B");
    }
    return out;
  }
  Dims out = a;
  for (std::int64_t d = 0; d < rank_b; ++d) {
    const DimExpr &x = a[static_cast<std::size_t>(*axis + d)], &y = b[static_cast<std::size_t>(d)];
    if (!y.is_constant() || y == DimExpr(1)) continue;  // one that is 1 is stretched
    out[static_cast<std::size_t>(*axis + d)] = ctx.unify(x, y, "dimension " + std::to_string(d) + " of B and A's");
  }
  return out;
}

}  // namespace

void infer_pairs(opset::InferContext& ctx, DataType type) {
  const bool ranked = ctx.has_rank(0) && ctx.has_rank(1);
  if (ranked && ctx.version() < 7)
    ctx.set(0, type, shape_before_7(ctx));
  else if (ranked)
    ctx.set(0, type, broadcast(ctx, ctx.shape(0), ctx.shape(1)));
  else if (ctx.version() < 7 && ctx.has_rank(0))
    ctx.set(0, type, ctx.shape(0));  // B is stretched to A
  else if (type != DataType::Undefined)
    ctx.set(0, type);
}

namespace {

// In the way that exporters compute sizes of scale factors: nothing is kept unless all elements are exact.
void fraction_contents(opset::InferContext& ctx, FractionArithmetic of_fractions) {
  if (ctx.constant(0) && ctx.constant(1)) return;  // which are evaluated
  const auto a = ctx.fractions(0), b = ctx.fractions(1);
  if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return;
  const std::size_t n = a->size() == 1 ? b->size() : a->size();
  const int bits = significand_bits(ctx.elem(0));
  opset::Fractions result;
  try {
    for (std::size_t i = 0; i < n; ++i) {
      auto value = of_fractions((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
      if (!value) return;
      result.push_back({DimExpr::rounded(value->numerator, bits), value->denominator});
    }
  } catch (const Error&) {
    return;  // beyond 64 bits
  }
  ctx.set_fractions(0, std::move(result));
}

}  // namespace

int significand_bits(DataType type) { return type == DataType::Double ? 53 : 24; }

void infer_arithmetic(opset::InferContext& ctx, IntArithmetic of_ints, FractionArithmetic of_fractions) {
  infer_pairs(ctx, ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(1));
  if (!ctx.has_rank(0) || !ctx.has_rank(1) || ctx.rank(0) > 1 || ctx.rank(1) > 1) return;
  const bool floating = ctx.elem(0) == DataType::Float || ctx.elem(0) == DataType::Double;
  if (of_fractions && floating && ctx.elem(1) == ctx.elem(0)) return fraction_contents(ctx, of_fractions);
  const Dims *a = ctx.ints(0), *b = ctx.ints(1);
  if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return;
  const std::size_t n = a->size() == 1 ? b->size() : a->size();
  std::vector<std::optional<DimExpr>> values;
  bool any = n == 0;
  try {
    for (std::size_t i = 0; i < n; ++i) {
      values.push_back(of_ints((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]));
      any = any || values.back();
    }
  } catch (const Error&) {
    return;  // beyond 64 bits elements wrap around, which expressions do not
  }
  if (!any) return;
  Dims result;
  for (auto& value : values) result.push_back(value ? *std::move(value) : ctx.fresh_int());
  ctx.set_ints(0, std::move(result));
}

bool known_at_least(const DimExpr& e, std::int64_t least) { return DimExpr::max(e, least) == e; }

DimExpr product(std::span<const DimExpr> dims) {
  DimExpr result = 1;
  for (const DimExpr& d : dims) {
    if (d.is_constant() && d.constant() == 0) return 0;
  }
  for (const DimExpr& d : dims) result = result * d;
  return result;
}

double number_at(const Tensor& t, std::int64_t i) {
  switch (t.dtype()) {
    case DataType::Float: return t.as<float>()[i];
    case DataType::Double: return t.as<double>()[i];
    case DataType::Float16:
    case DataType::BFloat16: return base::small_float_to_float(t.dtype(), t.as<std::uint16_t>()[i]);
    case DataType::Int8: return t.as<std::int8_t>()[i];
    case DataType::Int16: return t.as<std::int16_t>()[i];
    case DataType::Int32: return t.as<std::int32_t>()[i];
    case DataType::Int64: return static_cast<double>(t.as<std::int64_t>()[i]);
    case DataType::Uint8: return t.as<std::uint8_t>()[i];
    case DataType::Uint16: return t.as<std::uint16_t>()[i];
    case DataType::Uint32: return t.as<std::uint32_t>()[i];
    case DataType::Uint64: return static_cast<double>(t.as<std::uint64_t>()[i]);
    default:
      if (base::small_float_format(t.dtype())) return base::small_float_to_float(t.dtype(), t.as<std::uint8_t>()[i]);
      return std::numeric_limits<double>::quiet_NaN();
  }
}

std::vector<std::int64_t> whole_numbers(const opset::NodeView& node, const Tensor& tensor, std::string_view what) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double v = number_at(tensor, i);
    if (!(std::abs(v) < 0x1p62) || v != std::trunc(v)) node.fail(std::string(what) + " has a number that is not whole");
    values.push_back(static_cast<std::int64_t>(v));
  }
  return values;
}

// Sizes multiply to more than 63 bits only where one of them is 0: no element is looked for then.
std::vector<std::int64_t> dense_strides(const Shape& dims) {
  std::vector<std::int64_t> strides(dims.size());
  std::int64_t step = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = step;
    step = base::checked_mul(step, std::max<std::int64_t>(dims[i], 1)).value_or(1);
  }
  return strides;
}

std::vector<std::int64_t> broadcast_strides(const Shape& from, const Shape& to) {
  std::vector<std::int64_t> strides(to.size(), 0);
  const auto dense = dense_strides(from);
  const std::size_t skip = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[skip + i]) strides[skip + i] = dense[i];
  }
  return strides;
}

Odometer::Odometer(Shape dims, std::vector<std::vector<std::int64_t>> strides)
    : dims_(std::move(dims)),
      strides_(std::move(strides)),
      index_(dims_.size(), 0),
      offsets_(strides_.size(), 0),
      done_(std::any_of(dims_.begin(), dims_.end(), [](std::int64_t d) { return d == 0; })) {}

void Odometer::next() noexcept {
  for (std::size_t d = dims_.size(); d-- > 0;) {
    if (++index_[d] < dims_[d]) {
      for (std::size_t k = 0; k < offsets_.size(); ++k) offsets_[k] += strides_[k][d];
      return;
    }
    for (std::size_t k = 0; k < offsets_.size(); ++k) offsets_[k] -= strides_[k][d] * (dims_[d] - 1);
    index_[d] = 0;
  }
  done_ = true;
}

AxisView view_along(const Shape& dims, std::int64_t axis) { return view_along(dims, axis, axis + 1); }

AxisView view_along(const Shape& dims, std::int64_t first, std::int64_t last) {
  AxisView view;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const auto at = static_cast<std::int64_t>(d);
    std::int64_t& count = at < first ? view.outer : at < last ? view.n : view.inner;
    count = base::checked_mul(count, dims[d]).value_or(INT64_MAX);  // of a tensor without elements
  }
  return view;
}

std::optional<DimExpr> one_int(const opset::NodeView& node, int i) {
  const auto ints = node.known_ints(i);
  if (!ints) return {};
  if (ints->size() != 1) {
    node.fail(std::string(node.schema().inputs[static_cast<std::size_t>(i)].name) + " must be one number, not " +
              std::to_string(ints->size()));
  }
  return ints->front();
}

std::optional<DataType> type_attribute(const opset::NodeView& node, std::string_view name, std::string_view variable) {
  const auto given = node.attrs().find_i(name);
  if (!given) return {};
  const auto* allowed = opset::find_type(node.schema(), variable);
  if (*given <= 0 || *given >= kDataTypeCount)
    node.fail(std::string(name) + " is " + std::to_string(*given) + ", which is not an element type");
  const auto type = static_cast<DataType>(*given);
  if (allowed && !((allowed->set.tensor | allowed->set.sequence) >> static_cast<unsigned>(type) & 1u))
    node.fail(std::string(name) + " is " + std::string(data_type_name(type)) + ", which the output cannot be");
  return type;
}

void same_as_input(opset::InferContext& ctx) {
  if (ctx.input(0).known()) ctx.set(0, ctx.input(0));
}

void require_single(const opset::NodeView& node, int i) {
  const auto dims = node.known_shape(i);
  if (!dims || dims->empty() || (dims->size() == 1 && !DimExpr::differ(dims->front(), 1))) return;
  node.fail(base::quoted(node.schema().inputs[static_cast<std::size_t>(i)].name) +
            " has to be one number, but has shape " + to_string(*dims));
}

namespace {

[[noreturn]] void invalid(std::string message, std::string hint = {}) {
  throw Error(ErrorCode::InvalidGraph, std::move(message), {}, std::move(hint));
}

std::optional<std::vector<std::int64_t>> ints_if_declared(const opset::Attrs& attrs, std::string_view name) {
  if (!attrs.declares(name)) return {};
  auto values = attrs.find_ints(name);
  return values && values->empty() ? std::nullopt : values;
}

std::vector<std::int64_t> positive(const opset::Attrs& attrs, std::string_view name, std::size_t rank,
                                   std::int64_t otherwise) {
  auto values = ints_if_declared(attrs, name);
  if (!values) return std::vector<std::int64_t>(rank, otherwise);
  if (values->size() != rank) {
    invalid("the attribute " + base::quoted(name) + " has " + std::to_string(values->size()) +
            " values, but there are " + std::to_string(rank) + " spatial dimensions");
  }
  for (std::int64_t v : *values) {
    if (v <= 0)
      invalid("the attribute " + base::quoted(name) + " has to be positive, but contains " + std::to_string(v));
  }
  return *values;
}

constexpr std::int64_t kMostPadding = std::int64_t{1} << 60;

}  // namespace

WindowAttrs read_window(const opset::Attrs& attrs, std::size_t rank) {
  WindowAttrs w;
  if (ints_if_declared(attrs, "kernel_shape")) w.kernel = positive(attrs, "kernel_shape", rank, 1);
  w.strides = positive(attrs, "strides", rank, 1);
  w.dilations = positive(attrs, "dilations", rank, 1);
  std::string mode = "NOTSET";
  if (attrs.declares("auto_pad")) mode = attrs.find_s("auto_pad").value_or(mode);
  if (mode == "VALID")
    w.auto_pad = AutoPad::Valid;
  else if (mode == "SAME_UPPER")
    w.auto_pad = AutoPad::SameUpper;
  else if (mode == "SAME_LOWER")
    w.auto_pad = AutoPad::SameLower;
  else if (mode != "NOTSET" && !mode.empty()) {
    invalid("the attribute \"auto_pad\" is " + base::quoted(mode),
            "it has to be NOTSET, SAME_UPPER, SAME_LOWER or VALID");
  }
  w.pads_begin.assign(rank, 0);
  w.pads_end.assign(rank, 0);
  if (auto pads = ints_if_declared(attrs, "pads"); pads && w.auto_pad == AutoPad::NotSet) {
    if (pads->size() != 2 * rank) {
      invalid("the attribute \"pads\" has " + std::to_string(pads->size()) + " values, but " +
              std::to_string(2 * rank) + " are needed for " + std::to_string(rank) + " spatial dimensions");
    }
    // Two of opposite signs may make up a small output, and places still have to be counted.
    for (const std::int64_t p : *pads) {
      if (p > kMostPadding || p < -kMostPadding) {
        invalid("the attribute \"pads\" contains " + std::to_string(p) + ", which is too much to count places with");
      }
    }
    w.pads_begin.assign(pads->begin(), pads->begin() + static_cast<std::ptrdiff_t>(rank));
    w.pads_end.assign(pads->begin() + static_cast<std::ptrdiff_t>(rank), pads->end());
  }
  return w;
}

namespace {

// Size of the output for one dimension; `extent` is the dilated kernel's.
DimExpr output_size(const WindowAttrs& w, std::size_t d, const DimExpr& in, const DimExpr& extent, bool ceil_mode) {
  const DimExpr stride = w.strides[d];
  if (w.auto_pad == AutoPad::SameUpper || w.auto_pad == AutoPad::SameLower) return DimExpr::ceil_div(in, stride);
  const DimExpr room = in + DimExpr(w.pads_begin[d]) + DimExpr(w.pads_end[d]) - extent;
  if (!ceil_mode || w.auto_pad == AutoPad::Valid) return DimExpr::floor_div(room, stride) + DimExpr(1);
  const DimExpr last_start = DimExpr::floor_div(in + DimExpr(w.pads_begin[d] - 1), stride);
  return DimExpr::min(DimExpr::ceil_div(room, stride), last_start) + DimExpr(1);
}

std::string too_small(std::size_t d, std::int64_t in, std::int64_t padding, std::int64_t extent) {
  return "a window of " + std::to_string(extent) + " (dilation included) does not fit into spatial dimension " +
         std::to_string(d) + " of " + std::to_string(in) + " with a padding of " + std::to_string(padding);
}

std::int64_t dilated(std::int64_t kernel, std::int64_t dilation) {
  const auto reach = base::checked_mul(kernel - 1, dilation);
  if (!reach || *reach > (std::int64_t{1} << 62)) invalid("the dilated window does not fit into 64 bits");
  return *reach + 1;
}

}  // namespace

Window resolve_window(const opset::Attrs& attrs, std::span<const std::int64_t> in, std::vector<std::int64_t> kernel,
                      bool ceil_mode) {
  WindowAttrs w = read_window(attrs, in.size());
  if (w.kernel.empty()) w.kernel = std::move(kernel);
  if (w.kernel.size() != in.size()) {
    invalid("the window has " + std::to_string(w.kernel.size()) + " dimensions, but there are " +
            std::to_string(in.size()) + " spatial ones");
  }
  std::vector<std::int64_t> out;
  for (std::size_t d = 0; d < in.size(); ++d) {
    const std::int64_t extent = dilated(w.kernel[d], w.dilations[d]);
    const std::int64_t size = output_size(w, d, in[d], extent, ceil_mode).constant();
    if (size < 0) {
      throw Error(ErrorCode::RuntimeError, too_small(d, in[d], w.pads_begin[d] + w.pads_end[d], extent));
    }
    if (w.auto_pad == AutoPad::SameUpper || w.auto_pad == AutoPad::SameLower) {
      const std::int64_t total = std::max<std::int64_t>(0, (size - 1) * w.strides[d] + extent - in[d]);
      const std::int64_t less = total / 2, more = total - less;
      w.pads_begin[d] = w.auto_pad == AutoPad::SameUpper ? less : more;
      w.pads_end[d] = w.auto_pad == AutoPad::SameUpper ? more : less;
    }
    out.push_back(size);
  }
  return {std::move(w.kernel),     std::move(w.strides),  std::move(w.dilations),
          std::move(w.pads_begin), std::move(w.pads_end), std::move(out)};
}

Dims window_output(opset::InferContext& ctx, std::span<const DimExpr> in, std::span<const DimExpr> kernel,
                   bool ceil_mode) {
  const WindowAttrs w = read_window(ctx.attrs(), in.size());
  if (w.kernel.empty() && !kernel.empty() && kernel.size() != in.size()) {
    ctx.fail("the window has " + std::to_string(kernel.size()) + " dimensions, but there are " +
             std::to_string(in.size()) + " spatial ones");
  }
  const bool same = w.auto_pad == AutoPad::SameUpper || w.auto_pad == AutoPad::SameLower;
  Dims out;
  for (std::size_t d = 0; d < in.size(); ++d) {
    DimExpr extent(1);
    if (!w.kernel.empty())
      extent = dilated(w.kernel[d], w.dilations[d]);
    else if (!kernel.empty())
      extent = (kernel[d] - DimExpr(1)) * DimExpr(w.dilations[d]) + DimExpr(1);
    else if (!same) {
      out.push_back(ctx.fresh_dim("the size of the window is not known"));
      continue;
    }
    out.push_back(output_size(w, d, in[d], extent, ceil_mode));
    if (out.back().is_constant() && out.back().constant() < 0 && in[d].is_constant() && extent.is_constant()) {
      ctx.fail(too_small(d, in[d].constant(), w.pads_begin[d] + w.pads_end[d], extent.constant()));
    }
  }
  return out;
}

}  // namespace norn::ops
