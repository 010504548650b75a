#pragma once
#include <macaw/npu/inference.hpp>
#include <macaw/npu/prepared_network.hpp>
#include <macaw/npu/timed_simulator.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// A run of a compiled network. The program, the Python module, the device libraries, studies and goldens all execute
// networks through this file.
namespace macaw::npu {

enum class RunMode : std::uint8_t {
  kFunctional,  ///< values without time
  kTimed,       ///< values and time
  kTiming,      ///< time without values
};
[[nodiscard]] std::string_view to_string(RunMode mode);
[[nodiscard]] std::optional<RunMode> find_run_mode(std::string_view name);

/// Everything that determines a run. Artifact, accelerator and inputs must outlive the call.
struct RunSpec {
  const Artifact& artifact;
  const Accelerator& accelerator;
  std::span<const NamedTensor> inputs = {};
  RunMode mode = RunMode::kTimed;
  /// Configuration, limits, observers and what to record. `values` is set by the mode; host operators default to
  /// tflite::host_operators(); `progress` is called with cycles, in functional mode with operations.
  TimedOptions options = {};
  unsigned steps =
      1;  ///< number of runs with the same inputs; each continues with the variables that the run before it left
  std::vector<std::string> events = {};  ///< PMU events to count: names or numbers of `macaw list events`
};

/// "output_0.npy", "output_1.npy", ...
[[nodiscard]] std::string output_file(std::size_t index);

/// An output of a run and the name of its file.
struct RunOutput {
  std::string name, file;
  Shape shape;
  DType dtype{};
  std::uint32_t crc32 = 0;
};

/// An operator that is left to the CPU.
struct HostStep {
  std::size_t step = 0;  ///< index in Artifact::steps
  std::uint64_t index = 0;
  std::string name;
  std::int64_t elements = 0;                             ///< of its results
  std::vector<TensorBinding> inputs = {}, outputs = {};  ///< without absent ones
  std::uint64_t macs = 0;                                ///< multiply-accumulates, from the shapes
};

/// In order of the steps.
[[nodiscard]] std::vector<HostStep> host_steps(const Artifact& artifact);

/// A counter of the performance monitor after a run.
struct PmuCounter {
  std::string event;  ///< by the driver's name without prefix, "MAC_ACTIVE"
  unsigned number = 0;
  std::optional<std::uint32_t> value;  ///< absent: the model does not count the event
  bool overflow = false;               ///< the 32-bit counter wrapped
};

/// Origin of a run, so that its report can be reproduced and assessed. Empty members are unknown.
struct RunOrigin {
  std::string version;                 ///< of Macaw, as --version prints it
  int timing_model = 0;                ///< version of the timing model; 0: not known
  std::string command;                 ///< command that repeats the run; the network is named without its folder
  std::uint64_t artifact_bytes = 0;    ///< size of the compiled network's file
  std::uint32_t artifact_crc32 = 0;    ///< of that file
  std::string system_confidence;       ///< SystemConfig::confidence: "exact", "vendor", "fitted", "assumed"
  std::string system_source;           ///< file that defines the system
  std::string system_checked_against;  ///< measurements that the system was compared with, as text
};

/// A variant of a run with one change.
struct Advice {
  std::string kind;     ///< what is changed: "memory", or "compute" of the NPU itself
  std::string change;   ///< in words
  std::string command;  ///< command that repeats the changed run
  std::uint64_t cycles = 0;
};

/// How well the steps of a sequence predicted the given classes.
struct SequenceScore {
  std::uint64_t classes = 0;           ///< number of scored classes, at least one
  double negative_log_likelihood = 0;  ///< natural logarithm, mean of all classes
  double perplexity = 0;               ///< its exponential
  std::uint64_t top1 = 0;              ///< classes that had the highest score
};
/// "negative log-likelihood 1.2040, perplexity 3.333, top-1 50.00 % (1 of 2)"
[[nodiscard]] std::string to_string(const SequenceScore& score);

/// Cycles of the steps of a sequence.
struct SequenceCycles {
  std::uint64_t min = 0, median = 0, max = 0;  ///< for an even number of steps, the lower of the two
  double trend = 0;                            ///< additional cycles per step, by least squares
  std::vector<std::uint64_t> steps = {};
};

/// Range of the energy of a sequence's mean step, in joules.
struct SequenceEnergy {
  double low = 0, high = 0;
  std::vector<std::string> left_out = {};  ///< events of the steps that the table does not cover, as text
};

/// A network that is run step after step. The other members of its RunRecord are those of the last step that was run
/// with time.
struct Sequence {
  std::uint64_t steps = 0;
  std::uint64_t host_operators = 0;      ///< operators per step that are left to the CPU
  std::optional<SequenceCycles> cycles;  ///< absent: a functional run
  /// Predicted, including the CPU's part; absent for a functional run, or if the cost of a CPU operator is unknown.
  std::optional<double> steps_per_second;
  std::optional<SequenceEnergy> energy;  ///< absent: no table was given
  std::optional<SequenceScore> score;    ///< absent: no classes were given
};

/// The record of a run: report.json, whose members are described in workflow/run/record_fields.hpp, and the output
/// tensors. The units of operations are sorted by name.
struct RunRecord : TimedResult {
  std::string network;  ///< file name without folder, so that reports do not depend on their location
  const Accelerator* accelerator = nullptr;
  RunMode mode = RunMode::kTimed;
  bool timing_adapter = true;
  std::vector<RunOutput> outputs;  ///< empty in timing mode
  std::vector<HostStep> host_operators;
  std::vector<PmuCounter> counters;  ///< of RunSpec::events
  std::vector<Finding> findings;     ///< as the caller collected them
  /// Changes of the system that would make the run faster; absent: not computed.
  std::optional<std::vector<Advice>> advice;
  std::optional<RunOrigin> origin;
  std::optional<Inference> inference;  ///< whole inference with the CPU's part; absent: not predicted
  std::optional<Sequence> sequence;    ///< absent: a run of one step

  /// "predicted; 90 % interval 35000 to 37000, basis: ...", or why there is no interval.
  [[nodiscard]] std::string accuracy() const;
  [[nodiscard]] double seconds() const { return static_cast<double>(cycles) / clock_hz; }
  [[nodiscard]] std::uint64_t macs() const;
  /// "axi0", "axi1"; on U85 "sram", "ext".
  [[nodiscard]] std::string_view side_name(int side) const;
  /// Bytes transferred over the bus, by side and direction.
  [[nodiscard]] std::uint64_t bytes(int side, bool write) const;
};

/// Runs a network as the spec states and returns the record, of several steps the last one's. An Interruption of this
/// thread ends it early. Functional runs fill only `values` of the record's TimedResult. Findings are reported in the
/// first step, since they are the same in every step.
///
/// Errors: those of run_functional() and run_timed(); kUsage for `events` that the accelerator does not count.
[[nodiscard]] Result<RunRecord> execute(const RunSpec& spec);

/// Runs a prepared network once, without time; any number of threads may do so. Host operators are
/// tflite::host_operators() unless others are given.
[[nodiscard]] Result<FunctionalResult> execute(const PreparedNetwork& network, std::span<const NamedTensor> inputs,
                                               FunctionalOptions options = {});

}  // namespace macaw::npu
