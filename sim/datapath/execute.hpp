#pragma once
#include "sim/datapath/execution.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/memory.hpp"
#include "sim/datapath/output_rows.hpp"

#include <optional>

namespace macaw::npu {

/// Byte ranges that an operation accesses, in the regions that it names. Absent: the operation has no such operand.
struct Footprint {
  std::optional<ByteRange> ifm, ifm2, ofm;
};

/// Computes the values of one block operation: reads its operands from `memory` and writes its OFM there. Operations
/// that the hardware would fault on, or that Macaw does not implement, are errors; memory is then unchanged except for
/// a part of the OFM at most.
[[nodiscard]] Result<Footprint> execute(const BlockOperation& operation, const Accelerator& accelerator,
                                        const MemoryMap& memory, const Execution& execution = {});

/// Returns the intermediate values of one block operation; nothing is written. kUnsupported if it continues
/// accumulators that an earlier operation kept.
[[nodiscard]] Result<Stages> stages(const BlockOperation& operation, const Accelerator& accelerator,
                                    const MemoryMap& memory);

/// Reports the errors of execute() that follow from the registers and the sizes of the regions. Chained maps and
/// contents of streams are not checked.
[[nodiscard]] Result<void> check_addresses(const BlockOperation& operation, const Accelerator& accelerator,
                                           const MemoryMap& memory);

/// Whether the operation reads IFM; false if it is a scalar or if accumulators pass through.
[[nodiscard]] bool reads_ifm(const BlockOperation& operation);

/// Whether the operation reads IFM2 as a feature map.
[[nodiscard]] bool reads_ifm2(const BlockOperation& operation);

/// Number of multiply-accumulates of an operation, or of elements if it has none; saturates at 2^63-1.
[[nodiscard]] std::int64_t work(const BlockOperation& operation);

}  // namespace macaw::npu
