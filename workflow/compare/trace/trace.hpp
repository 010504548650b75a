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

/// The memory range of a tensor of the network.
[[nodiscard]] Span span_of(const npu::TensorBinding& tensor);

/// Decoded inputs of an operation besides feature maps.
struct RecordConstants {
  std::vector<std::int16_t> weights;  ///< OHWI, or [channel][taps] of a depthwise operation
  std::vector<npu::ChannelScale> scales;
  std::vector<std::byte> table;  ///< of the activation, as stored in the NPU's internal memory
};

/// A block operation of a run, and what it wrote.
struct Record {
  std::size_t step = 0;
  std::uint32_t command = 0, offset = 0;  ///< number of the command, its byte in the stream
  std::string name;                       ///< "NPU_OP_CONV"
  npu::BlockOperation operation;          ///< every register that it depends on
  RecordConstants constants;              ///< empty unless requested
  int h = 0, w = 0, c = 0, bytes = 1;     ///< of the OFM as stored in memory
  std::vector<std::byte> contents;        ///< in NHWC order, little-endian
  Span written;
  std::array<Span, 2> read;            ///< IFM and IFM2; memory -1: none that lies in memory
  std::vector<std::size_t> producers;  ///< records whose bytes it reads, by number
  std::vector<std::size_t> inputs;     ///< network inputs whose bytes it reads, by number
  std::vector<std::size_t>
      host_outputs;  ///< outputs of CPU operators that it reads, counted over all of Trace::host_calls
  // Bytes that it wrote and that are never read; 0 if CPU operators may read them.
  std::uint64_t unread = 0, overwritten = 0;
};

struct Trace {
  std::vector<Record> records;
  std::vector<Tensor> outputs;  ///< of the network
  std::vector<HostCall> host_calls;
};

/// The elements that a block operation has written, in the form of Record::contents; empty if they are not kept.
[[nodiscard]] std::vector<std::byte> written_elements(const npu::OperationEvent& event);

/// Called before a record is executed, with its number.
using RecordValueSink = std::function<void(std::size_t record, const IntermediateValues& values)>;

/// Runs the network and records what every operation wrote, as a sequence of elements independent of the layout; with
/// `constants` also the weights, scales and tables that it read. Data moved by DMA jobs is attributed to its original
/// writer. `values`: receives intermediate values. Errors: those of run_functional().
[[nodiscard]] Result<Trace> trace_program(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                          const std::vector<npu::NamedTensor>& inputs, bool constants,
                                          const RecordValueSink& values = {});

}  // namespace macaw::compare
