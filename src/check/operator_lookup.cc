#include "check/operator_lookup.h"

#include <algorithm>
#include <iterator>

#include "base/hash.h"
#include "opset/registry.h"

namespace norn::checks {
namespace {

std::string function_key(std::string_view domain, std::string_view name, std::string_view overload) {
  std::string key(ir::canonical_domain(domain));
  ((key += '\0') += name) += '\0';
  return key += overload;
}

}  // namespace

Imports::Imports(const std::vector<ir::OperatorSetId>& ids) {
  list_.reserve(ids.size());
  for (const auto& id : ids) {
    list_.emplace_back(ir::canonical_domain(id.domain.get()), std::max<std::int64_t>(id.version.get(), 0));
  }
  // Of a domain's entries, the highest version comes first and stays.
  std::sort(list_.begin(), list_.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  list_.erase(std::unique(list_.begin(), list_.end(), same), list_.end());
}

Imports Imports::of_model(const ir::Model& model, std::int64_t ir_version) {
  Imports imports(model.opset_import);
  if (ir_version < 3 && imports.version("") < 0) imports.add("", 1);
  imports.missing_ = imports.list_.empty();
  return imports;
}

void Imports::add(std::string_view domain, std::int64_t version) {
  domain = ir::canonical_domain(domain);
  version = std::max<std::int64_t>(version, 0);
  const auto at = std::lower_bound(list_.begin(), list_.end(), domain,
                                   [](const auto& entry, std::string_view d) { return entry.first < d; });
  if (at != list_.end() && at->first == domain)
    at->second = std::max(at->second, version);
  else
    list_.emplace(at, domain, version);
}

std::int64_t Imports::version(std::string_view domain) const noexcept {
  domain = ir::canonical_domain(domain);
  const auto at = std::lower_bound(list_.begin(), list_.end(), domain,
                                   [](const auto& entry, std::string_view d) { return entry.first < d; });
  return at != list_.end() && at->first == domain ? at->second : -1;
}

std::size_t OperatorLookup::KeyHash::operator()(const Key& key) const noexcept {
  const base::HashSecret& secret = base::process_secret();
  std::uint64_t hashes[] = {reinterpret_cast<std::uintptr_t>(key.imports), base::hash_of(key.domain, secret),
                            base::hash_of(key.op_type, secret), base::hash_of(key.overload, secret)};
  return base::hash_of({reinterpret_cast<const char*>(hashes), sizeof hashes}, secret);
}

void OperatorLookup::add_function(const ir::Function& f) {
  functions_.emplace(function_key(f.domain.get(), f.name.get(), f.overload.get()), &f);
}

const ir::Function* OperatorLookup::find_function(std::string_view domain, std::string_view name,
                                                  std::string_view overload) const {
  if (functions_.empty()) return nullptr;
  const auto at = functions_.find(function_key(domain, name, overload));
  return at == functions_.end() ? nullptr : at->second;
}

const Imports& OperatorLookup::keep(Imports imports) {
  if (kept_.empty() || !(kept_.back() == imports)) kept_.push_back(std::move(imports));
  return kept_.back();
}

const Imports* OperatorLookup::use(const Imports& kept) noexcept { return std::exchange(imports_, &kept); }

const BoundOperator& OperatorLookup::bind(const ir::Node& node) {
  const std::string_view name = node.op_type.get();
  if (name.size() > 16 || !node.domain.get().empty() || !node.overload.get().empty()) return look_up(node);
  const base::TextKey key = base::key_of(name, base::process_secret());
  Recent& recent = recent_[key.hash % std::size(recent_)];
  if (recent.imports != imports_ || recent.size != name.size() || recent.ends[0] != key.ends[0] ||
      recent.ends[1] != key.ends[1]) {
    recent = {imports_, name.size(), {key.ends[0], key.ends[1]}, &look_up(node)};
  }
  return *recent.bound;
}

const BoundOperator& OperatorLookup::look_up(const ir::Node& node) {
  const Key key{imports_, ir::canonical_domain(node.domain.get()), node.op_type.get(), node.overload.get()};
  if (const auto at = bound_.find(key); at != bound_.end()) return at->second;
  return bound_.emplace(key, resolve(node)).first->second;
}

BoundOperator OperatorLookup::resolve(const ir::Node& node) const {
  const std::string_view domain = ir::canonical_domain(node.domain.get());
  const std::string_view name = node.op_type.get();
  BoundOperator bound;
  bound.version = imports_->version(domain);
  bound.function = find_function(domain, name, node.overload.get());
  if (imports_->missing() && bound.version < 0) {
    bound.binding = bound.function ? Binding::Function : Binding::Custom;
    return bound;
  }
  bound.op = opset::find_operator(domain, name);
  if (bound.version < 0) {
    bound.binding = Binding::NotImported;
    return bound;
  }
  if (bound.op) {
    bound.schema = opset::schema_at(*bound.op, static_cast<int>(std::min<std::int64_t>(bound.version, 1 << 30)));
  }
  // A function that is named like a standard operator does not replace it, in the runtimes there are.
  const bool replaced = bound.function && bound.op && opset::was_experimental(*bound.op);
  if (bound.schema && node.overload.get().empty() && !replaced) {
    bound.binding = Binding::Schema;
    bound.function = nullptr;
    bound.requires_attributes = std::any_of(bound.schema->attrs.begin(), bound.schema->attrs.end(),
                                            [](const opset::Attr& attr) { return attr.required; });
    bound.min_inputs = opset::min_inputs(*bound.schema);
    bound.max_inputs = opset::max_inputs(*bound.schema);
    bound.min_outputs = opset::min_outputs(*bound.schema);
    bound.max_outputs = opset::max_outputs(*bound.schema);
    return bound;
  }
  bound.schema = nullptr;
  if (bound.function) {
    bound.binding = Binding::Function;
  } else if (domain.empty() && opset::is_removed_experimental(name)) {
    bound.binding = Binding::Experimental;
  } else {
    bound.binding = opset::is_complete(domain) ? Binding::Unknown : Binding::Custom;
  }
  return bound;
}

}  // namespace norn::checks
