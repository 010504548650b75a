#pragma once
#include <macaw/npu/operation_details.hpp>
#include <macaw/npu/pmu.hpp>
#include <macaw/npu/simulator.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace macaw::npu {

struct TimedOptions {
  std::string system = {};       ///< a name of configs/systems or `vela_config`, or a .toml path; empty: by accelerator
  std::string memory_mode = {};  ///< Vela's name ("Shared_Sram"); empty: the system's default
  std::string vela_config = {};  ///< a Vela ini whose systems and memory modes can be named as well
  bool timing_adapter = true;    ///< false: ideal memory behind both sides
  std::vector<std::pair<std::string, double>> params =
      {};                  ///< constants of `macaw list params` and memory fields ("axi0.read_latency") to override
  bool values = true;      ///< false: time only, no tensor arithmetic, no outputs
  bool blocks = false;     ///< fill OperationTiming::blocks
  bool movements = false;  ///< fill OperationTiming::macs and memory
  std::size_t activity_spans =
      0;  ///< fill TimedResult::activity, with about this many spans per unit; 0: leave it empty
  FunctionalOptions functional = {};
  std::uint64_t max_cycles = 10'000'000'000;    ///< per command stream
  std::filesystem::path vcd = {};               ///< waveform file to write, replacing an existing one; empty: none
  std::uint64_t max_vcd_bytes = 4'000'000'000;  ///< a longer waveform is an error
  std::function<void(std::uint64_t)> progress =
      {};  ///< called from time to time with the cycles simulated since the last call
};

/// Cycles by unit; units overlap. docs/TIMING_MODEL.md (Times of units and operations) compares them with the counters.
using UnitCycles = std::vector<std::pair<std::string, std::uint64_t>>;

/// One OFM block of an operation, in order of completion.
struct BlockTiming {
  std::uint64_t start = 0;  ///< first fetch
  std::uint64_t end = 0;    ///< last write response
  UnitCycles busy;          ///< as OperationTiming::busy
  std::string bound;
};

/// Bus traffic of an operation for one purpose ("ifm", "ifm2", "weights", "scales", "ofm"; for a DMA job "source",
/// "indices", "destination").
struct Movement {
  std::string purpose;
  int region = 0;                     ///< -1: inside the NPU
  std::uint64_t bytes = 0;            ///< whole beats; repeated reads count each time
  std::uint64_t first = 0, last = 0;  ///< bytes of the region, ends included
  bool write = false;
};

/// The cycles of a run that are charged to an operation. Each cycle is charged to one operation, so that the charged
/// cycles of all operations sum to those of the run. An operation is in progress from OperationTiming::start to end.
struct ExclusiveCycles {
  std::uint64_t working = 0;  ///< cycles in which the operation was the earliest issued one of those in progress
  std::uint64_t waiting =
      0;  ///< cycles in which no operation was in progress, before this one began or after the last one ended

  [[nodiscard]] std::uint64_t cycles() const { return working + waiting; }
};

/// One operation of a command stream. Times are in NPU cycles from the start of the run. Members have the names of
/// report.json (workflow/run/record_fields.hpp).
struct OperationTiming {
  std::size_t step = 0;       ///< index of the command stream in Artifact::steps
  std::uint32_t command = 0;  ///< position in its stream, counting register writes
  std::uint32_t offset = 0;   ///< of the command in its stream, in bytes
  std::string name;           ///< "NPU_OP_CONV"
  /// Kind of work that determines the timing: "convolution", "pooling, upscaled", "elementwise of 32 bits", "DMA".
  std::string work;
  std::uint64_t issued = 0;  ///< left the command processor
  std::uint64_t start = 0;   ///< first fetch
  std::uint64_t end = 0;     ///< last write response
  /// "mac", "weight_decoder", "output_unit": the time for which the unit works on the operation; "ifm_read" and
  /// "weight_read" (from a request to its last address, and waiting for stream data), "ofm_write"; "dependency"
  /// (waiting for writes of the operation before it, which had computed everything); "command_processor" (idle until
  /// the operation was issued). A DMA job has "dma".
  UnitCycles busy;
  /// The unit with the most `busy` cycles; a read or write unit is named by its port: "axi0", "axi1", on U85 "sram",
  /// "ext".
  std::string bound;
  std::vector<BlockTiming> blocks;  ///< if TimedOptions::blocks
  /// From a debug database, if it states them: the source operator as text, its kind ("Conv2D") and the height, width
  /// and channels of its result; the operator that Vela scheduled for it.
  std::string source, kind;
  std::optional<std::array<int, 3>> shape;
  struct Scheduled {
    std::int64_t id = 0;
    std::string kind, name;
  };
  std::optional<Scheduled> scheduled;
  std::uint64_t macs = 0;  ///< multiply-accumulates of a convolution or matrix product; if TimedOptions::movements
  int mac_bits = 0;        ///< bits of the IFM elements that they multiply; 0: no multiply-accumulates
  std::vector<Movement> memory;  ///< if TimedOptions::movements
  /// Chain buffers of U85, which pass feature maps between operations without memory: those that it reads and the one
  /// that it fills; if TimedOptions::movements.
  std::vector<int> chain_reads;
  std::optional<int> chain_write;
  ExclusiveCycles exclusive;                ///< set in a RunRecord
  std::optional<OperationDetails> details;  ///< for a block operation; if TimedOptions::movements

