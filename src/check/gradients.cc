// What a Gradient node differentiates: xs and zs together are the minimal independent set that determines y.
//
// They name values of the graphs around the node, so which of them follows from which depends on the nodes between. A
// value that a nested graph reads counts as read by the node that holds it. Constants that are not named among them are
// constants to the derivative, too.
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "check/rule_checks.h"
#include "check/text.h"
#include "ops/training/gradient/gradient.h"

namespace norn::checks {
namespace {

using Names = TextSet;

struct GradientState {
  // Reads followed so far. A model of very many Gradient nodes over very many others is looked at in part only.
  std::uint64_t reads = 0;
};
constexpr std::uint64_t kMostReads = 50'000'000;

// The walk has bounded how deep graphs are nested where it has been; later nodes' graphs are bounded by their reader.
template <class Visit>
void for_each_read(const ir::Node& node, Visit visit) {
  for (const std::string& input : node.input) {
    if (!input.empty()) visit(std::string_view(input));
  }
  for (const ir::Attribute& attribute : node.attribute) {
    const auto graph = [&](const ir::Graph& g) {
      for (const ir::Node& inner : g.node) for_each_read(inner, visit);
    };
    if (attribute.g) graph(*attribute.g);
    for (const ir::Graph& g : attribute.graphs) graph(g);
  }
}

class Differentiated {
 public:
  Differentiated(Context& ctx, const Names& members)
      : ctx_(ctx), members_(members), reads_(ctx.state<GradientState>().reads) {}

  // The members that y follows from, going back no further than to them.
  Names sources(std::string_view y) {
    Names found, seen{y};
    std::unordered_set<const ir::Node*> passed;
    std::vector<std::string_view> open{y};
    while (!open.empty()) {
      const std::string_view name = open.back();
      open.pop_back();
      if (members_.contains(name)) {
        found.insert(name);
        continue;
      }
      const ir::Node* node = writer(name);
      if (!node || !passed.insert(node).second) continue;
      for (std::string_view read : reads(*node)) {
        if (seen.insert(read).second) open.push_back(read);
      }
    }
    return found;
  }

  // A member that this one is computed from; "" if there is none.
  std::string_view source_behind(std::string_view member) {
    const ir::Node* node = writer(member);
    return node ? source_of(*node) : std::string_view();
  }

 private:
  // The node that writes the value, in one of the graphs around; null if no node that the walk has passed does.
  const ir::Node* writer(std::string_view name) const {
    const Definition found = ctx_.scopes().find(name);
    if (found.as != Defined::NodeOutput) return nullptr;
    const auto& graphs = ctx_.graphs();
    const std::size_t out = ctx_.scopes().frames_out(found.frame);
    if (out >= graphs.size()) return nullptr;
    const ir::Graph* graph = graphs[graphs.size() - 1 - out];
    return &(graph ? graph->node : ctx_.function()->node)[static_cast<std::size_t>(found.node)];
  }

  std::vector<std::string_view> reads(const ir::Node& node) {
    std::vector<std::string_view> names;
    for_each_read(node, [&](std::string_view read) { names.push_back(read); });
    reads_ += names.size() + 1;
    return names;
  }

  // Remembers what it found for every node on the way: all members together cost one look at each node.
  std::string_view source_of(const ir::Node& start) {
    struct Step {
      const ir::Node* node;
      std::vector<std::string_view> reads;
      std::size_t next = 0;
      const ir::Node* entered = nullptr;  // for the latest read
    };
    std::vector<Step> way;
    const auto enter = [&](const ir::Node& node) {
      if (sources_.try_emplace(&node).second) way.push_back({&node, reads(node)});
    };
    enter(start);
    while (!way.empty()) {
      Step& step = way.back();
      std::string_view& source = sources_[step.node];
      if (step.entered) source = sources_[std::exchange(step.entered, nullptr)];
      if (!source.empty() || step.next == step.reads.size()) {
        way.pop_back();
        continue;
      }
      const std::string_view read = step.reads[step.next++];
      if (members_.contains(read)) {
        source = read;
      } else if (const ir::Node* from = writer(read)) {
        step.entered = from;
        enter(*from);  // `step` is stale from here on
      }
    }
    return sources_[&start];
  }

  Context& ctx_;
  const Names& members_;
  std::uint64_t& reads_;
  std::unordered_map<const ir::Node*, std::string_view> sources_;
};

}  // namespace

void check_gradient(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  if (bound.binding != Binding::Schema || bound.op != &ops::Gradient || !(ctx.graph() || ctx.function()) ||
      ctx.state<GradientState>().reads > kMostReads) {
    return;
  }
  std::vector<std::string_view> listed;
  std::string_view y;
  for (const ir::Attribute& attribute : node.attribute) {
    if (attribute.name.get() == "y") y = attribute.s.get();
    if (attribute.name.get() != "xs" && attribute.name.get() != "zs") continue;
    listed.insert(listed.end(), attribute.strings.begin(), attribute.strings.end());
  }
  if (y.empty() || listed.empty()) return;
  const auto report = [&](std::string message, const char* hint) {
    ctx.report("train.gradient.independent", place, std::move(message), hint);
  };
  for (std::string_view name : listed) {
    if (ctx.scopes().visible(name)) continue;
    return report(quoted(name) + ", of xs or zs, is not a value here", "name values of the graph");
  }
  if (!ctx.scopes().visible(y)) {
    return report("y names " + quoted(y) + ", which is not a value here", "name a value of the graph");
  }

  const Names members(listed.begin(), listed.end());
  if (members.size() < listed.size()) return report("a value stands in xs and zs twice", "list each once");
  Differentiated graph(ctx, members);
  const Names needed = graph.sources(y);
  for (std::string_view name : listed) {
    if (!needed.contains(name)) {
      return report(quoted(y) + " does not depend on " + quoted(name) + ", given the others of xs and zs",
                    "leave out what does not determine y");
    }
  }
  for (std::string_view name : listed) {
    const std::string_view from = graph.source_behind(name);
    if (from.empty()) continue;
    return report(quoted(name) + " is computed from " + quoted(from) + ", so the two are not independent",
                  "keep in xs and zs the one or the other");
  }
}

}  // namespace norn::checks
