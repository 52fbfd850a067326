// TfIdfVectorizer: the pool's n-grams are a tree of words, and every way through a row, with each distance between
// words that max_skip_count allows, is walked down it. N-grams of one word know no distance and are counted once.
//
// A row costs as many steps as it has ways, and what it has found; never the whole pool.
#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ops/common/elements.h"
#include "ops/nn/tfidf_vectorizer/tfidf_vectorizer.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace tfidf_vectorizer_ref_cc {
namespace {

// The tree of n-grams. Node 0 is its root, which no edge leads to.
class Tree {
 public:
  std::vector<std::vector<std::size_t>> grams{1};  // by node: the n-grams that end there
  std::vector<char> ends{0}, leads_on{0};          // by node: whether some do, and whether there are nodes behind it

  explicit Tree(std::size_t edges) : edges_(std::bit_ceil(2 * edges + 1)) {}  // at most so many

  std::size_t add(std::size_t node, std::int64_t word) {
    Edge& edge = edges_[place(node, word)];
    if (edge.to == 0) {
      edge = {.from = node, .word = word, .to = grams.size()};
      grams.emplace_back();
      ends.push_back(0);
      leads_on.push_back(0);
      leads_on[node] = 1;
    }
    return edge.to;
  }
  void end(std::size_t node, std::size_t gram) {
    grams[node].push_back(gram);
    ends[node] = 1;
  }
  // 0: there is none.
  std::size_t next(std::size_t node, std::int64_t word) const { return edges_[place(node, word)].to; }

 private:
  struct Edge {
    std::size_t from = 0;
    std::int64_t word = 0;
    std::size_t to = 0;
  };
  // Of this edge, or where it would be. Less than half of the places are taken.
  std::size_t place(std::size_t node, std::int64_t word) const {
    const std::uint64_t mixed = node * 0x9e3779b97f4a7c15u ^ static_cast<std::uint64_t>(word) * 0xc2b2ae3d27d4eb4fu;
    std::size_t at = static_cast<std::size_t>(mixed >> 32 ^ mixed) & (edges_.size() - 1);
    while (edges_[at].to != 0 && (edges_[at].from != node || edges_[at].word != word))
      at = (at + 1) & (edges_.size() - 1);
    return at;
  }
  std::vector<Edge> edges_;
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

// What a row has.
struct Found {
  const Tree& tree;
  std::vector<std::int64_t> times;   // by node
  std::vector<std::size_t> touched;  // nodes that it has
  std::vector<std::pair<std::size_t, std::size_t>> begun;

  explicit Found(const Tree& of) : tree(of), times(of.grams.size()) {}

  void count(std::size_t node) {
    if (tree.ends[node] && times[node]++ == 0) touched.push_back(node);
  }
  // The nodes that each word leads to from the root, 0 if there is none, are found without a branch.
  void walk(std::span<const std::int64_t> line, std::span<const std::size_t> first, std::int64_t max_skip) {
    begun.resize(line.size() + 1);
    std::size_t begins = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const std::size_t node = first[static_cast<std::size_t>(line[at] + 1)];
      begun[begins] = {at, node};
      begins += node != 0;
    }
    const auto columns = std::ssize(line);
    for (std::int64_t skip = 0; skip <= max_skip && (skip == 0 || skip + 1 < columns); ++skip) {
      for (std::size_t k = 0; k < begins; ++k) {
        auto [at, node] = begun[k];
        if (skip == 0) count(node);
        const auto step = static_cast<std::size_t>(skip) + 1;
        while (tree.leads_on[node] && line.size() - at > step && line[at + step] >= 0) {
          at += step;
          node = tree.next(node, line[at]);
          if (node == 0) break;
          count(node);
        }
      }
    }
  }
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
    for (const std::string& word : std::span(x.as<std::string>(), static_cast<std::size_t>(x.size())))
      words.push_back(of_strings(word));
  else
    for (const std::int64_t word : load_all<std::int64_t>(x)) words.push_back(of_ints(word));
  Tree tree(p.of_strings ? p.strings.size() : p.ints.size());
  for (std::size_t g = 0; g < p.grams.size(); ++g) {
    if (!p.grams[g].counted) continue;
    std::size_t node = 0;
    for (std::int64_t k = 0; k < p.grams[g].length; ++k) node = tree.add(node, in_pool(p.grams[g].begin + k));
    tree.end(node, g);
  }

  // The nodes that words alone lead to, from word -1 on; 0: none.
  std::vector<std::size_t> first((p.of_strings ? p.strings.size() : p.ints.size()) + 1);
  for (std::size_t word = 1; word < first.size(); ++word)
    first[word] = tree.next(0, static_cast<std::int64_t>(word) - 1);

  const std::int64_t columns = x.dims().back(), rows = x.rank() == 2 ? x.dims()[0] : 1;
  Tensor& y = ctx.output(0, DataType::Float, x.rank() == 2 ? Shape{rows, p.size} : Shape{p.size});
  if (y.size() == 0) return;
  std::vector<double> row(static_cast<std::size_t>(p.size));
  Found found(tree);
  for (std::int64_t r = 0; r < rows; ++r) {
    found.walk(std::span(words).subspan(static_cast<std::size_t>(r * columns), static_cast<std::size_t>(columns)),
               first, p.max_skip);
    for (const std::size_t node : found.touched) {
      const double times = p.counted_once ? 1.0 : static_cast<double>(found.times[node]);
      for (const std::size_t g : tree.grams[node])
        row[static_cast<std::size_t>(p.indexes[g])] += times * (p.weights.empty() ? 1.0 : p.weights[g]);
      found.times[node] = 0;
    }
    found.touched.clear();
    store<double>(y, r * p.size, p.size, row.data());
    std::fill(row.begin(), row.end(), 0.0);
  }
}

}  // namespace
}  // namespace tfidf_vectorizer_ref_cc

void tfidf_vectorizer_references(opset::ReferenceTable& table) { table.add(TfIdfVectorizer, tfidf_vectorizer_ref); }

}  // namespace norn::ops
