#pragma once
#include <cstdint>

namespace macaw::tosa {

/// A dimension of a copy.
struct CopyAxis {
  std::int64_t extent = 1, in_step = 1, out_step = 1;
};

/// Pieces of a transposed plane: the input advances by one along the rows, and by more along the columns, the output by
/// one along the columns.
[[nodiscard]] std::int64_t plane_pieces(const CopyAxis& rows, const CopyAxis& columns);

/// Copies a piece of a transposed plane; T is an unsigned integer.
template <class T>
void copy_plane(const T* in, const CopyAxis& rows, const CopyAxis& columns, std::int64_t piece, T* out);

/// The same element by element.
template <class T>
void copy_plane_scalar(const T* in, const CopyAxis& rows, const CopyAxis& columns, std::int64_t piece, T* out);

}  // namespace macaw::tosa
