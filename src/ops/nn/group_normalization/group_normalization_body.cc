// Every group of channels becomes one dimension for mean and variance. Version 18 scales by group, 21 by channel.
#include "ops/nn/group_normalization/group_normalization.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace group_normalization_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// Puts the groups' normalized elements, [N, groups, -1], into `normalized`, computed in the type of `x`.
constexpr std::string_view kNormalize = R"(
  grouped = Reshape (x, group_shape)
  mean = ReduceMean (grouped, last)
  d = Sub (grouped, mean)
  squares = Mul (d, d)
  variance = ReduceMean (squares, last)
  variance_epsilon = Add (variance, epsilon_x)
  deviation = Sqrt (variance_epsilon)
  normalized = Div (d, deviation)
)";

// Whether inference knows the channels, and that the groups divide them.
bool known_channels(const BodyBuilder& b) {
  return b.size_or_unknown(0, 1) >= 0 ||
         (b.version() >= 21 && (b.size_or_unknown(1, 0) >= 0 || b.size_or_unknown(2, 0) >= 0) && b.type(0).has_rank());
}

// `scale` and `bias` as columns. Nothing compared them with the channels of an X of unknown rank.
void add_columns(BodyBuilder& b) {
  const std::int64_t column[] = {-1, 1}, one[] = {1};
  if (b.type(0).has_rank()) {
    b.ints("column", column);
  } else {
    b.ints("one_wide", one);
    b.add("channel_count = Shape <start = 1, end = 2> (X) column = Concat <axis = 0> (channel_count, one_wide)");
  }
  b.add("scale_column = Reshape (scale, column) bias_column = Reshape (bias, column)");
}

void common(BodyBuilder& b) {
  const auto [groups, stash] = resolve_group_norm(b);
  const std::int64_t shape[] = {0, groups, -1}, last[] = {2};
  if (known_channels(b)) {
    b.ints("group_shape", shape);
  } else {
    const std::int64_t kept[] = {0}, count[] = {groups}, rest[] = {-1}, none[] = {-7};
    b.ints("kept", kept);
    b.ints("group_count", count);
    b.ints("group_rest", rest);
    b.ints("not_divisible", none);
    b.add(R"(
      channels_of_x = Shape <start = 1, end = 2> (X)
      channels_left = Mod (channels_of_x, group_count)
      is_divisible = Equal (channels_left, kept)
      groups_that_divide_channels = Where (is_divisible, group_count, not_divisible)
      group_shape = Concat <axis = 0> (kept, groups_that_divide_channels, group_rest)
    )");
  }
  b.ints("last", last);
  b.scalar("epsilon_x", stash ? *stash : b.elem(0), b.attrs().f("epsilon"));
}

void group_normalization_18_body(BodyBuilder& b) {
  common(b);
  b.add("x = Identity (X)");
  b.add(kNormalize);
  const std::int64_t column[] = {-1, 1};
  b.ints("column", column);
  b.add(R"(
    scale_column = Reshape (scale, column)
    bias_column = Reshape (bias, column)
    scaled = Mul (normalized, scale_column)
    biased = Add (scaled, bias_column)
    shape = Shape (X)
    Y = Reshape <allowzero = 1> (biased, shape)
  )");
}

void group_normalization_body(BodyBuilder& b) {
  common(b);
  b.add("x = Cast <to: int = @stash_type> (X)");
  b.add(kNormalize);
  const std::int64_t rest[] = {-1}, first_axes[] = {0, 1};
  add_columns(b);
  b.ints("rest", rest);
  b.ints("first_axes", first_axes);
  b.add(R"(
    back = CastLike (normalized, X)
    shape = Shape (X)
    batch_and_channels = Gather (shape, first_axes)
    channel_shape = Concat <axis = 0> (batch_and_channels, rest)
    by_channel = Reshape (back, channel_shape)
    scaled = Mul (by_channel, scale_column)
    biased = Add (scaled, bias_column)
    Y = Reshape <allowzero = 1> (biased, shape)
  )");
}

constexpr FunctionBody kGroupNormalizationBodies[] = {
    {.since = 18, .opset = 18, .build = group_normalization_18_body},
    {.since = 21, .opset = 21, .build = group_normalization_body},
};

}  // namespace
}  // namespace group_normalization_body_cc

void group_normalization_bodies(opset::BodyTable& table) { table.add(GroupNormalization, kGroupNormalizationBodies); }

}  // namespace norn::ops
