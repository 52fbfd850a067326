// Einstein summation. The equation's letters name axes, an ellipsis stands for axes that broadcast, spaces mean
// nothing, and without an arrow the output has the letters that appear once, in alphabetical order.
#include "ops/math/einsum/einsum.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/text.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace einsum_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {{.name = "Inputs", .type = "T", .option = ParamOption::Variadic, .diff = kDiff}};
constexpr Param kOutputs[] = {{.name = "Output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "equation", .type = ir::AttributeType::String, .required = true}};
constexpr TypeConstraint kTypes12[] = {{"T", tensors(types::kNumeric)}};
constexpr TypeConstraint kTypes28[] = {{"T", tensors(types::kNumericBf)}};

constexpr Schema kEinsum[] = {
    {.since = 12, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes12},
    {.since = 28, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes28, .same_meaning = true},
};

constexpr int kLetters = 52;

// Letters, and how many of them stand before the ellipsis, if there is one.
struct Term {
  std::vector<int> letters;
  std::optional<std::size_t> ellipsis;
};
struct Equation {
  std::vector<Term> inputs;
  std::optional<Term> output;
};

int letter(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1; }

// A part of the equation, for messages: those that come with files may be long.
std::string shown(std::string_view text) { return base::quoted(text.size() > 60 ? text.substr(0, 60) : text); }

Equation parse(const NodeView& node, std::size_t inputs) {
  std::string text = node.attrs().s("equation");
  std::erase(text, ' ');
  Equation e;
  e.inputs.emplace_back();
  Term* term = &e.inputs.back();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (const int l = letter(text[i]); l >= 0) {
      term->letters.push_back(l);
    } else if (rest.starts_with("...") && !term->ellipsis) {
      term->ellipsis = term->letters.size();
      i += 2;
    } else if (text[i] == ',' && !e.output) {
      if (e.inputs.size() == inputs)
        node.fail("the equation " + shown(text) + " has terms for more than " + std::to_string(inputs) + " inputs");
      term = &e.inputs.emplace_back();
    } else if (rest.starts_with("->") && !e.output) {
      term = &e.output.emplace();
      ++i;
    } else {
      node.fail("the equation " + shown(text) + " has " + shown(rest) + " where it cannot be",
                "it consists of letters, one ellipsis to a term, commas between the inputs' terms and at most one ->");
    }
  }
  return e;
}

// What -> would say: the letters that appear once, after the ellipsis.
Term implicit_output(const Equation& e) {
  std::array<int, kLetters> times{};
  Term output;
  for (const Term& t : e.inputs) {
    if (t.ellipsis) output.ellipsis = 0;
    for (const int l : t.letters)
      times[static_cast<std::size_t>(l)] = std::min(times[static_cast<std::size_t>(l)] + 1, 2);
  }
  for (int l = 0; l < kLetters; ++l) {
    if (times[static_cast<std::size_t>(l)] == 1) output.letters.push_back(l);
  }
  return output;
}

void check_output(const NodeView& node, const Equation& e, const Term& output) {
  std::array<bool, kLetters> known{};
  bool ellipsis = false;
  for (const Term& t : e.inputs) {
    ellipsis |= t.ellipsis.has_value();
    for (const int l : t.letters) known[static_cast<std::size_t>(l)] = true;
  }
  for (const int l : output.letters) {
    bool& left = known[static_cast<std::size_t>(l)];
    const std::string letter(1, static_cast<char>(l < 26 ? 'A' + l : 'a' + l - 26));
    if (!left) node.fail("the output's term has the letter " + letter + " twice, or no input's term has it");
    left = false;
  }
  if (output.ellipsis.has_value() != ellipsis)
    node.fail("an ellipsis has to be in the output's term and in those of inputs, or in none of them");
}

std::vector<int> labels(const Term& term, std::int64_t ellipsis_rank) {
  std::vector<int> all = term.letters;
  if (!term.ellipsis) return all;
  std::vector<int> dots;
  for (std::int64_t d = 0; d < ellipsis_rank; ++d) dots.push_back(kLetters + static_cast<int>(d));
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(*term.ellipsis), dots.begin(), dots.end());
  return all;
}

