#include <algorithm>
#include <cstring>

#include "check/area_test.h"

namespace norn::checks {
namespace {

// A sparse float tensor with `rows.size() / columns` entries; columns 0 is the linear form.
ir::SparseTensor sparse(std::vector<std::int64_t> dims, std::vector<std::int64_t> rows, std::int64_t columns = 0) {
  ir::SparseTensor s;
  s.dims = std::move(dims);
  const auto entries = static_cast<std::int64_t>(rows.size()) / std::max<std::int64_t>(columns, 1);
  ir::Tensor& values = s.values.mut();
  values.name = std::string("w");
  values.data_type = 1;
  values.dims = {entries};
  values.float_data = std::vector<float>(static_cast<std::size_t>(entries), 1.0f);
  ir::Tensor& indices = s.indices.mut();
  indices.data_type = 7;
  indices.dims = {entries};
  if (columns > 0) indices.dims.push_back(columns);
  indices.int64_data = std::move(rows);
  return s;
}
template <class Change>
ir::SparseTensor changed(ir::SparseTensor s, Change change) {
  change(s);
  return s;
}
Report check(const ir::SparseTensor& s, SparseUse use = SparseUse::Initializer) {
  return run_area([&](Context& ctx, const Place& p) { check_sparse_tensor(ctx, p, s, use); });
}
// The same indices in raw_data, at an odd address.
ir::SparseTensor as_raw(ir::SparseTensor s) {
  ir::Tensor& t = *s.indices;
  auto bytes = std::make_shared<std::vector<std::byte>>(t.int64_data.size() * 8 + 1);
  if (!t.int64_data.empty()) std::memcpy(bytes->data() + 1, t.int64_data.data(), t.int64_data.size() * 8);
  t.raw_data = ir::Bytes(bytes->data() + 1, bytes->size() - 1, bytes);
  t.int64_data = {};
  return s;
}

TEST(Sparse, EachRuleAlone) {
  const ir::SparseTensor good = sparse({3, 4}, {0, 1, 2, 3}, 2);
  const struct {
    const char* rule;
    ir::SparseTensor tensor;
  } cases[] = {
      {"sparse.values.present", changed(good, [](auto& s) { s.values.clear(); })},
      {"sparse.values.rank1", changed(good, [](auto& s) { s.values->dims = {1, 2}; })},
      {"sparse.values.name", changed(good, [](auto& s) { s.values->name.clear(); })},
      {"sparse.dims.rank", changed(sparse({}, {}), [](auto&) {})},
      {"sparse.dims.positive", sparse({0, 4}, {}, 2)},
      {"sparse.dims.positive", sparse({-3, 4}, {}, 2)},
      {"tensor.dims.no-overflow", sparse({INT64_MAX, INT64_MAX}, {1, 1}, 2)},
      {"sparse.indices.rank", changed(good, [](auto& s) { s.indices->dims = {2, 2, 1}; })},
      {"sparse.indices.rank", changed(sparse({3}, {1}), [](auto& s) { s.indices->dims = {}; })},
      {"sparse.indices.int64", changed(good,
                                       [](auto& s) {
                                         s.indices->data_type = 6;
                                         s.indices->int64_data = {};
                                         s.indices->int32_data = std::vector<std::int32_t>{0, 1, 2, 3};
                                       })},
      {"sparse.indices.nnz", changed(sparse({9}, {1, 2, 3}),
                                     [](auto& s) {
                                       s.values->dims = {2};
                                       s.values->float_data = std::vector<float>{1, 2};
                                     })},
      {"sparse.indices.width", sparse({3, 4}, {0, 1, 1, 2, 2, 2}, 3)},
      {"sparse.indices.range", sparse({3, 4}, {0, 1, 2, 4}, 2)},
      {"sparse.indices.range", sparse({3, 4}, {-1, 1, 2, 3}, 2)},
      {"sparse.indices.range", sparse({3, 4}, {0, 12})},
      {"sparse.indices.range", sparse({3, 4}, {-1, 3})},
      {"sparse.indices.range", sparse({3, 4}, {0, INT64_MAX})},
      {"sparse.indices.ascending", sparse({3, 4}, {2, 3, 0, 1}, 2)},
      {"sparse.indices.ascending", sparse({3, 4}, {1, 3, 1, 1}, 2)},
      {"sparse.indices.ascending", sparse({3, 4}, {5, 4})},
      {"sparse.indices.no-duplicates", sparse({3, 4}, {1, 1, 1, 1}, 2)},
      {"sparse.indices.no-duplicates", sparse({3, 4}, {4, 4})},
      {"sparse.indices.present", changed(good, [](auto& s) { s.indices.clear(); })},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.rule);
    expect_only(check(c.tensor), c.rule);
    if (c.tensor.indices && !c.tensor.indices->int64_data.empty()) expect_only(check(as_raw(c.tensor)), c.rule);
  }
}

TEST(Sparse, SoundOnes) {
  const ir::SparseTensor good = sparse({3, 4}, {0, 1, 2, 3}, 2);
  for (const ir::SparseTensor& s :
       {good, sparse({3, 4}, {0, 3, 11}), sparse({5}, {0, 4}, 1), sparse({5}, {}),
        changed(sparse({5}, {}), [](auto& t) { t.indices.clear(); }),
        sparse({std::int64_t{1} << 31, std::int64_t{1} << 31}, {0, 0, (std::int64_t{1} << 31) - 1, 7}, 2)}) {
    expect_only(check(s), "");
    if (s.indices) expect_only(check(as_raw(s)), "");
  }
  for (const ir::SparseTensor& s : {good, sparse({3, 4}, {0, 3, 11})}) {
    expect_kept(check(s), {"sparse.values.present", "sparse.values.rank1", "sparse.values.name", "sparse.dims.rank",
                           "sparse.dims.positive", "sparse.indices.rank", "sparse.indices.int64", "sparse.indices.nnz",
                           "sparse.indices.range", "sparse.indices.ascending", "sparse.indices.no-duplicates",
                           "sparse.indices.present"});
  }
  expect_kept(check(good), {"sparse.indices.width"});
  // One column may repeat, and descend, where an earlier one ascends.
  expect_kept(check(sparse({3, 4}, {0, 3, 1, 3, 2, 0}, 2)),
              {"sparse.indices.ascending", "sparse.indices.no-duplicates"});
  expect_only(check(changed(good, [](auto& s) { s.values->name.clear(); }), SparseUse::Attribute), "");
}

TEST(Sparse, RepeatsAreFoundInUnsortedIndicesToo) {
  EXPECT_EQ(rules_of(check(sparse({9}, {5, 1, 7, 1}))),
            (std::vector<std::string>{"sparse.indices.ascending", "sparse.indices.no-duplicates"}));
  EXPECT_EQ(rules_of(check(sparse({3, 3}, {2, 1, 0, 0, 2, 1}, 2))),
            (std::vector<std::string>{"sparse.indices.ascending", "sparse.indices.no-duplicates"}));
}

TEST(Sparse, PartsObeyTheRulesOfTensors) {
  expect_only(check(changed(sparse({9}, {1, 2}), [](auto& s) { s.values->float_data = std::vector<float>{1}; })),
              "tensor.storage.count-enough");
  // Indices that are not all there are not looked at.
  expect_only(
      check(changed(sparse({9}, {5, 1}), [](auto& s) { s.indices->int64_data = std::vector<std::int64_t>{5}; })),
      "tensor.storage.count-enough");
}

TEST(Sparse, MessagesShowTheIndex) {
  const Report report = check(sparse({3, 4}, {0, 1, 2, 4}, 2));
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_NE(report.diagnostics[0].message.find("index 4 of entry 1"), std::string::npos)
      << report.diagnostics[0].message;
}

}  // namespace
}  // namespace norn::checks
