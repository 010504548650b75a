#pragma once
#include <macaw/npu/operation.hpp>
#include <macaw/npu/simulator.hpp>

#include "sim/datapath/scale_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace macaw::compare {

/// Bytes of a memory of the artifact, ends included.
struct Span {
  int memory = -1;
  std::uint64_t first = 0, last = 0;
  [[nodiscard]] bool overlaps(const Span& other) const {
    return memory >= 0 && memory == other.memory && first <= other.last && other.first <= last;
  }
};

/// Where a tensor of the network lies.
[[nodiscard]] Span span_of(const npu::TensorBinding& tensor);

/// What an operation reads beside feature maps, decoded.
struct RecordConstants {
  std::vector<std::int16_t> weights;  ///< OHWI, or [channel][taps] of a depthwise operation
  std::vector<npu::ChannelScale> scales;
  std::vector<std::byte> table;  ///< of the activation, as it lies in the NPU's own memory
};

/// A block operation of a run, and what it wrote.
struct Record {
  std::size_t step = 0;
  std::uint32_t command = 0, offset = 0;  ///< number of the command, its byte in the stream
  std::string name;                       ///< "NPU_OP_CONV"
  npu::BlockOperation operation;          ///< every register that it looks at
  RecordConstants constants;              ///< empty unless they were asked for
  int h = 0, w = 0, c = 0, bytes = 1;     ///< of the OFM as it lies in memory
  std::vector<std::byte> contents;        ///< in NHWC order, little-endian
  Span written;
  std::vector<Span> read;              ///< feature maps, or the source of a DMA job
  std::vector<std::size_t> producers;  ///< records whose bytes it reads, by number
  std::vector<std::size_t> inputs;     ///< network inputs whose bytes it reads, by number
};

struct Trace {
  std::vector<Record> records;
  std::vector<Tensor> outputs;  ///< of the network
};

/// Runs the network and keeps what every operation wrote, as a sequence of elements whatever the layout; with
/// `constants` also what it read of weights, scales and tables. DMA jobs are looked through. Errors: those of
/// run_functional.
[[nodiscard]] Result<Trace> trace_program(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                          const std::vector<npu::NamedTensor>& inputs, bool constants);

}  // namespace macaw::compare
