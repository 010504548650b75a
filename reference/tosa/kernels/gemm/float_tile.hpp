#pragma once
#include <cstddef>

namespace macaw::tosa {

/// Operands of the vector kernel of float_gemm: adds the products of `rows` rows with `k` rows of one or two panels to
/// c, whose rows are `ldc` apart.
template <class T>
struct FloatTile {
  const T* a;
  std::size_t stride, rows;
  const T* panel;
  std::size_t panel_size, panels, k;
  T* c;
  std::size_t ldc;
};

}  // namespace macaw::tosa
