#pragma once
#include <macaw/tensor.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace macaw::tosa {

/// Contents of a constant as a graph file holds them: little-endian; INT4 and FP4E2M1 two per byte, the first in the
/// low half (for the latter, pytorch/executorch, backends/arm/process_node.py); INT48 in 6 bytes; BOOL in one; padded
/// with zeros to a multiple of 8 bytes (tosa_serialization_lib, src/tosa_serialization_handler.cpp).
[[nodiscard]] std::vector<std::uint8_t> pack_constant(const Tensor& tensor);

/// Bytes of a constant in a file without that padding. The shape's elements are countable in 16 bytes each.
[[nodiscard]] std::size_t packed_size(DType dtype, const Shape& shape);

/// Options for reading constants from a file.
struct Unpacking {
  std::shared_ptr<const void> owner;  ///< of the bytes, for constants that are views of them, or null
  int threads = 1;                    ///< 0: as many as the machine has
};

/// The reverse; an error if the size does not fit the shape or an INT4 element is -8. A large tensor that lies in the
/// file as in memory is a view, if the bytes have an owner.
[[nodiscard]] Result<Tensor> unpack_constant(DType dtype, const Shape& shape, std::span<const std::uint8_t> bytes,
                                             const Unpacking& how = {});

/// A tensor of one element, [1]: an integer of any width (wrapped to it) or a float rounded to the type.
[[nodiscard]] Tensor scalar_tensor(DType dtype, std::int64_t value);
[[nodiscard]] std::vector<std::byte> integer_bytes(DType dtype, std::int64_t value);
[[nodiscard]] std::vector<std::byte> float_bytes(DType dtype, float value);
[[nodiscard]] std::int64_t integer_from_bytes(DType dtype, std::span<const std::byte> bytes);
[[nodiscard]] float float_from_bytes(DType dtype, std::span<const std::byte> bytes);
[[nodiscard]] Tensor shape_constant(const std::vector<std::int64_t>& extents);

}  // namespace macaw::tosa
