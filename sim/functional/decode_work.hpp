#pragma once
#include "sim/datapath/weight_stream.hpp"
#include "sim/functional/streams.hpp"

#include <map>

namespace macaw::npu {

/// By number of the command: the weight streams of an operation, one of each decoder.
using DecodeWork = std::map<std::size_t, std::vector<WeightStreamSize>>;

/// The work of the weight decoders for the operations of an artifact, by index of the step. The same for every way
/// of running it: its DMA jobs are made and nothing else is computed, so that constants that are copied before they are
/// used are found where they are copied to. Operations are left out whose streams cannot be decoded, that read no
/// standard stream, or that come after kMostDecodedBytes of streams and copies. Errors: those of Machine::create() and
/// Machine::start(), and an interruption.
[[nodiscard]] Result<std::vector<DecodeWork>> decode_work(const Artifact& artifact, const Accelerator& accelerator,
                                                          const ParsedStreams& streams);

/// Bytes of streams and copies that decode_work() goes through, so that its time is bounded.
inline constexpr std::uint64_t kMostDecodedBytes = std::uint64_t{1} << 29;

}  // namespace macaw::npu