  [[nodiscard]] std::uint64_t cycles() const { return end - start; }
  [[nodiscard]] bool is_dma() const { return name == "NPU_OP_DMA_START"; }
};

/// A unit's work on one operation; pauses up to UnitActivity::resolution are merged into it.
struct ActivitySpan {
  std::uint32_t command = 0;         ///< in its stream, as OperationTiming::command
  std::uint64_t start = 0, end = 0;  ///< ticks from the start of the run
  std::uint64_t busy = 0;            ///< ticks without the pauses
};

/// Intervals in which a unit worked on a command stream, in order; those of a waveform's UNIT.busy. The spans of the
/// MAC array, the output unit and the weight decoder add up to MAC_ACTIVE, AO_ACTIVE and WD_ACTIVE; on U85 MAC_ACTIVE
/// also includes the cycles in which the array passes operands on to the output unit, which have no spans.
struct UnitActivity {
  std::size_t step = 0;          ///< index of the command stream in Artifact::steps
  std::string unit;              ///< "mac_array", "ifm_loader", ...
  std::uint64_t resolution = 0;  ///< ticks of the longest pause inside a span; 0: no intervals were merged
  std::vector<ActivitySpan> spans;
};
inline constexpr std::uint64_t kTicksPerCycle = 1000;

/// Relative error of NPU_ACTIVE against Arm's virtual platform in the configuration of a run.
struct ErrorBar {
  double mean = 0, worst = 0;
  int networks = 0;  ///< number of networks that were compared
};

/// Prediction interval of NPU_ACTIVE from measurements on the run's system.
struct CyclesInterval {
  std::uint64_t low = 0, high = 0;
  double coverage = 0;  ///< share of unseen runs of this kind that were inside
  std::string basis;    ///< the measurements that it is based on, as text
};

struct TimedResult {
  FunctionalResult values;                 ///< empty if options.values was false
  PmuCounters pmu;                         ///< of all command streams together
  std::uint64_t cycles = 0;                ///< NPU_ACTIVE
  std::optional<ErrorBar> error_bar;       ///< of `cycles`; absent: nothing was measured in this configuration
  std::optional<CyclesInterval> interval;  ///< of `cycles`; absent: `no_interval` states why
  std::string no_interval;
  std::vector<OperationTiming> operations;
  std::vector<UnitActivity> activity;  ///< if TimedOptions::activity_spans
  std::string system, memory_mode;
  double clock_hz = 0;
  /// Sustained bandwidth of the memories of AXI0 (U85: SRAM) and AXI1 (EXT) in one direction, all ports together, in
  /// bytes per cycle.
  std::array<double, 2> bytes_per_cycle{};
  std::array<int, 8> region_side{};  ///< of regions 0 to 7: 0 is AXI0 (U85: SRAM), 1 is AXI1 (EXT)
};

/// Bytes of fast scratch (region 2) that the memory mode of `options` leaves to a compiler beside an arena in slower
/// memory, UINT64_MAX if it states no limit; absent if it does not separate the two. Errors: as run_timed() for an
/// unknown or unfitting system or memory mode.
[[nodiscard]] Result<std::optional<std::uint64_t>> fast_memory(const Accelerator& accelerator,
                                                               const TimedOptions& options);

/// Runs a compiled network with time: values as run_functional() computes them, cycles and transactions from the
/// SystemC model. Only one run or device of a process is simulated at a time: a run in another thread waits until this
/// one has ended.
///
/// Errors: those of run_functional(); kUsage (unknown parameter, system or memory mode), kMismatch (a system made for
/// other accelerators), kUnsupported (no timed model of the accelerator, more than max_cycles).
[[nodiscard]] Result<TimedResult> run_timed(const Artifact& artifact, const Accelerator& accelerator,
                                            std::span<const NamedTensor> inputs, const TimedOptions& options = {});

}  // namespace macaw::npu
