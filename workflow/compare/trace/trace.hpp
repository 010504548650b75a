#pragma once
#include <macaw/npu/operation.hpp>
#include <macaw/npu/simulator.hpp>

#include "sim/datapath/scale_stream.hpp"
#include "workflow/compare/trace/host_calls.hpp"
#include "workflow/compare/trace/intermediate_values.hpp"
#include "workflow/compare/trace/last_writers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace macaw::compare {

/// Where a tensor of the network lies.
[[nodiscard]] Span span_of(const npu::TensorBinding& tensor);

/// Decoded inputs of an operation besides feature maps.
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
  std::array<Span, 2> read;               ///< IFM and IFM2; memory -1: none that lies in memory
  std::vector<std::size_t> producers;     ///< records whose bytes it reads, by number
  std::vector<std::size_t> inputs;        ///< network inputs whose bytes it reads, by number
  std::vector<std::size_t> host_outputs;  ///< of operators of the CPU, counted over all of Trace::host_calls
  // Bytes that it wrote and that are never read; 0 if operators of the CPU may read them.
  std::uint64_t unread = 0, overwritten = 0;
};

struct Trace {
  std::vector<Record> records;
  std::vector<Tensor> outputs;  ///< of the network
  std::vector<HostCall> host_calls;
};

/// The elements that a block operation has written, as Record::contents has them; empty if nothing keeps them.
[[nodiscard]] std::vector<std::byte> written_elements(const npu::OperationEvent& event);

/// Called with the number of a record that is about to be executed.
using RecordValueSink = std::function<void(std::size_t record, const IntermediateValues& values)>;

/// Runs the network and keeps what every operation wrote, as a sequence of elements whatever the layout; with
/// `constants` also what it read of weights, scales and tables. DMA jobs are looked through.
/// `values`: takes what passes through the operations. Errors: those of run_functional.
[[nodiscard]] Result<Trace> trace_program(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                          const std::vector<npu::NamedTensor>& inputs, bool constants,
                                          const RecordValueSink& values = {});

}  // namespace macaw::compare
