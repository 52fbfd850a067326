// Sparse tensors: values [NNZ], indices [NNZ] (linear) or [NNZ, rank], and the dims of the dense tensor.
//
// Indices are the one place where a tensor's elements have to be read: they are strictly ascending, lexicographically
// in the two-dimensional form, and that they lie within dims is what keeps a reader from writing elsewhere. Repeats are
// neighbours in an ascending list; only an unsorted one is looked through with a table. Indices in an external file are
// read if the caller wants files read (CheckOptions::checksums).
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "check/rule_checks.h"
#include "check/tensor_size.h"
#include "check/text.h"
#include "format/external.h"
#include "ir/tensor_data.h"
#include "norn/error.h"

namespace norn::checks {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

// int64 elements wherever they lie; raw bytes may be unaligned.
class Indices {
 public:
  // False if they are not all there: then other rules have reported it.
  bool read(Context& ctx, const ir::Tensor& tensor, std::int64_t count) {
    if (tensor.data_type.get() != static_cast<std::int32_t>(DataType::Int64)) return false;
    if (ir::is_external(tensor, ctx.ir_version())) {
      if (!ctx.options().checksums || (ctx.base_dir().empty() && !ctx.loaded().external_reader)) return false;
      try {
        bytes_ = format::external_reader(ctx.base_dir(), format::external_access(ctx.loaded()))(tensor);
      } catch (const Error&) {
        return false;
      }
    } else if (!tensor.raw_data.get().empty()) {
      bytes_ = tensor.raw_data.get();
    } else {
      bytes_ =
          ir::Bytes(reinterpret_cast<const std::byte*>(tensor.int64_data.data()), tensor.int64_data.size() * 8, {});
    }
    return bytes_.size() % 8 == 0 && bytes_.size() / 8 == static_cast<std::uint64_t>(count);
  }
  std::int64_t operator[](std::size_t i) const noexcept {
    std::int64_t value;
    std::memcpy(&value, bytes_.data() + i * 8, 8);
    return value;
  }

