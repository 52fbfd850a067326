#include "norn/text.h"

#include <algorithm>

#include "base/text.h"
#include "format/text.h"
#include "format/wire.h"
#include "ir/model.h"

namespace norn {
namespace {

constexpr std::string_view kNames[] = {"model", "graph", "function", "node"};

template <class F>
auto with_type(Part part, F&& f) {
  switch (part) {
    case Part::Graph: return f(ir::Graph());
    case Part::Function: return f(ir::Function());
    case Part::Node: return f(ir::Node());
    default: return f(ir::Model());
  }
}

}  // namespace

std::string_view part_name(Part part) noexcept { return kNames[static_cast<std::size_t>(part)]; }

Part part_from_name(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return static_cast<Part>(i);
  throw Error(ErrorCode::InvalidArgument, "\"" + std::string(name) + "\" is not a part of a model", {},
              "the parts are model, graph, function and node");
}

std::vector<std::byte> parse_text(std::string_view text, Part part, const Limits& limits) {
  return with_type(part, [&]<class M>(const M&) { return format::write_message(format::from_text<M>(text, limits)); });
}

std::string print_text(std::span<const std::byte> message, Part part, std::size_t max_elements) {
  const format::TextOptions options{max_elements, max_elements == std::numeric_limits<std::size_t>::max()};
  return with_type(part, [&]<class M>(const M&) {
    const ir::Bytes bytes(message.data(), message.size(), {});
    return format::to_text(format::read_message<M>(bytes), options);
  });
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(text.find_first_of("\n\t", at), text.size());
    base::append_escaped(out, text.substr(at, end - at));
    if (end == text.size()) return out;
    out += text[end];
    at = end + 1;
  }
}

}  // namespace norn
