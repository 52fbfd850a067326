#include "ir/operator_set.h"

#include <optional>

namespace norn::ir {
namespace {

std::optional<std::uint64_t> varint(const std::byte*& p, const std::byte* end) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
    const auto byte = static_cast<std::uint64_t>(*p++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

// The last value of a numeric field among unknown ones.
std::optional<std::int64_t> unknown_number(const Bytes& unknown, std::uint32_t number) {
  std::optional<std::int64_t> found;
  const std::byte *p = unknown.data(), *end = p + unknown.size();
  while (p < end) {
    const auto tag = varint(p, end);
    if (!tag) break;
    std::optional<std::uint64_t> length;
    switch (*tag & 7) {
      case 0:
        length = varint(p, end);
        if (length && *tag >> 3 == number) found = static_cast<std::int64_t>(*length);
        if (!length) return found;
        continue;
      case 1: length = 8; break;
      case 2: length = varint(p, end); break;
      case 5: length = 4; break;
      default: return found;
    }
    if (!length || *length > static_cast<std::uint64_t>(end - p)) break;
    p += *length;
  }
  return found;
}

void find_in(const OperatorSet& set, std::string_view op_type, std::string_view overload, std::int64_t version,
             DeclaredOperator& found, std::int64_t& since) {
  const auto take = [&](std::int64_t entry_since, const Function* body) {
    // Of equal entries a body wins.
    if (entry_since > version || entry_since < since || (entry_since == since && found.body)) return;
    since = entry_since;
    found.declared_in = &set;
    found.body = body;
  };
  if (overload.empty()) {
    for (const Operator& op : set.operators) {
      if (op.op_type.get() == op_type) take(op.since_version, nullptr);
    }
  }
  for (const Function& f : set.functions) {
    if (f.name.get() == op_type && f.overload.get() == overload) take(since_version(f, set), &f);
  }
}

}  // namespace

std::int64_t since_version(const Function& function, const OperatorSet& set) {
  return unknown_number(function.unknown, 2).value_or(set.opset_version.get());
}

DeclaredOperator find_declared(std::span<const OperatorSet* const> sets, std::string_view domain,
                               std::string_view op_type, std::string_view overload, std::int64_t version) {
  DeclaredOperator found;
  std::int64_t since = -1;
  for (const OperatorSet* set : sets) {
    if (canonical_domain(set->domain.get()) != canonical_domain(domain) || set->opset_version.get() < version) continue;
    found.known_domain = true;
    find_in(*set, op_type, overload, version, found, since);
  }
  return found;
}

}  // namespace norn::ir
