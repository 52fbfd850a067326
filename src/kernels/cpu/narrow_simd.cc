// Products with tiny matrices for each instruction set: plain loops over rows, which the compiler vectorises.
#include "kernels/cpu/narrow.h"
#include "kernels/cpu/plain_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/narrow_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace narrow {

template <class T, int n, int k>
void product(std::int64_t m, const void* a_data, const void* b_data, void* c_data) {
  const T* HWY_RESTRICT a = static_cast<const T*>(a_data);
  T* HWY_RESTRICT c = static_cast<T*>(c_data);
  T b[k][n];
  for (int l = 0; l < k; ++l)
    for (int j = 0; j < n; ++j) b[l][j] = static_cast<const T*>(b_data)[l * n + j];
  for (std::int64_t i = 0; i < m; ++i) {
    T sums[n];
    for (int j = 0; j < n; ++j) sums[j] = a[i * k] * b[0][j];
    for (int l = 1; l < k; ++l)
      for (int j = 0; j < n; ++j) sums[j] += a[i * k + l] * b[l][j];
    for (int j = 0; j < n; ++j) c[i * n + j] = sums[j];
  }
}
template <class T, int n>
NarrowProduct of_columns(std::int64_t k) {
  switch (k) {
    case 2: return product<T, n, 2>;
    case 3: return product<T, n, 3>;
    case 4: return product<T, n, 4>;
    default: return nullptr;
  }
}
template <class T>
NarrowProduct of_type(std::int64_t n, std::int64_t k) {
  switch (n) {
    case 1: return of_columns<T, 1>(k);
    case 2: return of_columns<T, 2>(k);
    case 3: return of_columns<T, 3>(k);
    case 4: return of_columns<T, 4>(k);
    default: return nullptr;
  }
}

}  // namespace narrow

NarrowProduct find_narrow(DataType type, std::int64_t n, std::int64_t k) {
  if (type == DataType::Float) return narrow::of_type<float>(n, k);
  if (type == DataType::Double) return narrow::of_type<double>(n, k);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_narrow);

NarrowProduct narrow_product(DataType type, std::int64_t n, std::int64_t k) {
  return HWY_DYNAMIC_DISPATCH(find_narrow)(type, n, k);
}

}  // namespace norn::kernels
#endif
