// Scales and zero points are single numbers, in tensors of rank 0 or lists of one; the standard operators take both.
#include "ops/microsoft/domain.h"
#include "ops/microsoft/qlinear/qlinear.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
inline namespace qlinear_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// The scale that input i, `name`, is; a list has to have one element.
std::string add_scale(BodyBuilder& b, int i, const std::string& name) {
  if (b.type(i).has_rank() && (b.rank(i) == 0 || b.size_or_unknown(i, 0) == 1)) return name;
  b.add(name + "_shape = Constant <value = int64[0] {}> () " + name + "_single = Reshape (" + name + ", " + name +
        "_shape)");
  return name + "_single";
}

// `to` is what the integers `x` stand for; the scale is input i. A zero point that is left out is 0.
void dequantize(BodyBuilder& b, const std::string& to, const std::string& x, int i, const std::string& scale,
                const std::string& zero_point) {
  b.add(to + " = DequantizeLinear (" + x + ", " + add_scale(b, i, scale) + ", " + zero_point + ")");
}

void quantize(BodyBuilder& b, const std::string& to, const std::string& x, DataType type, int i,
              const std::string& scale, const std::string& zero_point) {
  b.add(to + " = QuantizeLinear <output_dtype = " + std::to_string(static_cast<int>(type)) + "> (" + x + ", " +
        add_scale(b, i, scale) + ", " + zero_point + ")");
}

void pair_body(BodyBuilder& b, const char* op) {
  dequantize(b, "a", "A", 1, "A_scale", "A_zero_point");
  dequantize(b, "b", "B", 4, "B_scale", "B_zero_point");
  b.add(std::string("c = ") + op + " (a, b)");
  quantize(b, "C", "c", b.elem(0), 6, "C_scale", "C_zero_point");
}

// One input and one output, whose parameters' names begin with these letters.
void single_body(BodyBuilder& b, const std::string& x, const std::string& y, const std::string& nodes) {
  dequantize(b, "from", "X", 1, x + "_scale", x + "_zero_point");
  b.add(nodes);
  quantize(b, "Y", "result", b.elem(0), 3, y + "_scale", y + "_zero_point");
}

// Nodes that make `to` of `from`, which has its channels last, by an operator that takes them first.
std::string channels_last(const BodyBuilder& b, const std::string& op, const std::string& from, const std::string& to) {
  const int rank = b.rank(0);
  if (rank < 3) b.fail("X has rank " + std::to_string(rank) + ", but has to have 3 at least");
  std::string to_first = "0, " + std::to_string(rank - 1), to_last = "0";
  for (int i = 1; i < rank - 1; ++i) to_first += ", " + std::to_string(i);
  for (int i = 2; i < rank; ++i) to_last += ", " + std::to_string(i);
  return "first = Transpose <perm = [" + to_first + "]> (" + from + ") pooled = " + op + " (first) " + to +
         " = Transpose <perm = [" + to_last + ", 1]> (pooled)";
}

// `op` over the spatial axes of `from`, which has its channels last if the attribute says so.
void pool_body(BodyBuilder& b, const std::string& op) {
  single_body(b, "x", "y",
              b.attrs().flag("channels_last") ? channels_last(b, op, "from", "result") : "result = " + op + " (from)");
}

void nhwc_max_pool_body(BodyBuilder& b) {
  b.add(channels_last(b,
                      "MaxPool <auto_pad: string = @auto_pad, ceil_mode: int = @ceil_mode, dilations: ints = "
                      "@dilations, kernel_shape: ints = @kernel_shape, pads: ints = @pads, strides: ints = @strides>",
                      "x", "y"));
}

// Before version 13 of ONNX's operators, Softmax took the axes from `axis` on as one.
void softmax_body(BodyBuilder& b) {
  dequantize(b, "from", "X", 1, "X_scale", "x_zero_point");
  b.add(b.attrs().i("opset") >= 13 ? "result = Softmax <axis: int = @axis> (from)" : R"(
    shape = Shape (from)
    rows = Flatten <axis: int = @axis> (from)
    portions = Softmax <axis = 1> (rows)
    result = Reshape <allowzero = 1> (portions, shape)
  )");
  quantize(b, "Y", "result", b.elem(0), 3, "y_scale", "y_zero_point");
}

void where_body(BodyBuilder& b) {
  dequantize(b, "x", "X", 2, "x_scale", "x_zero_point");
  dequantize(b, "y", "Y", 5, "y_scale", "y_zero_point");
  b.add("z = Where (condition, x, y)");
  quantize(b, "Z", "z", b.elem(1), 7, "z_scale", "z_zero_point");
}

