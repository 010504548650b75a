#pragma once
#include <macaw/error.hpp>

#include <macaw/temporary_file.hpp>
#include "sim/timed/ticks.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

// The signals of a waveform. Modules override sc_object::trace(), which is called only with a trace file.
namespace macaw::npu::timed {

/// Number of items of a kind in progress, from spans that are known in advance: the value follows when time reaches
/// them.
class SpanCount : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(SpanCount);
  explicit SpanCount(const sc_core::sc_module_name& name);

  void add(Ticks begin, Ticks end);
  void trace(sc_core::sc_trace_file* file) const override;

 private:
  using Change = std::pair<Ticks, bool>;  ///< when; begins

  void apply();
  void notify_next();

  std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
  sc_core::sc_event next_;
  std::uint32_t value_ = 0;
};

/// A VCD file of the consecutive simulations of a network. It appears under its name when it is complete. Its unit of
/// time is a tick: 1 ns in a viewer is one NPU cycle.
class VcdFile {
 public:
  struct Close {
    void operator()(sc_core::sc_trace_file* file) const;
  };
  /// The trace of one simulation; must be destroyed before the simulation's Context.
  using Trace = std::unique_ptr<sc_core::sc_trace_file, Close>;

  /// kIo if no file can be written there.
  [[nodiscard]] static Result<std::unique_ptr<VcdFile>> create(const std::filesystem::path& file,
                                                               std::uint64_t max_bytes);
  VcdFile(const VcdFile&) = delete;
  VcdFile& operator=(const VcdFile&) = delete;

  /// Traces a simulation that is about to start: `top` and all modules below.
  [[nodiscard]] Trace open(const sc_core::sc_object& top) const;
  /// kUnsupported once the file is longer than `max_bytes`.
  [[nodiscard]] Result<void> check_size() const;
  /// Adds the trace of a finished simulation that started `offset` cycles into the run.
  [[nodiscard]] Result<void> add(Trace trace, Cycles offset);
  [[nodiscard]] Result<void> finish();

 private:
  VcdFile(std::filesystem::path file, std::uint64_t max_bytes, io::TemporaryFile beside);
  /// Trace file of SystemC for the current simulation; SystemC appends ".vcd".
  [[nodiscard]] const std::filesystem::path& part() const { return part_.path(); }
  [[nodiscard]] tl::unexpected<Error> write_error() const;
  bool append(std::istream& in, Ticks offset);

  std::filesystem::path file_;
  std::uint64_t max_bytes_;
  io::TemporaryFile beside_, part_;
  std::ofstream out_;
  Ticks last_;  ///< time of the last line
  bool has_header_ = false;
};

}  // namespace macaw::npu::timed
