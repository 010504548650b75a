#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace macaw::npu {

/// Buffers that pass a result from one operation to a later one of its chain (u85 6.8). OFM_REGION has three bits.
inline constexpr std::size_t kChainBuffers = 8;

/// A whole OFM that is not written to memory: dense elements [h][w][c]. Empty until an operation writes it.
struct ChainBuffer {
  int h = 0, w = 0, c = 0;
  int bits = 8;
  std::vector<std::uint8_t> bytes;
};

/// State that a U85 keeps between operations of a job, in addition to its LUT RAM.
struct CoreState {
  std::array<ChainBuffer, kChainBuffers> chain;

  /// Accumulators [h][w][c] of an operation with acc_output DISABLE, without bias.
  struct Accumulators {
    int h = 0, w = 0, c = 0;
    std::vector<std::int64_t> values;
  } accumulators;

  /// COND_STATUS.result_flag: bit 0 of the last OFM element of the last operation.
  bool result_flag = false;
};

}  // namespace macaw::npu
