// A body's text is parsed when a node needs it first. Those that a builder writes are kept by their text; that text may
// hold numbers of the node, so their number is bounded. A body that holds a graph of the node's is made anew each time.
#include "infer/function_body.h"

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/fork.h"
#include "format/text.h"
#include "ir/tensor_data.h"
#include "norn/error.h"
#include "opset/function_body.h"
#include "opset/registry.h"

namespace norn::infer {
namespace {

using opset::Attrs;
using opset::FunctionBody;
using opset::Operator;
using opset::Schema;
using FunctionPtr = std::shared_ptr<const ir::Function>;

constexpr std::size_t kMostKept = 1000;

struct Cache {
  base::ForkSafeMutex lock;
  std::unordered_map<std::string, FunctionPtr> functions;
};

Cache& cache() {
  return *base::made_once([] { return std::make_shared<Cache>(); });
}

template <class T>
std::vector<T> list(std::span<const T> values) {
  return {values.begin(), values.end()};
}

ir::Attribute default_of(const opset::Attr& attr) {
  using Kind = opset::Default::Kind;
  const opset::Default& def = attr.def;
  ir::Attribute made;
  made.name = std::string(attr.name);
  made.type = static_cast<std::int32_t>(attr.type);
  switch (def.kind) {
    case Kind::Int: made.i = def.i; break;
    case Kind::Float: made.f = def.f; break;
    case Kind::String: made.s = std::string(def.s); break;
    case Kind::Ints: made.ints = list(def.ints); break;
    case Kind::Floats: made.floats = list(def.floats); break;
    case Kind::Strings:
      for (std::string_view s : def.strings) made.strings.mut_value().emplace_back(s);
      break;
    default: throw Error(ErrorCode::Internal, "a function's attribute has a tensor for its default");
  }
  return made;
}

// A variadic parameter stands for as many formals as the node has values.
std::vector<std::string> formals(std::span<const opset::Param> params, std::size_t given, const std::string& before) {
  std::vector<std::string> names;
  for (const opset::Param& p : params) {
    if (p.option != opset::ParamOption::Variadic) {
      names.push_back(before + std::string(p.name));
      continue;
    }
    for (std::size_t k = 0; names.size() < given; ++k)
      names.push_back(before + std::string(p.name) + "_" + std::to_string(k));
  }
  return names;
}

// Everything but the nodes.
ir::Function head(const Operator& op, const Schema& schema, const FunctionBody& body, std::size_t inputs,
                  std::size_t outputs) {
  ir::Function f;
  f.domain = std::string(op.domain);
  f.name = std::string(op.name);
  const std::string before = body.opset > 0 ? "" : "__";
  f.input = formals(schema.inputs, inputs, before);
  f.output = formals(schema.outputs, outputs, before);
  for (const opset::Attr& attr : schema.attrs) {
    if (attr.def.kind == opset::Default::Kind::None)
      f.attribute.emplace_back(attr.name);
    else
      f.attribute_proto.push_back(default_of(attr));
  }
  if (body.opset > 0) {
    ir::OperatorSetId& set = f.opset_import.emplace_back();
    set.domain = std::string();
    set.version = body.opset;
  }
  return f;
}

void parse(const Operator& op, std::string_view nodes, std::vector<ir::Node>& to) {
  try {
    ir::Function parsed = format::from_text<ir::Function>("body () => () " + std::string(nodes));
    for (ir::Node& node : parsed.node) to.push_back(std::move(node));
  } catch (const Error& e) {
    throw Error(ErrorCode::Internal, "the function body of " + opset::full_name(op) + ": " + e.message(), e.where());
  }
}

std::string key_of(const Operator& op, const Schema& schema, std::string_view nodes, std::size_t inputs,
                   std::size_t outputs) {
  std::string key = opset::full_name(op);
  for (const std::size_t number : {static_cast<std::size_t>(schema.since), inputs, outputs})
    (key += ' ') += std::to_string(number);
  return (key += ' ') += nodes;
}

}  // namespace

FunctionPtr function_body(const Operator& op, const Attrs& attrs, std::span<const opset::ValueType* const> inputs,
                          const std::vector<bool>& outputs, std::span<const norn::Tensor* const> constants) {
  const Schema& schema = attrs.schema();
  const FunctionBody* body = opset::body_at(op, schema.since);
  if (!body) return nullptr;
  std::string built;
  std::string_view text = body->nodes;
  if (body->build) {
    const opset::BodyContext node{attrs, inputs, outputs, constants};
    opset::BodyBuilder builder(node);
    body->build(builder);
    auto parts = builder.take_parts();
    if (parts.size() > 1 || (!parts.empty() && !parts.front().nodes.empty())) {
      ir::Function made = head(op, schema, *body, inputs.size(), outputs.size());
      for (auto& part : parts) {
        for (ir::Node& n : part.nodes) made.node.push_back(std::move(n));
        if (!part.text.empty()) parse(op, "{" + part.text + "}", made.node);
      }
      return std::make_shared<const ir::Function>(std::move(made));
    }
    built = "{" + (parts.empty() ? std::string() : std::move(parts.front().text)) + "}";
    text = built;
  }
  Cache& known = cache();
  const std::string key = key_of(op, schema, text, inputs.size(), outputs.size());
  {
    const std::lock_guard lock(known.lock);
    if (const auto at = known.functions.find(key); at != known.functions.end()) return at->second;
  }
  ir::Function made = head(op, schema, *body, inputs.size(), outputs.size());
  parse(op, text, made.node);
  auto function = std::make_shared<const ir::Function>(std::move(made));
  const std::lock_guard lock(known.lock);
  if (known.functions.size() >= kMostKept) known.functions.clear();
  return known.functions.emplace(key, std::move(function)).first->second;
}

}  // namespace norn::infer
