#pragma once
#include <cstddef>
#include <cstdint>

namespace macaw::tosa {

/// Operands of the vector kernel of byte_gemm: adds the products of `rows` rows with `quads` quads of one or two panels
/// to c, whose rows are `ldc` apart.
struct ByteTile {
  const std::uint8_t* a;
  std::size_t stride, rows;
  const std::int8_t* panel;
  std::size_t panel_size, panels, quads;
  std::int32_t* c;
  std::size_t ldc;
};

}  // namespace macaw::tosa
