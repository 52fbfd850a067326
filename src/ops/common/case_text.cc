#include "ops/common/case_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <memory>
#include <utility>

#include "ir/tensor_data.h"
#include "norn/error.h"
#include "ops/common/case_tensor.h"
#include "ops/common/elements.h"
#include "opset/registry.h"
#include "opset/type_check.h"

namespace norn::ops::cases {
namespace {

using opset::DimExpr;
using opset::Dims;
using opset::ValueType;

constexpr char kBreak = '\x1e';  // between the texts of a case

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Splits at `separator` outside of quotes and brackets; spaces in a row separate once.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  bool quoted = false;
  const auto end = [&] {
    if (separator != ' ' || !part.empty()) parts.emplace_back(trimmed(part));
    part.clear();
  };
  for (char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '(')) ++depth;
    if (!quoted && (c == ']' || c == ')')) --depth;
    if (c == separator && !quoted && depth == 0)
      end();
    else
      part += c;
  }
  if (!trimmed(text).empty()) end();
  return parts;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Calls f(begin, end) for every word outside of quotes.
template <class F>
void for_words(const std::string& text, F&& f) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted || !is_word(text[i]) || (i && (is_word(text[i - 1]) || text[i - 1] == '.'))) continue;
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    f(i, end);
    i = end - 1;
  }
}

void expand(const std::string& text, std::vector<std::string>& all) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted || text[i] != '{') continue;
    const auto close = text.find('}', i);
    if (close == std::string::npos) bad("an open brace", text);
    std::string inside = text.substr(i + 1, close - i - 1);
    for (std::size_t from = 0; from <= inside.size();) {
      const auto bar = std::min(inside.find('|', from), inside.size());
      expand(text.substr(0, i) + inside.substr(from, bar - from) + text.substr(close + 1), all);
      from = bar + 1;
    }
    return;
  }
  all.push_back(text);
}

bool knows_int(std::string_view word) { return whole(word) || word == "max" || word == "min"; }

struct Name {
  std::string domain, op;
  std::string versions;
};
Name name_of(const std::string& word) {
  const auto dash = word.find('-');
  Name n;
  n.op = word.substr(0, dash);
  if (dash != std::string::npos) n.versions = word.substr(dash + 1);
  if (const auto dot = n.op.rfind('.'); dot != std::string::npos) {
    n.domain = n.op.substr(0, dot);
    n.op = n.op.substr(dot + 1);
  }
  return n;
}

// Rows of a version text; empty means every one, and the newest must fit.
std::vector<const opset::Schema*> rows_of(const opset::Operator& op, const std::string& versions) {
  std::vector<const opset::Schema*> rows;
  const auto dots = versions.find("..");
  if (!versions.empty() && dots == std::string::npos) {
    const auto version = whole(versions);
    const auto* row = version ? opset::schema_at(op, static_cast<int>(*version)) : nullptr;
    if (!row) bad(opset::full_name(op) + " has no version " + versions, versions);
    return {row};
  }
  const auto from = whole(versions.substr(0, std::min(dots, versions.size()))).value_or(0);
  const auto to = dots == std::string::npos ? std::nullopt : whole(versions.substr(dots + 2));
  for (const opset::Schema& row : op.history)
    if (row.since >= from && row.since <= to.value_or(1 << 20) && (!row.deprecated || !versions.empty()))
      rows.push_back(&row);
  return rows;
}

std::uint32_t filter(std::string_view types, std::uint32_t allowed) {
  using namespace opset::types;
  const auto bits = [&](std::string_view word) -> std::uint32_t {
    if (word == "floats") return kFloats;
    if (word == "signed") return kSigned;
    if (word == "unsigned") return kUnsigned;
    const DataType type = data_type_from_name(word);
    if (type == DataType::Undefined) bad("no type: " + std::string(word), types);
    return opset::elems(type);
  };
  std::uint32_t with = 0, without = 0;
  for (const std::string& word : split(types, ' '))
    (word[0] == '!' ? without : with) |= bits(word[0] == '!' ? std::string_view(word).substr(1) : word);
  return (with ? allowed & with : allowed) & ~without;
}

// Whether the version allows the types of the inputs.
bool takes(const Trial& trial) {
  const auto& params = trial.row->inputs;
  for (std::size_t i = 0; i < trial.inputs.size() && !params.empty(); ++i) {
    const auto* variable = opset::find_type(*trial.row, params[std::min(i, params.size() - 1)].type);
    if (trial.inputs[i].present && variable && !opset::allows(variable->set, trial.inputs[i].type)) return false;
  }
  return true;
}