void reduce_mean_body(BodyBuilder& b) {
  b.ints("axis_list", b.attrs().ints("axes"));
  dequantize(b, "from", "data", 1, "data_scale", "data_zero_point");
  b.add("mean = ReduceMean <keepdims: int = @keepdims> (from, axis_list)");
  quantize(b, "reduced", "mean", b.elem(0), 3, "reduced_scale", "reduced_zero_point");
}

void qlinear_concat_body(BodyBuilder& b) {
  const int given = b.input_count() - 2;
  if (given % 3 != 0)
    b.fail("there are " + std::to_string(given) +
           " inputs behind Y_zero_point, but each tensor has a scale and a zero point");
  std::string parts;
  for (int i = 0; i < given; i += 3) {
    const std::string part = "part_" + std::to_string(i / 3);
    const auto name = [&](int k) { return "inputs_" + std::to_string(i + k); };
    dequantize(b, part, name(0), i + 3, name(1), name(2));
    parts += (parts.empty() ? "" : ", ") + part;
  }
  b.add("joined = Concat <axis: int = @axis> (" + parts + ")");
  quantize(b, "Y", "joined", b.elem(1), 0, "Y_scale", "Y_zero_point");
}

constexpr FunctionBody kAdd[] = {
    {.since = 1, .opset = kBodyOpset, .build = [](BodyBuilder& b) { pair_body(b, "Add"); }}};
constexpr FunctionBody kMul[] = {
    {.since = 1, .opset = kBodyOpset, .build = [](BodyBuilder& b) { pair_body(b, "Mul"); }}};
constexpr FunctionBody kConcat[] = {{.since = 1, .opset = kBodyOpset, .build = qlinear_concat_body}};
constexpr FunctionBody kSigmoid[] = {{.since = 1, .opset = kBodyOpset, .build = [](BodyBuilder& b) {
                                        single_body(b, "X", "Y", "result = Sigmoid (from)");
                                      }}};
constexpr FunctionBody kLeakyRelu[] = {{.since = 1, .opset = kBodyOpset, .build = [](BodyBuilder& b) {
                                          single_body(b, "X", "Y", "result = LeakyRelu <alpha: float = @alpha> (from)");
                                        }}};
constexpr FunctionBody kMaxPool[] = {{.since = 1, .opset = kBodyOpset, .build = nhwc_max_pool_body}};
constexpr FunctionBody kSoftmax[] = {{.since = 1, .opset = kBodyOpset, .build = softmax_body}};
constexpr FunctionBody kWhere[] = {{.since = 1, .opset = kBodyOpset, .build = where_body}};
constexpr FunctionBody kReduceMean[] = {{.since = 1, .opset = kBodyOpset, .build = reduce_mean_body}};
constexpr FunctionBody kGlobalAveragePool[] = {
    {.since = 1, .opset = kBodyOpset, .build = [](BodyBuilder& b) { pool_body(b, "GlobalAveragePool"); }}};
constexpr FunctionBody kAveragePool[] = {{.since = 1, .opset = kBodyOpset, .build = [](BodyBuilder& b) {
                                            pool_body(b,
                                                      "AveragePool <auto_pad: string = @auto_pad, ceil_mode: int = "
                                                      "@ceil_mode, count_include_pad: int = @count_include_pad, "
                                                      "kernel_shape: ints = @kernel_shape, pads: ints = @pads, "
                                                      "strides: ints = @strides>");
                                          }}};

}  // namespace
}  // namespace qlinear_body_cc
}  // namespace microsoft

void qlinear_bodies(opset::BodyTable& table) {
  table.add(microsoft::QLinearAdd, microsoft::kAdd);
  table.add(microsoft::QLinearMul, microsoft::kMul);
  table.add(microsoft::QLinearConcat, microsoft::kConcat);
  table.add(microsoft::QLinearAveragePool, microsoft::kAveragePool);
  table.add(microsoft::QLinearGlobalAveragePool, microsoft::kGlobalAveragePool);
  table.add(microsoft::NhwcMaxPool, microsoft::kMaxPool);
  table.add(microsoft::QLinearReduceMean, microsoft::kReduceMean);
  table.add(microsoft::QLinearSoftmax, microsoft::kSoftmax);
  table.add(microsoft::QLinearWhere, microsoft::kWhere);
  table.add(microsoft::QLinearSigmoid, microsoft::kSigmoid);
  table.add(microsoft::QLinearLeakyRelu, microsoft::kLeakyRelu);
}

}  // namespace norn::ops
