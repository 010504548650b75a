#pragma once
#include "sim/functional/findings/access.hpp"

#include <cstdint>
#include <optional>

namespace macaw::npu {

/// A block that may read what the operation before it has not written yet.
struct BlockConflict {
  std::uint64_t step = 0;    ///< IFM block of the operation, counted from 0
  std::uint64_t block = 0;   ///< OFM block of the operation before, counted from 0
  std::uint64_t blocks = 0;  ///< that the operation before has
  MemoryRange range;
};

/// Whether BLOCKDEP b of `operation` covers its reads of the OFM of `previous`: its IFM block i may be read while the
/// last b - i OFM blocks of the operation before are not finished (Vela ethosu/vela/register_command_stream_util.py
/// calc_blockdep; u55_u65 6.6). Nothing if it does, and for operations that cannot be walked.
[[nodiscard]] std::optional<BlockConflict> uncovered_dependency(const BlockOperation& previous,
                                                                const BlockOperation& operation,
                                                                const Accelerator& accelerator,
                                                                const RegionLayout& layout);

}  // namespace macaw::npu
