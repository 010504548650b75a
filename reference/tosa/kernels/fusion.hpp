#pragma once
#include <cstddef>
#include <functional>
#include <utility>

#include "reference/tosa/kernels/function_ref.hpp"
#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

/// A part of a tensor: `rows` rows of `columns` elements. It begins at an even element of the tensor, or of a row of
/// its last dimension.
struct Tile {
  std::size_t first = 0;  ///< the element of the tensor that is the tile's first
  std::size_t rows = 1, columns = 0;
  std::size_t stride = 0;  ///< elements from a row to the next in the tensor
  const std::byte* data = nullptr;
  std::size_t pitch = 0;  ///< the same where the elements are

  /// Rows and columns from these on.
  [[nodiscard]] Tile part(std::size_t row, std::size_t part_rows, std::size_t column, std::size_t part_columns,
                          std::size_t element_size) const {
    return {first + row * stride + column,
            part_rows,
            part_columns,
            stride,
            data + (row * pitch + column) * element_size,
            pitch};
  }
};

/// Runs an operator and the only operator that reads its output as one: the second takes each tile of the output on the
/// thread that has just computed it, so that the output is never stored as a whole. What the second computes from a
/// tile does not depend on where tiles begin.
class Fusion {
 public:
  /// The tiles of the second operator's input `input`. `first` runs the first operator; with null it fills its output.
  Fusion(std::size_t input, std::function<void(Fusion*)> first) : input_(input), first_(std::move(first)) {}

  [[nodiscard]] std::size_t input() const { return input_; }

  /// For the second operator, once: runs the first, which calls `take` from several threads for tiles that together are
  /// its output; or false, and the output is stored as a whole.
  [[nodiscard]] bool run(FunctionRef<void(const Tile&)> take);
  /// Runs the first operator unless it has run.
  void finish();

  /// For the first operator: announces that it passes all of its output in tiles, and passes one.
  void start() { produces_tiles_ = true; }
  [[nodiscard]] bool produces_tiles() const { return produces_tiles_; }
  void pass_tile(Tile tile) const;

 private:
  std::size_t input_;
  std::function<void(Fusion*)> first_;
  const FunctionRef<void(const Tile&)>* take_ = nullptr;
  bool has_run_ = false, produces_tiles_ = false;
};

/// Elements that threads of an operator begin at multiples of, if it does not matter to the operator.
inline constexpr std::size_t kTileStep = 64;

/// For operators that compute every element of their output from the elements at its place: calls compute(tile, to,
/// pitch) for tiles that together are the input that is computed in tiles, or else the first input; the results of a
/// tile are written to `to`, in rows `pitch` elements apart. Threads get at least `least` times `unit` elements and
/// begin at multiples of `unit`.
void for_each_tile(const Call& call, std::size_t unit, std::size_t least,
                   FunctionRef<void(const Tile&, std::byte* to, std::size_t pitch)> compute);

}  // namespace macaw::tosa
