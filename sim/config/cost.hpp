#pragma once
#include <macaw/npu/accelerator.hpp>

#include <macaw/npu/operation.hpp>
#include "sim/config/params.hpp"

#include <cstdint>
#include <optional>

// Cost of one block, step or burst in NPU cycles, as plain functions of the counts of the block walk. Fractions of a
// cycle are kept because they add up over a network.
namespace macaw::npu {

/// U55/U65: minimum cycles for decoding one weight block: 4 * micro-block depth (timing 3.1).
[[nodiscard]] double weight_block_decode_cycles(const Accelerator& accelerator, const Params& params);

/// U85: weights that the decoders deliver for one position of the OFM blocks in height and width, including zeros of
/// rounded extents; for sparse weights, the half that is in the stream.
[[nodiscard]] std::uint64_t decoded_weights_u85(const BlockOperation& op);
/// U85: decoder cycles per weight, all decoders together. `stream_cycles`: cycles of a whole pass over the longest
/// stream, if its contents are known. IFM2 in place of a stream is read at the rate of the fast format (assumed).
[[nodiscard]] double cycles_per_weight_u85(const BlockOperation& op, const Accelerator& accelerator,
                                           const Params& params, std::optional<double> stream_cycles = {});
/// U85: OFM blocks of the operation's size that the accumulator RAM holds, 1 or 2 (timing 8.3).
[[nodiscard]] int accumulator_buffers_u85(const BlockOperation& op, const Accelerator& accelerator);

/// U55/U65: row of the output unit's throughput table that applies to an operation (timing 1.6). An ADD or SUB that
/// needs no 32-bit rescaling of an operand is assumed to be the simple one (Vela's estimator never selects it).
enum class OutputClass : std::uint8_t {
  kElementwise32Unary,
  kElementwise32Binary,
  kMul32,
  kMulOrAcc40,
  kAddSubSimple,
  kAddSubAdvanced,
  kMaxPool,
  kDefault
};
[[nodiscard]] OutputClass output_class(const BlockOperation& op);
/// The constant that sets the cost of one OFM element in the output unit (timing 1.6).
using OutputCost = double Params::*;
[[nodiscard]] OutputCost output_cost_u65(const BlockOperation& op, const Params& params);
[[nodiscard]] OutputCost output_cost_u85(const BlockOperation& op, const Params& params);
/// The constant for the operation's family.
[[nodiscard]] OutputCost output_cost(const BlockOperation& op, const Params& params);
/// Cycles of the output unit for one OFM element: the value of that constant.
[[nodiscard]] double output_cycles_per_element(const BlockOperation& op, const Params& params);

}  // namespace macaw::npu
