#pragma once
#include <macaw/error.hpp>
#include <macaw/ethosu_linux/ethosu.hpp>

#include <utility>

namespace EthosU {

/// Returns the value of a result, or throws its error as an exception.
template <class T>
T value_or_throw(macaw::Result<T> result) {
  if (!result) throw Exception(result.error().to_string().c_str());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace EthosU
