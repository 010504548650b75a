#pragma once
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace macaw::npu {

/// Leaves default-inserted elements of a vector uninitialised.
template <class T>
struct UnclearedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UnclearedAllocator<U>;
  };
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) ::new (static_cast<void*>(place)) U;
    else ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

/// A vector of numbers whose resize() leaves new elements uninitialised: each must be written before it is read.
template <class T>
using Uncleared = std::vector<T, UnclearedAllocator<T>>;

}  // namespace macaw::npu
