#pragma once
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace macaw::npu {

/// Gives elements that a vector makes without a value none.
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

/// A vector of numbers whose resize() leaves what it adds as it is: each is written before it is read.
template <class T>
using Uncleared = std::vector<T, UnclearedAllocator<T>>;

}  // namespace macaw::npu