void infer_einsum(InferContext& ctx) {
  ctx.set(0, ctx.elem(0));
  std::vector<std::int64_t> ranks;
  for (int i = 0; i < ctx.input_count(); ++i) ranks.push_back(ctx.has_rank(i) ? ctx.rank(i) : -1);
  const EinsumParams p = resolve_einsum(ctx, ranks);
  const auto sizes = resolve_einsum_sizes(ctx, p);
  if (!p.output) return;
  const bool all_ranks = std::all_of(ranks.begin(), ranks.end(), [](std::int64_t rank) { return rank >= 0; });
  Dims dims;
  for (const int label : *p.output) {
    const auto at = sizes.find(label);
    dims.push_back(at != sizes.end() && at->second
                       ? *at->second
                       : ctx.fresh_dim(all_ranks ? "either of the sizes that one letter stands for may be 1" : ""));
  }
  ctx.set(0, ctx.elem(0), std::move(dims));
}

}  // namespace
}  // namespace einsum_cc

EinsumSizes resolve_einsum_sizes(const NodeView& node, const EinsumParams& p) {
  // Sizes meet as in broadcasting: one that is 1 is stretched, within one input they are equal.
  EinsumSizes sizes;
  const auto is_known = [](const std::optional<DimExpr>& size) { return size && size->is_constant(); };
  const auto meet = [&](int label, const std::optional<DimExpr>& size) {
    const auto [at, first] = sizes.emplace(label, size);
    auto& known = at->second;
    if (first || known == size || size == DimExpr(1)) return;
    if (known == DimExpr(1) || (is_known(size) && !is_known(known)))
      known = size;
    else if (is_known(known) && is_known(size))
      node.fail("sizes of one letter or place of the ellipsis are " + known->to_string() + " and " + size->to_string());
    else if (!is_known(known))
      known.reset();
  };
  for (std::size_t i = 0; i < p.inputs.size(); ++i) {
    const auto shape = node.known_shape(static_cast<int>(i));
    std::map<int, std::optional<DimExpr>> own;
    for (std::size_t d = 0; d < p.inputs[i].size(); ++d) {
      const auto [at, first] = own.emplace(p.inputs[i][d], shape ? std::optional((*shape)[d]) : std::nullopt);
      if (!first && shape)
        at->second = node.unify(*at->second, (*shape)[d], "sizes of a letter that an input has twice");
    }
    for (const auto& [label, size] : own) meet(label, size);
  }
  return sizes;
}

EinsumParams resolve_einsum(const NodeView& node, const std::vector<std::int64_t>& ranks) {
  Equation e = parse(node, ranks.size());
  if (e.output)
    check_output(node, e, *e.output);
  else
    e.output = implicit_output(e);
  if (e.inputs.size() != ranks.size())
    node.fail("the equation has terms for " + std::to_string(e.inputs.size()) + " inputs, and there are " +
              std::to_string(ranks.size()));
  std::optional<std::int64_t> ellipsis;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Term& term = e.inputs[i];
    const std::int64_t rest = ranks[i] - static_cast<std::int64_t>(term.letters.size());
    if (ranks[i] < 0) continue;
    if (rest < 0 || (rest > 0 && !term.ellipsis))
      node.fail("input " + std::to_string(i) + " has " + std::to_string(ranks[i]) + " dimensions, its term " +
                std::to_string(term.letters.size()) + " letters");
    if (!term.ellipsis) continue;
    if (ellipsis && *ellipsis != rest)
      node.fail("the ellipsis stands for " + std::to_string(*ellipsis) + " dimensions and for " + std::to_string(rest));
    ellipsis = rest;
  }
  EinsumParams p;
  for (const Term& term : e.inputs) p.inputs.push_back(labels(term, ellipsis.value_or(0)));
  if (ellipsis || !e.output->ellipsis) p.output = labels(*e.output, ellipsis.value_or(0));
  return p;
}

constinit const Operator Einsum = {.name = "Einsum", .history = kEinsum, .infer = infer_einsum};

void einsum_schemas(SchemaTable& table) { table.add(Einsum); }

}  // namespace norn::ops
