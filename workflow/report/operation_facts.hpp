#pragma once
#include <macaw/npu/accelerator.hpp>
#include <macaw/npu/artifact.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace macaw::report {

/// What an operation moves for one purpose ("ifm", "ifm2", "weights", "scales", "ofm", "source", "destination").
struct Movement {
  std::string purpose;
  int region = 0;                     ///< -1: inside the NPU
  std::uint64_t bytes = 0;            ///< over the bus, whole beats, everything that is read again counted again
  std::uint64_t first = 0, last = 0;  ///< bytes of the region that it lies in, ends included
  bool write = false;
};

/// What the command stream says of an operation, without running it.
struct OperationFacts {
  std::uint32_t offset = 0;  ///< of its command in the stream, bytes
  std::uint64_t macs = 0;    ///< multiply-accumulates of convolutions and matrix products, 0 otherwise
  std::vector<Movement> movements;
};

/// By index of the command stream in Artifact::steps and command index. Errors: those of parse_program.
using FactsByCommand = std::map<std::pair<std::size_t, std::uint32_t>, OperationFacts>;
[[nodiscard]] Result<FactsByCommand> operation_facts(const npu::Artifact& artifact,
                                                     const npu::Accelerator& accelerator);

}  // namespace macaw::report
