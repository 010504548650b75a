#pragma once
#include <cstddef>
#include <cstdint>

namespace macaw::tosa {

/// Operands of the vector kernel of byte_gemm: the products of `rows` rows with `quads` quads of one or two panels are
/// added to the sums at `from`, whose rows are `from_pitch` apart (0: the same for all), and stored in c, whose rows
/// are `ldc` apart. Both may be the same.
struct ByteTile {
  const std::uint8_t* a;
  std::size_t stride, rows;
  const std::int8_t* panel;
  std::size_t panel_size, panels, quads;
  const std::int32_t* from;
  std::size_t from_pitch;
  std::int32_t* c;
  std::size_t ldc;
};

}  // namespace macaw::tosa
