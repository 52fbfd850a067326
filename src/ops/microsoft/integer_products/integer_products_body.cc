// The product of integers is exact; it is scaled in float. Zero points of one element hold for the whole tensor, where
// MatMulInteger would take a list of one for that of a single row or column.
#include "ops/microsoft/domain.h"
#include "ops/microsoft/integer_products/integer_products.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
inline namespace integer_products_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// `name`, as a scalar where it has one element; left out where the node has none.
std::string add_squeezed(BodyBuilder& b, int i, const std::string& name) {
  if (!b.has_input(i)) return "";
  b.add(name + "_number = Squeeze (" + name + ")");
  return name + "_number";
}

// `name`, refused when it runs if it has several elements.
std::string add_number(BodyBuilder& b, int i, const std::string& name) {
  if (!b.has_input(i)) return "";
  if (b.type(i).has_rank() && (b.rank(i) == 0 || (b.rank(i) == 1 && b.size_or_unknown(i, 0) == 1)))
    return add_squeezed(b, i, name);
  b.ints("no_dims_for_" + name, {});
  b.add(name + "_number = Reshape (" + name + ", no_dims_for_" + name + ")");
  return name + "_number";
}

// Whether it is known that the input, a number or one for each column of input `of`, does not enlarge the product.
bool keeps_shape(const BodyBuilder& b, int i, int of, int axis) {
  if (!b.has_input(i)) return true;
  if (!b.type(i).has_rank() || !b.type(0).has_rank()) return false;
  const int rank = b.rank(i);
  if (rank > b.rank(0)) return false;
  for (int d = 0; d + 1 < rank; ++d)
    if (b.size_or_unknown(i, d) != 1) return false;
  const std::int64_t own = rank == 0 ? 1 : b.size_or_unknown(i, rank - 1);
  return own == 1 || (own >= 0 && b.type(of).has_rank() && own == b.size_or_unknown(of, axis));
}

// `to` = `from`; refused when it runs unless that has the product's shape.
void add_of_product_shape(BodyBuilder& b, const std::string& to, const std::string& from, bool known) {
  if (known) return b.add(to + " = Identity (" + from + ")");
  const std::string shape = "product_of_" + to;
  b.add(shape + " = Shape (product) " + to + " = Reshape <allowzero = 1> (" + from + ", " + shape + ")");
}

// The last axis of B, as keeps_shape() takes it.
int column_axis(const BodyBuilder& b, int i) { return b.type(i).has_rank() ? b.rank(i) - 1 : 0; }

void dynamic_quantize_matmul_body(BodyBuilder& b) {
  const std::string b_zero = add_squeezed(b, 3, "b_zero_point");
  b.add("a, a_scale, a_zero_point = DynamicQuantizeLinear (A)");
  b.add("product = MatMulInteger (a, B, a_zero_point, " + b_zero + ")");
  b.add(R"(
    numbers = Cast <to = 1> (product)
    scale = Mul (a_scale, b_scale)
    scaled = Mul (numbers, scale)
  )");
  b.add(b.has_input(4) ? "sum = Add (scaled, bias)" : "sum = Identity (scaled)");
  const int axis = column_axis(b, 1);
  add_of_product_shape(b, "Y", "sum", keeps_shape(b, 2, 1, axis) && keeps_shape(b, 4, 1, axis));
}

void matmul_integer_to_float_body(BodyBuilder& b) {
  if (b.size_or_unknown(2, 0) > 1 || b.size_or_unknown(4, 0) > 1)
    b.unsupported("a_scale and a_zero_point are taken as one number for all of A, but there are several");
  const std::string a_zero = add_number(b, 4, "a_zero_point"), b_zero = add_squeezed(b, 5, "b_zero_point");
  add_number(b, 2, "a_scale");
  b.add("product = MatMulInteger (A, B, " + a_zero + ", " + b_zero + ")");
  b.add(R"(
    numbers = Cast <to = 1> (product)
    a_factor = Cast <to = 1> (a_scale_number)
    b_factor = Cast <to = 1> (b_scale)
    scale = Mul (a_factor, b_factor)
    scaled = Mul (numbers, scale)
  )");
  b.add(b.has_input(6) ? "addend = Cast <to = 1> (bias) sum = Add (scaled, addend)" : "sum = Identity (scaled)");
  const int axis = column_axis(b, 1);
  add_of_product_shape(b, "whole", "sum", keeps_shape(b, 3, 1, axis) && keeps_shape(b, 6, 1, axis));
  b.add("Y = CastLike (whole, a_scale)");
}

// C is of the products' unit, the product of both scales. The result is quantised where y_scale is there.
void qgemm_body(BodyBuilder& b) {
  const std::string a_zero = add_number(b, 2, "a_zero_point"), b_zero = add_squeezed(b, 5, "b_zero_point");
  add_number(b, 1, "a_scale");
  for (const char* from : {"A", "B"}) {
    const std::string name(from);
    b.add(b.attrs().flag("trans" + name) ? "of_" + name + " = Transpose <perm = [1, 0]> (" + name + ")"
                                         : "of_" + name + " = Identity (" + name + ")");
  }
  b.add("product = MatMulInteger (of_A, of_B, " + a_zero + ", " + b_zero + ")");
  b.add(b.has_input(6) ? "grown = Add (product, C)" : "grown = Identity (product)");
  // A C whose sizes nothing compared must not enlarge the product.
  add_of_product_shape(b, "sum", "grown", !b.has_input(6) || (b.type(6).has_rank() && b.type(6).is_static()));
  b.scalar("factor", DataType::Float, static_cast<double>(b.attrs().f("alpha")));
  b.add(R"(
    numbers = Cast <to = 1> (sum)
    a_factor = Mul (a_scale_number, factor)
    scale = Mul (a_factor, b_scale)
    products = Mul (numbers, scale)
  )");
  add_of_product_shape(b, "scaled", "products", keeps_shape(b, 4, 3, b.attrs().flag("transB") ? 0 : 1));
  if (!b.has_input(7)) return b.add("Y = Identity (scaled)");
  b.add("y_number = Squeeze (y_scale)");
  if (!b.has_input(8)) return b.add("Y = QuantizeLinear (scaled, y_number)");
  b.add("y_zero = Squeeze (y_zero_point) Y = QuantizeLinear (scaled, y_number, y_zero)");
}

constexpr FunctionBody kQGemmBodies[] = {{.since = 1, .opset = kBodyOpset, .build = qgemm_body}};
constexpr FunctionBody kDynamic[] = {{.since = 1, .opset = kBodyOpset, .build = dynamic_quantize_matmul_body}};
constexpr FunctionBody kToFloat[] = {{.since = 1, .opset = kBodyOpset, .build = matmul_integer_to_float_body}};

}  // namespace
}  // namespace integer_products_body_cc
}  // namespace microsoft

void integer_products_bodies(opset::BodyTable& table) {
  table.add(microsoft::DynamicQuantizeMatMul, microsoft::kDynamic);
  table.add(microsoft::MatMulIntegerToFloat, microsoft::kToFloat);
  table.add(microsoft::QGemm, microsoft::kQGemmBodies);
}

}  // namespace norn::ops
