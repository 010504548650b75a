#pragma once
#include "sim/functional/findings/access.hpp"

#include <cstdint>
#include <optional>

namespace macaw::npu {

/// A block that may read data which the previous operation has not written yet.
struct BlockConflict {
  std::uint64_t step = 0;    ///< IFM block of the operation, counted from 0
  std::uint64_t block = 0;   ///< OFM block of the previous operation, counted from 0
  std::uint64_t blocks = 0;  ///< number of OFM blocks of the previous operation
  MemoryRange range;
};

/// Checks that BLOCKDEP b of `operation` covers its reads of the OFM of `previous`: its IFM block i may be read while
/// the last b - i OFM blocks of the previous operation are not finished (Vela
/// ethosu/vela/register_command_stream_util.py calc_blockdep; u55_u65 6.6). Returns nullopt if it does, and for
/// operations that cannot be walked.
[[nodiscard]] std::optional<BlockConflict> uncovered_dependency(const BlockOperation& previous,
                                                                const BlockOperation& operation,
                                                                const Accelerator& accelerator,
                                                                const RegionLayout& layout);

}  // namespace macaw::npu
