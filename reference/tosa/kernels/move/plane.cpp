#include "reference/tosa/kernels/move/plane.hpp"

#include <algorithm>
#include <cstring>

#include "reference/tosa/kernels/best_version.hpp"
#include "reference/tosa/kernels/move/interleave.hpp"
#include "reference/tosa/kernels/move/interleave_vectors.hpp"

namespace macaw::tosa {
namespace {

// A piece is as many rows by columns, so that tiles of bytes are lines of the cache on both sides.
constexpr std::int64_t kSide = 64;
// Planes of as few rows or columns are interleaved, and have longer pieces.
constexpr std::int64_t kThin = 4, kLength = 4096;

constexpr bool interleaved_in(const CopyAxis& rows, const CopyAxis& columns) {
  return rows.extent <= kThin && columns.in_step == rows.extent;
}
constexpr bool interleaved_out(const CopyAxis& rows, const CopyAxis& columns) {
  return columns.extent <= kThin && rows.out_step == columns.extent;
}

/// The part of a plane that a piece is.
struct PlanePart {
  std::int64_t top, bottom, left, right;
};

struct Sides {
  std::int64_t rows, columns;
};
constexpr Sides sides(const CopyAxis& rows, const CopyAxis& columns) {
  if (interleaved_in(rows, columns)) return {kThin, kLength};
  if (interleaved_out(rows, columns)) return {kLength, kThin};
  return {kSide, kSide};
}
constexpr std::int64_t parts(std::int64_t extent, std::int64_t side) { return (extent + side - 1) / side; }

PlanePart part_of(const CopyAxis& rows, const CopyAxis& columns, std::int64_t piece) {
  const auto side = sides(rows, columns);
  const auto high = parts(rows.extent, side.rows);
  const auto top = piece % high * side.rows, left = piece / high * side.columns;
  return {top, std::min(rows.extent, top + side.rows), left, std::min(columns.extent, left + side.columns)};
}

/// Transposes as many vectors of 16 bytes as one has elements; lines of both are `pitch` apart.
template <class T>
void transpose_vectors(const T* in, T* out, std::size_t pitch) {
  constexpr std::size_t kCount = 16 / sizeof(T);
  Vector16<T> vectors[kCount];
  for (std::size_t i = 0; i < kCount; ++i) std::memcpy(&vectors[i], in + i * pitch, 16);
  interleave_vectors<T>(vectors);
  for (std::size_t i = 0; i < kCount; ++i) std::memcpy(out + i * pitch, &vectors[i], 16);
}

/// A tile is as many lines as a line of the cache has elements, which are copied whole: lines of the plane may share a
/// set of the cache.
template <class T>
void copy_tiles(const T* in, std::int64_t in_step, PlanePart part, T* out, std::int64_t out_step) {
  constexpr std::int64_t kLine = 64 / sizeof(T);
  constexpr std::size_t kVector = 16 / sizeof(T);
  alignas(64) T from[kLine][kLine] = {}, to[kLine][kLine];
  const auto copy = [](const T* line, std::int64_t size, T* copied) {
    if (size == kLine) std::memcpy(copied, line, 64);
    else std::copy_n(line, size, copied);
  };
  for (auto left = part.left; left < part.right; left += kLine)
    for (auto top = part.top; top < part.bottom; top += kLine) {
      const auto width = std::min(kLine, part.right - left), height = std::min(kLine, part.bottom - top);
      for (std::int64_t i = 0; i < width; ++i) copy(in + (left + i) * in_step + top, height, from[i]);
      for (std::size_t i = 0; i < static_cast<std::size_t>(width); i += kVector)
        for (std::size_t j = 0; j < static_cast<std::size_t>(height); j += kVector)
          transpose_vectors(&from[i][j], &to[j][i], kLine);
      for (std::int64_t i = 0; i < height; ++i) copy(to[i], width, out + (top + i) * out_step + left);
    }
}

}  // namespace

std::int64_t plane_pieces(const CopyAxis& rows, const CopyAxis& columns) {
  const auto side = sides(rows, columns);
  return parts(rows.extent, side.rows) * parts(columns.extent, side.columns);
}

template <class T>
void copy_plane(const T* in, const CopyAxis& rows, const CopyAxis& columns, std::int64_t piece, T* out) {
  const auto part = part_of(rows, columns, piece);
  const auto thin_in = interleaved_in(rows, columns), thin_out = interleaved_out(rows, columns);
  if (!thin_in && !thin_out) {
    best_version<copy_tiles<T>>(Kernels::kBest)(in, columns.in_step, part, out, rows.out_step);
  } else if constexpr (sizeof(T) == 8) {
    copy_plane_scalar(in, rows, columns, piece, out);
  } else if (thin_in) {
    deinterleave(in + part.left * rows.extent, rows.extent, part.right - part.left, out + part.left, rows.out_step);
  } else {
    interleave(in + part.top, columns.in_step, columns.extent, part.bottom - part.top, out + part.top * columns.extent);
  }
}

template <class T>
void copy_plane_scalar(const T* in, const CopyAxis& rows, const CopyAxis& columns, std::int64_t piece, T* out) {
  const auto part = part_of(rows, columns, piece);
  for (auto row = part.top; row < part.bottom; ++row)
    for (auto column = part.left; column < part.right; ++column)
      out[row * rows.out_step + column] = in[row + column * columns.in_step];
}

#define MACAW_PLANE(T)                                                                       \
  template void copy_plane<T>(const T*, const CopyAxis&, const CopyAxis&, std::int64_t, T*); \
  template void copy_plane_scalar<T>(const T*, const CopyAxis&, const CopyAxis&, std::int64_t, T*);
MACAW_PLANE(std::uint8_t)
MACAW_PLANE(std::uint16_t)
MACAW_PLANE(std::uint32_t)
MACAW_PLANE(std::uint64_t)
#undef MACAW_PLANE

}  // namespace macaw::tosa
