// Sparse tensors in COO form. The specification lets indices be linear ([nnz]) or one row per element ([nnz, rank]),
// ascending either way; IR 1's message of the same name was numbered differently and never reachable from a model.
#include <cstring>
#include <utility>

#include "base/text.h"
#include "ir/tensor_data.h"
#include "norn/error.h"

namespace norn::ir {
namespace {

std::string place(const SparseTensor& sparse) {
  std::string text = "sparse tensor";
  if (sparse.values && !sparse.values->name.get().empty()) text += " " + base::quoted(sparse.values->name.get());
  return text + " " + norn::to_string(sparse.dims);
}

[[noreturn]] void invalid(const SparseTensor& sparse, std::string message) {
  throw Error(ErrorCode::InvalidGraph, std::move(message), place(sparse));
}

void check_indices(const SparseTensor& sparse, const norn::Tensor& indices, std::int64_t nnz, std::int64_t total) {
  const auto rank = static_cast<std::int64_t>(sparse.dims.size());
  if (indices.dtype() != DataType::Int64) invalid(sparse, "its indices are not int64");
  const bool linear = indices.rank() == 1;
  if (!linear && indices.rank() != 2) invalid(sparse, "its indices have rank " + std::to_string(indices.rank()));
  if (indices.dims()[0] != nnz) {
    invalid(sparse, "it has " + std::to_string(nnz) + " values, but " + std::to_string(indices.dims()[0]) + " indices");
  }
  if (!linear && indices.dims()[1] != rank) {
    invalid(sparse, "its indices have " + std::to_string(indices.dims()[1]) + " columns for " + std::to_string(rank) +
                        " dimensions");
  }
  const auto* index = indices.as<std::int64_t>();
  std::int64_t previous = -1;
  for (std::int64_t i = 0; i < nnz; ++i) {
    std::int64_t flat = 0;
    if (linear) {
      flat = index[i];
      if (flat < 0 || flat >= total) {
        invalid(sparse, "index " + std::to_string(flat) + " is outside of " + std::to_string(total) + " elements");
      }
    } else {
      for (std::int64_t d = 0; d < rank; ++d) {
        const std::int64_t size = sparse.dims[static_cast<std::size_t>(d)], at = index[i * rank + d];
        if (at < 0 || at >= size) {
          invalid(sparse, "index " + std::to_string(at) + " of dimension " + std::to_string(d) + " is outside of 0.." +
                              std::to_string(size - 1));
        }
        flat = flat * size + at;
      }
    }
    if (flat <= previous)
      invalid(sparse, "its indices are not strictly ascending (at entry " + std::to_string(i) + ")");
    previous = flat;
  }
}

}  // namespace

norn::SparseTensor to_value(const SparseTensor& sparse, const ExternalReader& external) {
  if (!sparse.values) invalid(sparse, "it has no values");
  std::int64_t total = 0;
  try {
    total = element_count(sparse.dims);
  } catch (const Error& e) {
    invalid(sparse, e.message());
  }
  norn::SparseTensor result;
  try {
    result.values = to_value(*sparse.values, external);
    if (sparse.indices) result.indices = to_value(*sparse.indices, external);
  } catch (Error& e) {
    throw e.within(place(sparse));
  }
  result.dims = sparse.dims;
  if (result.values.rank() != 1) {
    invalid(sparse, "its values have rank " + std::to_string(result.values.rank()) + " instead of 1");
  }
  const std::int64_t nnz = result.values.size();
  if (!sparse.indices) {
    if (nnz > 0) invalid(sparse, "it has values but no indices");
    result.indices = norn::Tensor(DataType::Int64, {0});
  }
  check_indices(sparse, result.indices, nnz, total);
  return result;
}

SparseTensor from_value(const norn::SparseTensor& value, std::string name) {
  SparseTensor sparse;
  sparse.values = from_value(value.values, std::move(name));
  sparse.indices = from_value(value.indices);
  sparse.dims = value.dims;
  return sparse;
}

norn::Tensor densify(const SparseTensor& sparse, const ExternalReader& external) {
  const norn::SparseTensor coo = to_value(sparse, external);
  norn::Tensor dense(coo.values.dtype(), coo.dims);
  const bool strings = dense.dtype() == DataType::String;
  const std::size_t width = element_size(dense.dtype());
  if (!strings && dense.size() > 0) std::memset(dense.mutable_data(), 0, dense.bytes());
  const auto* index = coo.indices.as<std::int64_t>();
  const std::size_t rank = coo.dims.size();
  for (std::size_t k = 0; k < static_cast<std::size_t>(coo.values.size()); ++k) {
    std::int64_t at = 0;
    if (coo.indices.rank() == 1)
      at = index[k];
    else
      for (std::size_t d = 0; d < rank; ++d) at = at * coo.dims[d] + index[k * rank + d];
    if (strings) {
      dense.as_mutable<std::string>()[at] = coo.values.as<std::string>()[k];
    } else {
      std::memcpy(dense.as_mutable<std::byte>() + static_cast<std::size_t>(at) * width,
                  coo.values.as<std::byte>() + k * width, width);
    }
  }
  return dense;
}

}  // namespace norn::ir
