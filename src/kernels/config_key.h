// A configuration as a key: equal bytes mean the same kernel. A configuration that can be a key has a member fields(),
// std::tie of all its members; that none is forgotten is checked when it is compiled.
#pragma once
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "kernels/kernel.h"

namespace norn::kernels {

namespace key {

struct Anything {
  template <class T>
  operator T() const;
};
// The number of members of an aggregate: as many initialisers as it takes.
template <class T, class... Args>
consteval std::size_t member_count() {
  if constexpr (requires { T{Args{}..., Anything{}}; })
    return member_count<T, Args..., Anything>();
  else
    return sizeof...(Args);
}

template <class T>
void append(std::string& key, const T& value) {
  if constexpr (requires { value.fields(); }) {
    static_assert(std::tuple_size_v<decltype(value.fields())> == member_count<T>(), "fields() has to list all members");
    std::apply([&](const auto&... field) { (append(key, field), ...); }, value.fields());
  } else if constexpr (requires { value.begin(); }) {
    append(key, static_cast<std::uint64_t>(value.size()));
    for (const auto& element : value) append(key, element);
  } else {
    // By their bits, so that -0 and 0 differ and equal NaN do not, as parameters of steps.
    static_assert(std::is_scalar_v<T>);
    const auto bytes = std::as_bytes(std::span(&value, 1));
    key.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

}  // namespace key

template <class Config>
std::string config_key(const Config& config) {
  std::string bytes;
  key::append(bytes, config);
  return bytes;
}

}  // namespace norn::kernels
