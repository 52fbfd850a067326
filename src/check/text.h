// The document's texts: as findings show them, and as keys of tables.
//
// They may be hostile. What is shown is escaped, and cut where it is long; what is a key is hashed under a secret that
// the file's author cannot know: for a known hash, texts can be chosen that make a table as slow as a list.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "base/text.h"
#include "infer/fault_text.h"

namespace norn::checks {

// In double quotes, with "..." after them if it is cut, which is done between characters.
inline std::string quoted(std::string_view text) { return infer::shown(text); }
// The same without quotes, for the middle of a word.
inline std::string bare(std::string_view text) { return infer::shown_bare(text); }
// A domain in a sentence. Either spelling of the default one is shown as the long one.
inline std::string domain_text(std::string_view domain) { return infer::domain_name(domain); }

// Of texts, and of whole numbers that stand in the document.
struct SeededHash {
  std::size_t operator()(std::string_view text) const noexcept { return base::hash_of(text, *secret); }
  std::size_t operator()(std::int64_t number) const noexcept {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    return (*this)(std::string_view(bytes, sizeof bytes));
  }
  const base::HashSecret* secret = &base::process_secret();
};
// Views into the document. A set that is only added to is better a NameSet.
using TextSet = std::unordered_set<std::string_view, SeededHash>;
template <class T>
using TextMap = std::unordered_map<std::string_view, T, SeededHash>;

}  // namespace norn::checks
