#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// Input 0's elements, in their order, become output 0's: for operators that change the shape alone.
[[nodiscard]] Result<void> copy_elements(Call& call);

/// Moves elements of a size known at run time: f is called with a value of an unsigned type of that many bytes.
template <class F>
void with_element_size(std::size_t size, F&& f) {
  switch (size) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

/// Fills an output from elements of an input of the same type: the element at position p is read from `offset` + the
/// sum of p[axis] * strides[axis]; the caller has checked that all of them lie in the input.
void gather_strided(const Tensor& in, std::int64_t offset, const std::vector<std::int64_t>& strides, Tensor& out);

}  // namespace macaw::tflite
