#include "infer/name_faults.h"

#include <algorithm>

#include "base/nearest.h"
#include "ir/walk.h"

namespace norn::infer {
namespace {

std::string value_named(std::string_view name) { return "the value " + shown(name); }

FaultText more_than_once(std::string_view name, std::string_view why, std::string_view what) {
  return {value_named(name) + " is defined more than once: " + std::string(why),
          "give each " + std::string(what) + " a name of its own"};
}

// The checker may say many nodes, and their names may be long: those have their index only.
std::string node_of(std::span<const ir::Node> nodes, std::size_t index) {
  constexpr std::size_t kMost = 300;
  const ir::Node& node = nodes[index];
  const bool is_long = node.name.get().size() + node.op_type.get().size() + node.domain.get().size() > kMost;
  return is_long ? "node " + std::to_string(index) : ir::describe_node(node, index);
}

}  // namespace

std::string similar_value(std::string_view name, std::vector<std::string_view> known) {
  std::sort(known.begin(), known.end());  // of names as near, the same one is always found
  base::Nearest nearest(name);
  for (const std::string_view other : known) nearest.offer(other);
  return nearest.question();
}

FaultText undefined_value(std::string_view name, bool in_function, std::string_view similar) {
  const std::string question = similar.empty() ? "" : std::string(similar) + " ";
  if (in_function)
    return {"nothing makes " + value_named(name) + ": it is neither an input of the function nor a value of its body",
            question + "a function sees nothing of its caller: pass the value as an input"};
  return {"nothing makes " + value_named(name) + ": no input, initializer or earlier node gives it",
          question + "name a value that can be seen here, or add the node or initializer that gives it"};
}

FaultText used_before_made(std::string_view name, std::span<const ir::Node> nodes, std::size_t maker,
                           std::size_t reader) {
  const std::string made = node_of(nodes, maker);
  return {value_named(name) + " is used before it is made: " + made + " makes it",
          "list the nodes so that each uses only values made before it: " + made + " has to come before " +
              node_of(nodes, reader)};
}

FaultText output_of_owner(std::string_view name, std::span<const ir::Node> nodes, std::size_t owner) {
  return {value_named(name) + " is an output of " + node_of(nodes, owner) +
              ", which is not there before its graphs have run",
          "let the graph read a value of its own, or one made before that node"};
}

FaultText cycle(std::span<const ir::Node> nodes, std::vector<std::size_t> way) {
  constexpr std::size_t kMost = 8;
  std::rotate(way.begin(), std::min_element(way.begin(), way.end()), way.end());
  std::string text;
  for (std::size_t i = 0; i < way.size() && i < kMost; ++i) text += node_of(nodes, way[i]) + " -> ";
  if (way.size() > kMost) text += "... -> ";
  return {
      "the nodes form a cycle: " + text + node_of(nodes, way.front()),
      "let one of these nodes read another value: a value cannot depend on itself; what is carried from one time to "
      "the next needs a Loop or Scan"};
}

FaultText defined_twice(std::string_view name, Definer first, Definer second) {
  const char* what = second == Definer::Input         ? "input"
                     : second == Definer::Initializer ? "initializer"
                                                      : "node output";
  const char* why = "a node makes it already";
  if (first == Definer::Input) why = second == first ? "two inputs have this name" : "it is an input already";
  if (first == Definer::Initializer)
    why = second == first ? "two initializers have this name" : "it is an initializer already";
  if (first == Definer::Around) why = "it is a value of an enclosing graph already";
  return more_than_once(name, why, what);
}

FaultText made_twice(std::string_view name, std::span<const ir::Node> nodes, std::size_t maker) {
  return more_than_once(name, node_of(nodes, maker) + " makes it already", "node output");
}

FaultText undefined_output(std::string_view name, bool of_function, std::string_view similar) {
  return {
      (of_function ? "the function's output " : "the graph output ") + shown(name) + " is not computed by any node" +
          (of_function ? " of its body" : ""),
      similar.empty() ? "name a value that is computed here, or add the node that computes it" : std::string(similar)};
}

}  // namespace norn::infer
