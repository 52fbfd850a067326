// The index over all slices' operators, built on first use, then never changed.
#include "opset/registry.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/fork.h"
#include "base/name_map.h"
#include "base/nearest.h"
#include "base/text.h"
#include "ir/model.h"
#include "opset/domains.h"
#include "opset/function_body.h"

namespace norn::ops {
void all_schemas(opset::SchemaTable&);
void all_bodies(opset::BodyTable&);
}  // namespace norn::ops

namespace norn::opset {
namespace {

struct Index final : SchemaTable {
  std::vector<const Operator*> in_order, sorted;
  std::vector<std::pair<std::string_view, base::NameMap>> domains;  // numbers are of in_order

  Index() {
    ops::all_schemas(*this);
    sorted = in_order;
    std::sort(sorted.begin(), sorted.end(), [](const Operator* a, const Operator* b) {
      return std::pair(a->domain, a->name) < std::pair(b->domain, b->name);
    });
    for (std::size_t i = 0; i < in_order.size(); ++i)
      names_of(in_order[i]->domain).set(in_order[i]->name, static_cast<std::uint32_t>(i));
  }
  void add(const Operator& op) override { in_order.push_back(&op); }
  base::NameMap& names_of(std::string_view domain) {
    for (auto& [own, names] : domains)
      if (own == domain) return names;
    return domains.emplace_back(domain, base::NameMap()).second;
  }
};

const Index& index() {
  static const Index the_index;
  return the_index;
}

struct Bodies final : BodyTable {
  std::unordered_map<const Operator*, std::span<const FunctionBody>> rows;

  Bodies() { ops::all_bodies(*this); }
  void add(const Operator& op, std::span<const FunctionBody> bodies) override { rows[&op] = bodies; }
};

constexpr std::array<std::pair<std::string_view, int>, 6> kNewest = {{
    {"", kNewestOnnx},
    {kMlDomain, kNewestMl},
    {kPreviewDomain, 1},
    {kPreviewTrainingDomain, 1},
    {kTrainingDomain, 1},
    {kMicrosoftDomain, 1},
}};

constexpr std::array<std::string_view, 2> kRemovedExperimental = {"ATen", "GRUUnit"};

}  // namespace

const Operator* find_operator(std::string_view domain, std::string_view name) noexcept {
  domain = ir::canonical_domain(domain);
  for (const auto& [own, names] : index().domains) {
    if (own != domain) continue;
    const std::uint32_t* at = names.find(name);
    return at ? index().in_order[*at] : nullptr;
  }
  return nullptr;
}

std::span<const Operator* const> all_operators() noexcept { return index().in_order; }

std::span<const FunctionBody> bodies_of(const Operator& op) noexcept {
  if (!op.bodies.empty()) return op.bodies;
  const auto& rows = base::made_once([] { return Bodies(); }).rows;
  const auto at = rows.find(&op);
  return at == rows.end() ? std::span<const FunctionBody>{} : at->second;
}

const FunctionBody* body_at(const Operator& op, int since) noexcept {
  const FunctionBody* newest = nullptr;
  for (const FunctionBody& body : bodies_of(op)) {
    if (body.since <= since) newest = &body;
  }
  return newest && (newest->build || !newest->nodes.empty()) ? newest : nullptr;
}

int newest_version(std::string_view domain) noexcept {
  domain = ir::canonical_domain(domain);
  for (const auto& [name, version] : kNewest) {
    if (name == domain) return version;
  }
  return 0;
}

bool is_complete(std::string_view domain) noexcept { return newest_version(domain) > 0 && domain != kMicrosoftDomain; }

bool is_removed_experimental(std::string_view name) noexcept {
  return std::find(kRemovedExperimental.begin(), kRemovedExperimental.end(), name) != kRemovedExperimental.end();
}

bool was_experimental(const Operator& op) noexcept {
  return op.domain.empty() && !op.standard && op.history.front().support == Support::Experimental;
}

std::vector<std::string_view> similar_names(std::string_view domain, std::string_view name) {
  if (name.empty() || name.size() > 200) return {};
  domain = ir::canonical_domain(domain);
  const std::size_t most = name.size() / 3;  // names that differ in more than a third are not suggested
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const Operator* op : index().sorted) {
    if (op->domain != domain) continue;
    const std::size_t d = base::edit_distance(name, op->name, most);
    if (d <= most && d < name.size()) near.emplace_back(d, op->name);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < near.size() && i < 3; ++i) names.push_back(near[i].second);
  return names;
}

}  // namespace norn::opset
