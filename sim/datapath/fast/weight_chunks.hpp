#pragma once
#include "sim/datapath/weight_stream_bits.hpp"
#include "sim/datapath/weight_stream_steps.hpp"

#include <cstddef>
#include <cstdint>

// The middle of a slice of a standard weight stream (u55_u65 4.1) in vector lanes: chunks of a unary part that end
// neither the slice nor the stream, and whose indices stand for weights whatever their remainders are.
namespace macaw::npu::weight_stream {

/// How the indices of a slice are written, with quotients that are not truncated, and what they stand for.
struct IndexCode {
  int wdiv;
  std::size_t quotients_known;  ///< each index with a smaller quotient stands for a weight
  int palette_size;
  int direct;                   ///< index + direct is the folded value of indices beyond the palette
  const std::int16_t* palette;  ///< kMaxPalette weights, of which `palette_size` count
};

/// Weights of a slice up to a chunk.
struct WeightsRead {
  ByteChunk quotients;           ///< the last chunk, whose remainders come next
  unsigned pending = 0;          ///< what has been counted of a quotient that is not complete
  int left = 0;                  ///< weights of later chunks
  std::int16_t* next = nullptr;  ///< where the weights of `quotients` go
};
/// The zero runs of a slice up to the same chunk.
struct RunsRead {
  ByteChunk quotients;
  unsigned pending = 0;
  int left = 0;
  unsigned* next = nullptr;
  int zdiv = 0;
  int balance = 0;  ///< weights less zero runs, the last chunk's with them
};

/// Weights that are written beyond the last one of a chunk, to be written again.
inline constexpr int kSpareWeights = 16;

/// Takes chunks of a slice without zero runs as long as at least kSpareWeights are left.
void take_chunks(const IndexCode& code, BitReader& bits, WeightsRead& weights);

/// Takes chunks of a slice with zero runs as long as more are left of both than a chunk has; behind the last weight of
/// the slice is room for kSpareWeights.
void take_chunks(const IndexCode& code, BitReader& bits, WeightsRead& weights, RunsRead& runs);

}  // namespace macaw::npu::weight_stream
