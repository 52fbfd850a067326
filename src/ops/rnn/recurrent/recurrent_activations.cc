// The activation functions of recurrent layers, and the parameters that say which.
//
// activation_alpha and activation_beta are lists that the functions which have such a parameter consume in turn; a
// function that finds none left takes the default of the operator of its name.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "base/nearest.h"
#include "base/text.h"
#include "ops/rnn/recurrent/recurrent.h"

namespace norn::ops {
inline namespace recurrent_activations_cc {
namespace {

struct Function {
  std::string_view name;
  double (*f)(double, double, double);
  std::optional<double> alpha = {}, beta = {};  // defaults of those that it has
};

double positive_part(double x) { return x < 0 ? 0.0 : x; }

// In the order of RecurrentFunction. Softsign of an infinity is its limit, as activations of recurrent layers bound
// what comes from one step to the next; the operator Softsign gives NaN, by the formula, as ONNX's reference does.
const Function kFunctions[] = {
    {"Relu", [](double x, double, double) { return positive_part(x); }},
    {"Tanh", [](double x, double, double) { return std::tanh(x); }},
    {"Sigmoid", [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
    {"Affine", [](double x, double a, double b) { return a * x + b; }, 1.0, 0.0},
    {"LeakyRelu", [](double x, double a, double) { return x < 0 ? a * x : x; }, 0.01},
    {"ThresholdedRelu", [](double x, double a, double) { return x < a ? 0.0 : x; }, 1.0},
    {"ScaledTanh", [](double x, double a, double b) { return a * std::tanh(b * x); }, 1.0, 1.0},
    {"HardSigmoid", [](double x, double a, double b) { return std::clamp(a * x + b, 0.0, 1.0); }, 0.2, 0.5},
    {"Elu", [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }, 1.0},
    {"Softsign", [](double x, double, double) { return std::isinf(x) ? std::copysign(1, x) : x / (1 + std::fabs(x)); }},
    {"Softplus", [](double x, double, double) { return positive_part(x) + std::log1p(std::exp(-std::fabs(x))); }},
};

std::vector<std::string> default_activations(RecurrentLayer layer, std::int64_t directions) {
  std::vector<std::string> names;
  for (std::int64_t d = 0; d < directions; ++d) {
    if (layer != RecurrentLayer::Rnn) names.emplace_back("Sigmoid");
    names.emplace_back("Tanh");
    if (layer == RecurrentLayer::Lstm) names.emplace_back("Tanh");
  }
  return names;
}

std::vector<RecurrentActivation> activations_of(const opset::NodeView& node, RecurrentLayer layer,
                                                std::int64_t directions) {
  const opset::Attrs& attrs = node.attrs();
  const auto wanted = static_cast<std::size_t>(gates_of(layer).functions * directions);
  std::vector<std::string> names =
      attrs.has("activations") ? attrs.strings("activations") : default_activations(layer, directions);
  // RNN's own default is a list of two, whatever the direction.
  if (layer == RecurrentLayer::Rnn && names.size() == 2) names.resize(wanted);
  if (names.size() != wanted)
    node.fail("activations has " + std::to_string(names.size()) + " functions, but " + std::to_string(directions) +
              (directions == 1 ? " direction needs " : " directions need ") + std::to_string(wanted));
  const auto alphas = attrs.find_floats("activation_alpha").value_or(std::vector<float>{});
  const auto betas = attrs.find_floats("activation_beta").value_or(std::vector<float>{});
  std::size_t alpha = 0, beta = 0;
  const auto take = [](const std::optional<double>& otherwise, const std::vector<float>& list, std::size_t& at) {
    return !otherwise ? 0.0 : at < list.size() ? static_cast<double>(list[at++]) : *otherwise;
  };
  std::vector<RecurrentActivation> all;
  for (const std::string& name : names) {
    const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                     [&](const Function& f) { return base::equal_but_case(f.name, name); });
    if (found == std::end(kFunctions)) {
      base::Nearest nearest(name);
      std::string known;
      for (const Function& f : kFunctions) {
        nearest.offer(f.name);
        known += (known.empty() ? "" : ", ") + std::string(f.name);
      }
      const std::string question = nearest.question();
      node.fail("there is no activation function " + base::quoted(name),
                question + (question.empty() ? "" : " ") + "there are " + known);
    }
    const double a = take(found->alpha, alphas, alpha);
    all.push_back({static_cast<RecurrentFunction>(found - kFunctions), found->f, a, take(found->beta, betas, beta)});
  }
  if (alpha != alphas.size() || beta != betas.size())
    node.fail(std::string(alpha != alphas.size() ? "activation_alpha" : "activation_beta") +
                  " has more values than there are activation functions that take one",
              "list the values of those functions only, in order");
  return all;
}

}  // namespace
}  // namespace recurrent_activations_cc

RecurrentParams resolve_recurrent(const opset::NodeView& node, RecurrentLayer layer) {
  const opset::Attrs& attrs = node.attrs();
  const auto flag = [&](std::string_view name) { return attrs.declares(name) && attrs.flag(name); };
  RecurrentParams p{.directions = 1,
                    .reverse = false,
                    .batch_first = flag("layout"),
                    .linear_before_reset = flag("linear_before_reset"),
                    .input_forget = flag("input_forget"),
                    .clip = {},
                    .hidden_size = attrs.find_i("hidden_size"),
                    .activations = {}};
  // GRU 1 spells its default "foward".
  const std::string direction = attrs.has("direction") ? attrs.s("direction") : "forward";
  if (direction == "bidirectional")
    p.directions = 2;
  else if (direction == "reverse")
    p.reverse = true;
  else if (direction != "forward")
    node.fail("direction must be forward, reverse or bidirectional, not " + base::quoted(direction));
  if (attrs.declares("layout") && attrs.i("layout") != 0 && attrs.i("layout") != 1)
    node.fail("layout must be 0 or 1, not " + std::to_string(attrs.i("layout")));
  if (const auto clip = attrs.find_f("clip")) {
    if (!(*clip >= 0)) node.fail("clip must not be negative: " + std::to_string(*clip));
    p.clip = *clip;
  }
  if (p.hidden_size && *p.hidden_size < 1)
    node.fail("hidden_size must be positive, not " + std::to_string(*p.hidden_size));
  p.activations = activations_of(node, layer, p.directions);
  return p;
}

}  // namespace norn::ops
