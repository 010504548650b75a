#pragma once
#include "sim/datapath/weight_stream_bits.hpp"
#include "sim/datapath/weight_stream_steps.hpp"

#include <cstddef>
#include <cstdint>

// Vectorised decoding of the middle of a slice of a standard weight stream (u55_u65 4.1): chunks of a unary part that
// do not end the slice or the stream, and whose indices stand for weights for any remainders.
namespace macaw::npu::weight_stream {

/// How the indices of a slice are coded, with quotients that are not truncated, and the weights that they stand for.
struct IndexCode {
  int wdiv;
  std::size_t quotients_known;  ///< each index with a smaller quotient stands for a weight
  int palette_size;
  int direct;                   ///< index + direct is the folded value of indices beyond the palette
  const std::int16_t* palette;  ///< kMaxPalette weights, of which `palette_size` count
};

/// Decoding position among the weights of a slice, after a chunk.
struct WeightsRead {
  ByteChunk quotients;           ///< the last chunk, whose remainders come next
  unsigned pending = 0;          ///< partial count of a quotient that is not complete
  int left = 0;                  ///< weights of later chunks
  std::int16_t* next = nullptr;  ///< destination of the weights of `quotients`
};
/// Decoding position among the zero runs of a slice, after the same chunk.
struct RunsRead {
  ByteChunk quotients;
  unsigned pending = 0;
  int left = 0;
  unsigned* next = nullptr;
  int zdiv = 0;
  int balance = 0;  ///< weights minus zero runs, including the last chunk's
};

/// Number of weights that are written beyond the last one of a chunk, to be overwritten later.
inline constexpr int kSpareWeights = 16;

/// Decodes chunks of a slice without zero runs as long as at least kSpareWeights are left.
void take_chunks(const IndexCode& code, BitReader& bits, WeightsRead& weights);

/// Decodes chunks of a slice with zero runs as long as more weights and more runs are left than a chunk has. The buffer
/// must have room for kSpareWeights behind the last weight of the slice.
void take_chunks(const IndexCode& code, BitReader& bits, WeightsRead& weights, RunsRead& runs);

}  // namespace macaw::npu::weight_stream
