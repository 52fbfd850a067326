// TfIdfVectorizer: the pool's n-grams are a tree of words, and every way through a row, with each distance between
// words that max_skip_count allows, is walked down it. N-grams of one word know no distance and are counted once.
//
// A row costs as many steps as it has ways, and what it has found; never the whole pool.
#include <string>
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

void tfidf_vectorizer_ref(opset::ReferenceContext& ctx) {
  const TfIdfParams p = resolve_tfidf(ctx);
  const Tensor& x = ctx.input(0);
  if ((x.dtype() == DataType::String) != p.of_strings)
    ctx.fail(std::string("the pool holds ") + (p.of_strings ? "strings" : "integers") + ", but X is " +
             std::string(data_type_name(x.dtype())));
  if (x.rank() != 1 && x.rank() != 2) ctx.fail("X must have rank 1 or 2, not shape " + to_string(x.dims()));

  // Words of the pool and of X as integers; strings that the pool does not have are -1.
  std::unordered_map<std::string, std::int64_t> number;
  for (const std::string& word : p.strings) number.try_emplace(word, static_cast<std::int64_t>(number.size()));
  const auto in_pool = [&](std::int64_t at) {
    const auto i = static_cast<std::size_t>(at);
    return p.of_strings ? number.at(p.strings[i]) : p.ints[i];
  };
  std::vector<std::int64_t> words;
  if (p.of_strings) {
    for (const std::string& word : load_all<std::string>(x)) {
      const auto at = number.find(word);
      words.push_back(at == number.end() ? -1 : at->second);
    }
  } else {
    words = load_all<std::int64_t>(x);
  }
  Tree tree;
  for (std::size_t g = 0; g < p.grams.size(); ++g) {
    if (!p.grams[g].counted) continue;
    std::size_t node = 0;
    for (std::int64_t k = 0; k < p.grams[g].length; ++k) node = tree.add(node, in_pool(p.grams[g].begin + k));
    tree.grams[node].push_back(g);
  }

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
          const auto next = tree.edges.find({node, line[at]});
          if (next == tree.edges.end()) break;
          node = next->second;
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
