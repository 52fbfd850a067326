// TfIdfVectorizer: the pool's n-grams are a tree of words, and every way through a row, with each distance between
// words that max_skip_count allows, is walked down it. N-grams of one word know no distance and are counted once.
//
// A row costs as many steps as it has ways, and what it has found; never the whole pool.
#include <algorithm>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "ops/common/elements.h"
#include "ops/nn/tfidf_vectorizer/tfidf_vectorizer.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace tfidf_vectorizer_ref_cc {
namespace {

struct EdgeHash {
  std::size_t operator()(const std::pair<std::size_t, std::int64_t>& edge) const noexcept {
    return std::hash<std::int64_t>()(edge.second) * 31 + edge.first * 0x9e3779b97f4a7c15u;
  }
};

struct Tree {
  std::unordered_map<std::pair<std::size_t, std::int64_t>, std::size_t, EdgeHash> edges;
  std::vector<std::vector<std::size_t>> grams{1};  // by node: the n-grams that end there

  std::size_t add(std::size_t node, std::int64_t word) {
    const auto [at, is_new] = edges.try_emplace({node, word}, grams.size());
    if (is_new) grams.emplace_back();
    return at->second;
  }
};

// Numbers of words, in the order in which they come first.
template <class Word>
class Numbering {
 public:
  explicit Numbering(const std::vector<Word>& words) {
    for (const Word& word : words) number_.try_emplace(word, static_cast<std::int64_t>(number_.size()));
    if constexpr (std::is_same_v<Word, std::int64_t>) {
      // Integers that lie close together are places in a table.
      if (words.empty()) return;
      const auto [least, most] = std::minmax_element(words.begin(), words.end());
      const auto span = static_cast<std::uint64_t>(*most) - static_cast<std::uint64_t>(*least);
      if (span >= 16 * words.size() + 1024) return;
      least_ = *least;
      table_.assign(static_cast<std::size_t>(span) + 1, -1);
      for (const auto& [word, number] : number_) table_[place(word)] = number;
    }
  }
  std::int64_t operator()(const Word& word) const {
    if constexpr (std::is_same_v<Word, std::int64_t>)
      if (!table_.empty()) return place(word) < table_.size() ? table_[place(word)] : -1;
    const auto at = number_.find(word);
    return at == number_.end() ? -1 : at->second;
  }

 private:
  std::size_t place(std::int64_t word) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(word) - static_cast<std::uint64_t>(least_));
  }
  std::unordered_map<Word, std::int64_t> number_;
  std::vector<std::int64_t> table_;
  std::int64_t least_ = 0;
};

void tfidf_vectorizer_ref(opset::ReferenceContext& ctx) {
  const TfIdfParams p = resolve_tfidf(ctx);
  const Tensor& x = ctx.input(0);
  if ((x.dtype() == DataType::String) != p.of_strings)
    ctx.fail(std::string("the pool holds ") + (p.of_strings ? "strings" : "integers") + ", but X is " +
             std::string(data_type_name(x.dtype())));
  if (x.rank() != 1 && x.rank() != 2) ctx.fail("X must have rank 1 or 2, not shape " + to_string(x.dims()));

  // Words of the pool and of X by number; those that the pool does not have are -1.
  const Numbering<std::string> of_strings(p.strings);
  const Numbering<std::int64_t> of_ints(p.ints);
  const auto in_pool = [&](std::int64_t at) {
    const auto i = static_cast<std::size_t>(at);
    return p.of_strings ? of_strings(p.strings[i]) : of_ints(p.ints[i]);
  };
  std::vector<std::int64_t> words;
  words.reserve(static_cast<std::size_t>(x.size()));
  if (p.of_strings)
    for (const std::string& word : load_all<std::string>(x)) words.push_back(of_strings(word));
  else
    for (const std::int64_t word : load_all<std::int64_t>(x)) words.push_back(of_ints(word));
  Tree tree;
  for (std::size_t g = 0; g < p.grams.size(); ++g) {
    if (!p.grams[g].counted) continue;
    std::size_t node = 0;
    for (std::int64_t k = 0; k < p.grams[g].length; ++k) node = tree.add(node, in_pool(p.grams[g].begin + k));
    tree.grams[node].push_back(g);
  }

  // The nodes that words alone lead to; 0: none.
  std::vector<std::size_t> first(p.of_strings ? p.strings.size() : p.ints.size(), 0);
  for (const auto& [edge, node] : tree.edges)
    if (edge.first == 0) first[static_cast<std::size_t>(edge.second)] = node;

  const std::int64_t columns = x.dims().back(), rows = x.rank() == 2 ? x.dims()[0] : 1;
  Tensor& y = ctx.output(0, DataType::Float, x.rank() == 2 ? Shape{rows, p.size} : Shape{p.size});
  if (y.size() == 0) return;
  std::vector<double> row(static_cast<std::size_t>(p.size));
  std::vector<std::int64_t> found(tree.grams.size());
  std::vector<std::size_t> touched;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t* const line = words.data() + r * columns;
    for (std::int64_t skip = 0; skip <= p.max_skip && (skip == 0 || skip + 1 < columns); ++skip) {
      for (std::int64_t begin = 0; begin < columns; ++begin) {
        std::size_t node = 0;
        for (std::int64_t at = begin; at < columns; at += skip + 1) {
          if (line[at] < 0) break;
          if (node == 0) {
            node = first[static_cast<std::size_t>(line[at])];
          } else {
            const auto next = tree.edges.find({node, line[at]});
            node = next == tree.edges.end() ? 0 : next->second;
          }
          if (node == 0) break;
          if (tree.grams[node].empty() || (at == begin && skip > 0)) continue;
          if (found[node]++ == 0) touched.push_back(node);
        }
      }
    }
    for (const std::size_t node : touched) {
      const double count = p.counted_once ? 1.0 : static_cast<double>(found[node]);
      for (const std::size_t g : tree.grams[node])
        row[static_cast<std::size_t>(p.indexes[g])] += count * (p.weights.empty() ? 1.0 : p.weights[g]);
      found[node] = 0;
    }
    touched.clear();
    store<double>(y, r * p.size, p.size, row.data());
    std::fill(row.begin(), row.end(), 0.0);
  }
}

}  // namespace
}  // namespace tfidf_vectorizer_ref_cc

void tfidf_vectorizer_references(opset::ReferenceTable& table) { table.add(TfIdfVectorizer, tfidf_vectorizer_ref); }

}  // namespace norn::ops