// Replaces the word `name` by `by` in all of `text`.
std::string with_word(const std::string& text, std::string_view name, std::string_view by) {
  std::string result;
  std::size_t done = 0;
  for_words(text, [&](std::size_t begin, std::size_t end) {
    if (std::string_view(text).substr(begin, end - begin) != name) return;
    result.append(text, done, begin - done).append(by);
    done = end;
  });
  return result.append(text, done);
}

}  // namespace

std::string without_spaces(std::string_view text) {
  std::string out;
  for (char c : text)
    if (c != ' ') out += c;
  return out;
}

DimExpr expression(std::string_view text) {
  text = trimmed(text);
  int depth = 0;
  for (const char* level : {"+-", "*"}) {
    for (std::size_t i = text.size(); i-- > 1;) {
      if (text[i] == ')') ++depth;
      if (text[i] == '(') --depth;
      if (depth || std::string_view(level).find(text[i]) == std::string_view::npos) continue;
      const DimExpr a = expression(text.substr(0, i)), b = expression(text.substr(i + 1));
      return text[i] == '+' ? a + b : text[i] == '-' ? a - b : a * b;
    }
  }
  if (const auto number = whole(text)) return *number;
  if (text.starts_with('(') && text.ends_with(')')) return expression(text.substr(1, text.size() - 2));
  for (const std::string_view f : {"floor", "ceil", "min", "max", "mod"}) {
    if (!text.starts_with(f) || !text.ends_with(')') || text[f.size()] != '(') continue;
    const std::string_view inside = text.substr(f.size() + 1, text.size() - f.size() - 2);
    std::vector<std::string> parts = split(inside, f == "floor" || f == "ceil" ? '/' : ',');
    if (parts.size() < 2) bad("one operand", text);
    DimExpr v = expression(parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const DimExpr w = expression(parts[i]);
      v = f == "floor"  ? DimExpr::floor_div(v, w)
          : f == "ceil" ? DimExpr::ceil_div(v, w)
          : f == "min"  ? DimExpr::min(v, w)
          : f == "max"  ? DimExpr::max(v, w)
                        : DimExpr::mod(v, w);
    }
    return v;
  }
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return is_word(c) || c == '?'; }))
    bad("no expression", text);
  return DimExpr::variable(text);
}

ValueType type(std::string_view text) {
  text = trimmed(text);
  if (text == "?") return {};
  const auto inside = [&](std::string_view prefix) {
    return text.starts_with(prefix) && text.ends_with(')')
               ? std::optional(text.substr(prefix.size(), text.size() - prefix.size() - 1))
               : std::nullopt;
  };
  if (auto of = inside("seq(")) return ValueType::sequence(type(*of));
  if (auto of = inside("optional(")) return ValueType::optional(type(*of));
  if (auto of = inside("map(")) {
    const std::vector<std::string> parts = split(*of, ',');
    if (parts.size() != 2) bad("no map", text);
    ValueType map{.kind = ValueType::Kind::Map, .elem = data_type_from_name(parts[0])};
    map.element = std::make_shared<const ValueType>(type(parts[1]));
    return map;
  }
  const auto bracket = text.find('[');
  const DataType elem = data_type_from_name(text.substr(0, bracket));
  if (elem == DataType::Undefined) bad("no type", text);
  if (bracket == std::string_view::npos) return ValueType::tensor(elem);
  Dims dims;
  for (const std::string& d : split(text.substr(bracket + 1, text.size() - bracket - 2), ','))
    dims.push_back(expression(d));
  return ValueType::tensor(elem, std::move(dims));
}

ValueType type_of(const Value& value) {
  if (value.is_tensor()) {
    const Tensor& t = value.tensor();
    return ValueType::tensor(t.dtype(), Dims(t.dims().begin(), t.dims().end()));
  }
  if (value.is_sequence()) {
    const auto& items = value.sequence().items;
    return ValueType::sequence(items.empty() ? ValueType{} : opset::without_shape(type_of(items[0])));
  }
  if (value.is_map()) {
    const Map& map = value.map();
    ValueType of{.kind = ValueType::Kind::Map, .elem = map.keys.dtype()};
    if (!map.values.empty()) of.element = std::make_shared<const ValueType>(type_of(map.values[0]));
    return of;
  }
  return {};
}

namespace {

// "keys | values", each a tensor with contents.
Given given_map(std::string_view text, std::uint32_t seed) {
  std::vector<Tensor> both;
  for (const std::string& part : split(text, '|')) {
    const Given one = given(part, seed++);
    if (!one.value) bad("keys or values without contents", text);
    both.push_back(one.value->tensor());
  }
  if (both.size() != 2 || both[0].size() != both[1].size()) bad("not as many keys as values", text);
  Map map{both[0], {}};
  for (std::int64_t i = 0; i < both[1].size(); ++i) {
    Tensor one(both[1].dtype(), {});
    copy_elements(one, 0, both[1], i, 1);
    map.values.emplace_back(std::move(one));
  }
  Given g;
  g.type = {.kind = ValueType::Kind::Map, .elem = both[0].dtype()};
  g.type.element = std::make_shared<const ValueType>(ValueType::tensor(both[1].dtype()));
  g.value = Value(std::move(map));
  return g;
}

}  // namespace

