#pragma once

// Constants of the standard weight stream (u55_u65 4.1), shared by decoder and encoder.
namespace macaw::npu::weight_stream {

inline constexpr int kZdivBits = 3, kSliceLengthBits = 15, kWdivBits = 3;
inline constexpr int kZdivNone = 6;         ///< no zero runs in the slice
inline constexpr int kZdivEndOfStream = 7;  ///< filler up to the next byte
inline constexpr int kMaxZdiv = 3;
inline constexpr int kWdivRaw = 7;  ///< fixed-width indices
inline constexpr int kMaxWdiv = 5;
inline constexpr int kDirofsBits = 5, kPalsizeBits = 5, kPalbitsBits = 3;
inline constexpr int kMinPalbits = 2;
inline constexpr int kMaxPalette = 32;
inline constexpr int kMaxSlice = 1 << kSliceLengthBits;
inline constexpr int kMaxFolded = 511;   ///< folded value of -255
inline constexpr int kBalanceLimit = 8;  ///< maximum lead of weights over their zero runs
inline constexpr int kUnaryBits = 12;

constexpr int zero_unary_bits(int zdiv) { return zdiv < 3 ? 12 : 8; }
constexpr int raw_chunk(int width) { return width > 5 ? 8 : 12; }

/// Sign in the lowest bit, magnitude above.
constexpr int unfold(int folded) { return (folded & 1) ? -(folded >> 1) : folded >> 1; }
constexpr int fold(int weight) { return weight < 0 ? (-weight << 1) | 1 : weight << 1; }

/// Width of a raw index.
constexpr int raw_width(int palsize, int palbits) {
  if (palsize == 0) return palbits;
  int width = 0;
  while ((1 << width) < palsize) ++width;
  return width;
}

}  // namespace macaw::npu::weight_stream
