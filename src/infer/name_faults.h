// Messages about names of values, shared by lowering and the checker, which find the faults each in its own tables.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "infer/fault_text.h"
#include "ir/model.h"

namespace norn::infer {

// What gives a name its value.
enum class Definer : std::uint8_t { Input, Initializer, Node, Around };  // Around: a graph around this one

// `did you mean "x"?`, of the names that can be seen, in whatever order; "" if none is near.
std::string similar_value(std::string_view name, std::vector<std::string_view> known);

// Nothing gives the value that a node reads; `similar` is similar_value's. A function's body sees nothing of its
// caller.
FaultText undefined_value(std::string_view name, bool in_function, std::string_view similar);
// nodes[maker] gives the value, and comes after nodes[reader], which reads it or holds the graph that does.
FaultText used_before_made(std::string_view name, std::span<const ir::Node> nodes, std::size_t maker,
                           std::size_t reader);
// A graph in nodes[owner] reads what that node gives.
FaultText output_of_owner(std::string_view name, std::span<const ir::Node> nodes, std::size_t owner);
// Each of these nodes reads what the one before it gives, and the first what the last gives.
FaultText cycle(std::span<const ir::Node> nodes, std::vector<std::size_t> way);
// `first` is what the name stands for already.
FaultText defined_twice(std::string_view name, Definer first, Definer second);
// nodes[maker] gives the value already that another node gives, or the same one a second time.
FaultText made_twice(std::string_view name, std::span<const ir::Node> nodes, std::size_t maker);
// An output of a graph or function that nothing in it gives.
FaultText undefined_output(std::string_view name, bool of_function, std::string_view similar);

}  // namespace norn::infer