Given given(std::string_view whole_text, std::uint32_t seed) {
  const std::string_view text = trimmed(whole_text);
  Given g;
  if (text == "-") {
    g.present = false;
    return g;
  }
  if (text.starts_with("seq(") && (text.find(' ') != std::string_view::npos || text == "seq()")) {
    Sequence sequence;
    for (const std::string& item : split(text.substr(4, text.size() - 5), '|')) {
      const Given one = given(item, seed++);
      if (!one.value) bad("an item without contents", text);
      sequence.items.push_back(*one.value);
    }
    g.value = Value(std::move(sequence));
    g.type = type_of(*g.value);
    return g;
  }
  if (text.starts_with("map(") && text.find('|') != std::string_view::npos)
    return given_map(text.substr(4, text.size() - 5), seed);
  std::vector<std::string> words = split(text, ' ');
  if (words.empty()) bad("nothing", whole_text);
  g.type = type(words[0]);
  words.erase(words.begin());
  if (words == std::vector<std::string>{"unknown"}) {
    g.unknown = true;
    return g;
  }
  if (!g.type.is_tensor() || !g.type.is_static()) {
    if (!words.empty()) bad("contents without sizes", text);
    return g;
  }
  Shape dims;
  for (const DimExpr& d : *g.type.shape) dims.push_back(d.constant());
  const std::int64_t size = element_count(dims);
  if (words.empty() && size > 0) return g;
  if (!words.empty() && is_generator(words[0])) {
    g.value = Value(generated(g.type.elem, dims, words, seed, text));
    return g;
  }
  if (static_cast<std::int64_t>(words.size()) != size)
    bad(std::to_string(words.size()) + " values for " + to_string(dims), text);
  const bool ints = g.type.elem == DataType::Int64 || g.type.elem == DataType::Int32;
  if (ints && dims.size() <= 1 && !std::all_of(words.begin(), words.end(), knows_int)) {
    g.ints.emplace();
    for (const std::string& w : words) g.ints->push_back(expression(w));
    return g;
  }
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == "-0") g.zeros_below.push_back(static_cast<std::int64_t>(i));
  g.value = Value(parsed(g.type.elem, dims, words, text));
  return g;
}

std::optional<std::vector<ir::Attribute>> attributes(const opset::Schema& row, const std::vector<std::string>& words) {
  std::vector<ir::Attribute> attrs;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) bad("an attribute without a value", word);
    const opset::Attr* declared = opset::find_attr(row, word.substr(0, equals));
    if (!declared) return std::nullopt;
    std::string text = word.substr(equals + 1);
    ir::Attribute a;
    a.name = std::string(declared->name);
    a.type = static_cast<std::int32_t>(declared->type);
    const auto unquoted = [](const std::string& s) {
      return s.size() >= 2 && s.front() == '"' && s.back() == '"' ? s.substr(1, s.size() - 2) : s;
    };
    const auto int_of = [&](const std::string& s) {
      if (s == "max" || s == "min") return s == "max" ? INT64_MAX : INT64_MIN;
      if (const auto v = whole(s)) return *v;
      const DataType named = data_type_from_name(s);
      if (named == DataType::Undefined) bad("no integer: " + s, word);
      return static_cast<std::int64_t>(named);
    };
    const auto float_of = [&](const std::string& s) {
      const auto v = real(s);
      if (!v) bad("no number: " + s, word);
      return static_cast<float>(*v);
    };
    const auto list = [&] {
      return split(text.starts_with('[') ? std::string_view(text).substr(1, text.size() - 2) : text, ',');
    };
    switch (declared->type) {
      case ir::AttributeType::Int: a.i = int_of(text); break;
      case ir::AttributeType::Float: a.f = float_of(text); break;
      case ir::AttributeType::String: a.s = unquoted(text); break;
      case ir::AttributeType::Ints: {
        std::vector<std::int64_t> v;
        for (const auto& s : list()) v.push_back(int_of(s));
        a.ints = std::move(v);
        break;
      }
      case ir::AttributeType::Floats: {
        std::vector<float> v;
        for (const auto& s : list()) v.push_back(float_of(s));
        a.floats = std::move(v);
        break;
      }
      case ir::AttributeType::Strings: {
        std::vector<std::string> v;
        for (const auto& s : list()) v.push_back(unquoted(s));
        a.strings = std::move(v);
        break;
      }
      case ir::AttributeType::Tensor: {
        if (text.starts_with('(')) text = text.substr(1, text.size() - 2);
        const Given g = given(text);
        if (!g.value) bad("a tensor without contents", word);
        a.t = ir::from_value(g.value->tensor());
        break;
      }
      default: bad("attributes of this type have no text", word);
    }
    attrs.push_back(std::move(a));
  }
  return attrs;
}

