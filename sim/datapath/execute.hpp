#pragma once
#include "sim/datapath/execution.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/memory.hpp"
#include "sim/datapath/output_rows.hpp"

#include <optional>

namespace macaw::npu {

/// Accesses of an operation as byte ranges of the regions named in it. Absent: no such operand.
struct Footprint {
  std::optional<ByteRange> ifm, ifm2, ofm;
};

/// Computes one block operation, values only: reads its operands from `memory` and writes its OFM there. Anything that
/// the hardware would fault on, or that Macaw does not do, is an error; memory is unchanged then, but for a part of the
/// OFM at most.
[[nodiscard]] Result<Footprint> execute(const BlockOperation& operation, const Accelerator& accelerator,
                                        const MemoryMap& memory, const Execution& execution = {});

/// The values of one block operation before they reach its OFM; nothing is written. kUnsupported if it continues
/// accumulators that an earlier operation kept.
[[nodiscard]] Result<Stages> stages(const BlockOperation& operation, const Accelerator& accelerator,
                                    const MemoryMap& memory);

/// Errors that execute() would report, as far as that follows from the registers and the sizes of the regions. Chained
/// maps and contents of streams are not looked at.
[[nodiscard]] Result<void> check_addresses(const BlockOperation& operation, const Accelerator& accelerator,
                                           const MemoryMap& memory);

/// Whether the operation reads IFM: not if it is a scalar or if accumulators pass through.
[[nodiscard]] bool reads_ifm(const BlockOperation& operation);

/// Whether the operation reads IFM2 as a feature map.
[[nodiscard]] bool reads_ifm2(const BlockOperation& operation);

/// Multiply-accumulates, or elements where there are none, that an operation computes; saturates at 2^63-1.
[[nodiscard]] std::int64_t work(const BlockOperation& operation);

}  // namespace macaw::npu
