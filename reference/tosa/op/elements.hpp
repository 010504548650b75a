#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include <macaw/tensor.hpp>

namespace macaw::tosa {

/// Elements of a tensor by their position: tensor_read and tensor_write of the specification.
template <class T, std::size_t Rank>
class Elements {
 public:
  using Position = std::array<std::int64_t, Rank>;

  explicit Elements(const Tensor& tensor)
    requires std::is_const_v<T>
      : data_(tensor.data<std::remove_const_t<T>>().data()) {
    std::ranges::copy(tensor.shape(), extents_.begin());
  }
  explicit Elements(Tensor& tensor)
    requires(!std::is_const_v<T>)
      : data_(tensor.data<T>().data()) {
    std::ranges::copy(tensor.shape(), extents_.begin());
  }

  [[nodiscard]] const Position& extents() const { return extents_; }
  [[nodiscard]] bool contains(const Position& position) const {
    for (std::size_t i = 0; i < Rank; ++i)
      if (position[i] < 0 || position[i] >= extents_[i]) return false;
    return true;
  }
  [[nodiscard]] T& operator[](const Position& position) const {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < Rank; ++i) offset = offset * extents_[i] + position[i];
    return data_[offset];
  }

 private:
  T* data_;
  Position extents_{};
};

/// Calls f(position) for every position below the extents, the last one fastest.
template <std::size_t Rank, class F>
void for_each_position(const std::array<std::int64_t, Rank>& extents, F f) {
  if (std::ranges::any_of(extents, [](auto extent) { return extent <= 0; })) return;
  std::array<std::int64_t, Rank> position{};
  for (std::size_t axis = Rank; axis > 0;) {
    f(std::as_const(position));
    for (axis = Rank; axis > 0 && ++position[axis - 1] == extents[axis - 1]; --axis) position[axis - 1] = 0;
  }
}

}  // namespace macaw::tosa