bool Trial::concrete() const {
  return std::all_of(inputs.begin(), inputs.end(), [](const Given& g) { return !g.present || g.value; });
}

std::vector<Trial> trials(const Case& source) {
  std::vector<Trial> all;
  std::vector<std::string> texts;
  expand(std::string(source.node) + kBreak + std::string(source.inputs) + kBreak + std::string(source.outputs), texts);
  for (const std::string& text : texts) {
    const auto first = text.find(kBreak);
    std::vector<std::string> words = split(text.substr(0, first), ' ');
    if (words.empty()) bad("no operator", text);
    const Name name = name_of(words[0]);
    const opset::Operator* op = opset::find_operator(name.domain, name.op);
    if (!op) bad("no operator " + name.op, text);
    words.erase(words.begin());
    const std::size_t before = all.size();
    for (const opset::Schema* row : rows_of(*op, name.versions)) {
      // Type variables, each of its types in turn.
      std::vector<std::string> typed = {text.substr(first + 1)};
      for (const std::string& w : words) typed[0] += kBreak + w;
      for (const opset::TypeConstraint& variable : row->types) {
        std::vector<std::string> next;
        for (const std::string& t : typed) {
          if (with_word(t, variable.name, "") == t) {
            next.push_back(t);
            continue;
          }
          const std::uint32_t types = filter(source.with.types, variable.set.tensor);
          for (int d = 1; d < kDataTypeCount; ++d)
            if (types >> d & 1) next.push_back(with_word(t, variable.name, data_type_name(static_cast<DataType>(d))));
        }
        typed = std::move(next);
      }
      for (const std::string& t : typed) {
        std::vector<std::string> lines;
        for (std::size_t from = 0; from <= t.size();) {
          const auto end = std::min(t.find(kBreak, from), t.size());
          lines.push_back(t.substr(from, end - from));
          from = end + 1;
        }
        Trial trial{.source = &source, .op = op, .row = row};
        auto attrs = attributes(*row, {lines.begin() + 2, lines.end()});
        if (!attrs) break;  // another version's
        trial.attrs = std::move(*attrs);
        std::uint32_t seed = 1;
        for (const std::string& in : split(lines[0], ';')) trial.inputs.push_back(given(in, seed++));
        if (lines[0].empty()) trial.inputs.clear();
        for (const std::string& out : split(lines[1], ';')) trial.outputs.push_back(given(out));
        const int n = static_cast<int>(trial.inputs.size());
        const bool sized = n >= opset::min_inputs(*row) && n <= opset::max_inputs(*row) &&
                           static_cast<int>(trial.outputs.size()) <= opset::max_outputs(*row);
        const bool any_version = name.versions.empty() || name.versions.find("..") != std::string::npos;
        if (any_version && source.with.error.empty() && !(sized && takes(trial))) continue;
        trial.text = opset::full_name(*op) + "-" + std::to_string(row->since);
        for (auto w = lines.begin() + 2; w != lines.end(); ++w) trial.text += " " + *w;
        trial.text += " (" + lines[0] + ")";
        if (!lines[1].empty()) trial.text += " -> (" + lines[1] + ")";
        all.push_back(std::move(trial));
      }
    }
    if (all.size() == before) bad("no version of " + opset::full_name(*op) + " takes this", text);
  }
  return all;
}

std::string show(const Value& value, std::size_t most) {
  std::string text = value.describe();
  if (!value.is_tensor()) return text;
  const Tensor& t = value.tensor();
  const auto n = std::min(static_cast<std::size_t>(t.size()), most);
  const auto list = [&](const auto& values, auto&& word) {
    for (std::size_t i = 0; i < n; ++i) text += " " + word(values[i]);
  };
  const auto number = [](double v) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.9g", v);
    return std::string(buffer);
  };
  switch (domain_of(t.dtype())) {
    case Domain::F64: list(load_all<double>(t), number); break;
    case Domain::I64: list(load_all<std::int64_t>(t), [](std::int64_t v) { return std::to_string(v); }); break;
    case Domain::U64: list(load_all<std::uint64_t>(t), [](std::uint64_t v) { return std::to_string(v); }); break;
    case Domain::Complex:
      list(load_all<std::complex<double>>(t),
           [&](std::complex<double> v) { return number(v.real()) + "," + number(v.imag()); });
      break;
    case Domain::String: list(load_all<std::string>(t), [](const std::string& v) { return '"' + v + '"'; }); break;
  }
  if (n < static_cast<std::size_t>(t.size())) text += " ...";
  return text;
}

}  // namespace norn::ops::cases