 private:
  ir::Bytes bytes_;
};

struct Layout {
  std::size_t nnz = 0, rank = 0;
  bool linear = true;
  std::size_t width() const noexcept { return linear ? 1 : rank; }
};

std::string row(const Indices& indices, const Layout& layout, std::size_t k) {
  if (layout.linear) return std::to_string(indices[k]);
  std::string text = "[";
  for (std::size_t d = 0; d < layout.rank; ++d) {
    if (d) text += ',';
    text += std::to_string(indices[k * layout.rank + d]);
  }
  return text + "]";
}

// Below zero, zero, above zero: how entry k stands to the one before it.
int compare_to_previous(const Indices& indices, const Layout& layout, std::size_t k) {
  const std::size_t width = layout.width();
  for (std::size_t d = 0; d < width; ++d) {
    const std::int64_t before = indices[(k - 1) * width + d], now = indices[k * width + d];
    if (before != now) return now < before ? -1 : 1;
  }
  return 0;
}

std::optional<std::size_t> find_repeat(const Indices& indices, const Layout& layout,
                                       const std::vector<std::int64_t>& dims) {
  std::unordered_set<std::int64_t, SeededHash> seen;
  seen.reserve(layout.nnz);
  for (std::size_t k = 0; k < layout.nnz; ++k) {
    std::int64_t flat = layout.linear ? indices[k] : 0;
    for (std::size_t d = 0; !layout.linear && d < layout.rank; ++d)
      flat = flat * dims[d] + indices[k * layout.rank + d];
    if (!seen.insert(flat).second) return k;
  }
  return std::nullopt;
}

bool check_range(Context& ctx, const Place& place, const Indices& indices, const Layout& layout,
                 const std::vector<std::int64_t>& dims, std::int64_t total) {
  for (std::size_t k = 0; k < layout.nnz; ++k) {
    for (std::size_t d = 0; d < layout.width(); ++d) {
      const std::int64_t size = layout.linear ? total : dims[d], at = indices[k * layout.width() + d];
      if (at >= 0 && at < size) continue;
      ctx.report(
          "sparse.indices.range", place,
          "index " + std::to_string(at) + " of entry " + number(k) +
              (layout.linear ? " lies outside the tensor's " + std::to_string(size) + " elements"
                             : " lies outside dimension " + number(d) + ", whose size is " + std::to_string(size)),
          "indices count from 0 and lie within dims " + norn::to_string(dims));
      return false;
    }
  }
  return true;
}

void check_order(Context& ctx, const Place& place, const Indices& indices, const Layout& layout,
                 const std::vector<std::int64_t>& dims, bool in_range) {
  std::optional<std::size_t> descends, repeats;
  for (std::size_t k = 1; k < layout.nnz && !(descends && repeats); ++k) {
    const int order = compare_to_previous(indices, layout, k);
    if (order < 0 && !descends) descends = k;
    if (order == 0 && !repeats) repeats = k;
  }
  if (descends) {
    ctx.report("sparse.indices.ascending", place,
               "the indices do not ascend: entry " + number(*descends) + " is " + row(indices, layout, *descends) +
                   " after " + row(indices, layout, *descends - 1),
               "sort the entries by index, row by row");
    // Flat positions distinguish entries only if they lie in the tensor.
    if (!repeats && (in_range || layout.linear)) repeats = find_repeat(indices, layout, dims);
  }
  if (repeats) {
    ctx.report(
        "sparse.indices.no-duplicates", place,
        "the index " + row(indices, layout, *repeats) + " is given twice (again at entry " + number(*repeats) + ")",
        "keep one value for each index");
  }
}

void check_indices(Context& ctx, const Place& place, const ir::SparseTensor& sparse, std::optional<std::int64_t> nnz) {
  const ir::Tensor& tensor = *sparse.indices;
  const std::size_t rank = sparse.dims.size();
  bool sound = true;
  if (tensor.data_type.get() != static_cast<std::int32_t>(DataType::Int64)) {
    sound = false;
    const auto type = known_type(tensor);
    ctx.report("sparse.indices.int64", place,
               "the indices are of type " + std::string(type ? data_type_name(*type) : "undefined") + ", not int64",
               "store the indices as int64");
  }
  const auto& shape = tensor.dims;
  if (shape.size() != 1 && shape.size() != 2) {
    ctx.report("sparse.indices.rank", place,
               "the indices have the shape " + norn::to_string(shape) + "; they are [NNZ] or [NNZ, rank]",
               "give them one or two dimensions");
    return;
  }
  if (nnz && shape[0] != *nnz) {
    sound = false;
    ctx.report(
        "sparse.indices.nnz", place,
        "there are " + std::to_string(*nnz) + " values, but the indices have the shape " + norn::to_string(shape),
        "each value needs one index");
  }
  if (shape.size() == 2 && shape[1] != static_cast<std::int64_t>(rank)) {
    sound = false;
    ctx.report("sparse.indices.width", place,
               "the indices have " + std::to_string(shape[1]) + " columns for a tensor of rank " + number(rank),
               "an index has one column for each of dims " + norn::to_string(sparse.dims));
  }
  const auto total = base::checked_count(sparse.dims);
  const auto count = base::checked_count(shape);
  if (!sound || !total || !count || *count == 0 || rank == 0) return;
  Indices indices;
  if (!indices.read(ctx, tensor, *count)) return;
  const Layout layout{static_cast<std::size_t>(shape[0]), rank, shape.size() == 1};
  const bool in_range = check_range(ctx, place, indices, layout, sparse.dims, *total);
  check_order(ctx, place, indices, layout, sparse.dims, in_range);
}

void check_dense_dims(Context& ctx, const Place& place, const ir::SparseTensor& sparse) {
  if (sparse.dims.empty()) {
    ctx.report("sparse.dims.rank", place, "the sparse tensor has no dims, so it would be a scalar",
               "a sparse tensor has at least one dimension");
    return;
  }
  for (std::size_t i = 0; i < sparse.dims.size(); ++i) {
    if (sparse.dims[i] > 0) continue;
    ctx.report("sparse.dims.positive", place,
               "dimension " + number(i) + " of the sparse tensor is " + std::to_string(sparse.dims[i]) +
                   "; its dimensions are 1 or more",
               "store a tensor without elements as a dense one");
    return;
  }
  if (!base::checked_count(sparse.dims)) {
    ctx.report(
        "tensor.dims.no-overflow", place,
        "the sparse tensor's dims " + norn::to_string(sparse.dims) + " make more elements than 63 bits can count",
        "the dims are damaged or malicious");
  }
}

}  // namespace

void check_sparse_tensor(Context& ctx, const Place& place, const ir::SparseTensor& sparse, SparseUse use) {
  check_dense_dims(ctx, place, sparse);
  std::optional<std::int64_t> nnz;
  if (!sparse.values) {
    ctx.report("sparse.values.present", place, "the sparse tensor has no values",
               "give it a values tensor; one of shape [0] if all elements are zero");
  } else {
    const Place at = place.of_tensor("values", -1, *sparse.values);
    check_tensor(ctx, at, *sparse.values, TensorUse::SparseValues);
    if (use != SparseUse::Data) check_tensor_versions(ctx, at, *sparse.values);
    if (sparse.values->dims.size() == 1) {
      nnz = sparse.values->dims[0];
    } else {
      ctx.report("sparse.values.rank1", at,
                 "the values have the shape " + norn::to_string(sparse.values->dims) + " instead of [NNZ]",
                 "the values form a list, the indices say where each belongs");
    }
    if (use == SparseUse::Initializer && sparse.values->name.get().empty()) {
      ctx.report("sparse.values.name", at, "the sparse initializer's values have no name, so no node can read it",
                 "the name of an initializer that is sparse stands in its values");
    }
  }
  if (sparse.indices) {
    const Place at = place.of_tensor("indices", -1, *sparse.indices);
    check_tensor(ctx, at, *sparse.indices, TensorUse::SparseIndices);
    if (use != SparseUse::Data) check_tensor_versions(ctx, at, *sparse.indices);
    check_indices(ctx, at, sparse, nnz);
  } else if (nnz && *nnz > 0) {
    ctx.report("sparse.indices.present", place,
               "the sparse tensor has " + std::to_string(*nnz) + " values, but no indices",
               "give each value its index");
  }
}

}  // namespace norn::checks
