// Operator-set documents: whatever reads as one can be checked, shown, written in every notation and read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check/opset_document.h"
#include "format/json.h"
#include "format/prototext.h"
#include "format/wire.h"
#include "norn/error.h"
#include "target.h"

namespace norn::fuzz {
namespace {

using ir::Bytes;
using ir::OperatorSet;

Bytes copy(const std::vector<std::byte>& bytes) { return Bytes(std::vector<std::byte>(bytes)); }

// What a notation writes it reads again as the same. It may refuse to write: what it has no place for.
template <class Write, class Read>
void check_notation(const OperatorSet& set, Write&& write, Read&& read) {
  std::string text;
  try {
    text = write(set);
  } catch (const Error&) {
    return;
  }
  require(write(read(text)) == text, "a notation is stable");
}

void look_at(const OperatorSet& set) {
  Report report;
  checks::check_opset_document(set, report);
  const OperatorSet* twice[] = {&set, &set};
  Report together;
  checks::check_opset_documents(twice, together);
  require(together.diagnostics.empty(), "a document agrees with itself");
  for (const auto& op : set.operators) {
    const auto found = ir::find_declared(twice, set.domain.get(), op.op_type.get(), {}, set.opset_version);
    require(found.known_domain, "a set is of its own domain");
  }
}

}  // namespace

void check(const std::uint8_t* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  Limits limits;
  limits.max_tensor_bytes = 1 << 24;
  OperatorSet set;
  try {
    set = format::read_message<OperatorSet>(Bytes(std::vector<std::byte>(begin, begin + size)), limits);
  } catch (const Error&) {
    return;
  }
  const auto once = format::write_message(set);
  const auto again = format::read_message<OperatorSet>(copy(once), limits);
  require(format::write_message(again) == once, "writing is stable");
  look_at(set);
  check_notation(
      set, [](const OperatorSet& s) { return format::to_json(s); },
      [&](const std::string& text) { return format::from_json<OperatorSet>(text, limits); });
  check_notation(
      set, [](const OperatorSet& s) { return format::to_prototext(s); },
      [&](const std::string& text) { return format::from_prototext<OperatorSet>(text, limits); });
}

}  // namespace norn::fuzz
