#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/npu/finding.hpp>
#include <macaw/npu/operation.hpp>
#include <macaw/tensor.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace macaw::npu {

struct MemoryMap;  // sim/datapath/memory.hpp

/// An input or a variable. If the name is empty, the position in the list identifies it.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Data about an executed operation, passed to observers.
struct OperationEvent {
  std::size_t step = 0;             ///< index of the command stream in Artifact::steps
  std::uint32_t command_index = 0;  ///< position in its stream, counting register writes
  std::uint32_t byte_offset = 0;
  std::variant<const BlockOperation*, const DmaOperation*> operation;
  MemoryRange written;                  ///< memory -1: nothing outside the NPU
  std::span<const std::uint8_t> bytes;  ///< the contents of `written`
  const MemoryMap* memory = nullptr;    ///< regions and the NPU's internal memory after the operation
};

class HostOperators;  // macaw/npu/host_operators.hpp

struct FunctionalOptions {
  /// Per run: multiply-accumulates, and everything else that takes time, converted (docs/CLI.md).
  std::int64_t max_work = std::int64_t{1} << 38;
  std::vector<NamedTensor> variables;                   ///< initial state; other variables keep their initial contents
  std::function<void(const OperationEvent&)> observer;  ///< called after each operation, in order
  std::function<void(const OperationEvent&)> before;  ///< called before each block operation; `written` is still empty
  const HostOperators* host = nullptr;                ///< runs operators of the CPU; null: they are an error
  FindingSink findings = {};  ///< receives findings about the streams; without a sink, streams are not checked
  /// Threads that share the rows of large operations, at most 256; 0: one per processor of the machine. The results are
  /// the same bytes for any number, and for plain loops in place of vector code (`scalar`).
  int threads = 1;
  bool scalar = false;
  bool share_all = false;  ///< share even the smallest operations, which makes them slower: for tests
};

struct FunctionalResult {
  std::vector<Tensor> outputs;    ///< in the order of Artifact::outputs
  std::vector<Tensor> variables;  ///< state after the run
  std::uint64_t block_operations = 0, dma_operations = 0;
  std::uint64_t host_operations = 0;  ///< operators that the CPU ran
  std::int64_t work = 0;              ///< work in the units of FunctionalOptions::max_work
};

/// Runs a compiled network without time. Inputs are copied to their places in memory, operations are executed one after
/// the other in program order, and outputs are read back; a tensor whose type the artifact does not state is a signed
/// integer of its element size.
///
/// Errors: kMismatch (accelerator different from the artifact's; an input missing, unknown, or with a wrong element
/// count or size), kHardwareFault (the NPU would stop; the place names stream, command and byte offset), kUnsupported
/// (a CPU operator or a feature that Macaw does not implement, a limit of the options), kInvalidFile (a tensor or
/// region outside its memory).
[[nodiscard]] Result<FunctionalResult> run_functional(const Artifact& artifact, const Accelerator& accelerator,
                                                      std::span<const NamedTensor> inputs,
                                                      const FunctionalOptions& options = {});

/// The findings of run_functional() without inputs, which are assumed to be given. A network without branches is
/// checked without computing it; one with branches runs on inputs of zeros. CPU operators are not run.
[[nodiscard]] Result<void> inspect_streams(const Artifact& artifact, const Accelerator& accelerator,
                                           const FunctionalOptions& options);

}  // namespace macaw::npu
