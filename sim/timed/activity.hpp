#pragma once
#include "sim/timed/ticks.hpp"

#include <string>
#include <vector>

namespace macaw::npu::timed {

/// Records whether a unit works, and on which operation. Part of the unit's module; shown in waveforms as UNIT.busy and
/// UNIT.operation, and the times can be kept.
class Activity : public sc_core::sc_object {
 public:
  /// Work on one operation without a pause longer than resolution().
  struct Span {
    std::uint32_t command = 0;  ///< index in the command stream
    Ticks start{}, end{};
    Ticks busy{};  ///< without the pauses
  };

  Activity() : sc_core::sc_object("activity") {}

  /// `command`: index in the command stream. Ends the previous work.
  void begin(std::size_t command) { begin(command, now()); }
  void end() { end(now()); }
  /// At times that have passed or, where processes may run ahead, are still to come.
  void begin(std::size_t command, Ticks at);
  void end(Ticks at);

  /// Keeps spans from now on: at most twice `most`, or one for every run of work on one operation if there are more of
  /// those. If there are too many spans, pauses within an operation are merged into its work, short ones first.
  void record(std::size_t most);
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
  /// The longest pause inside a span.
  [[nodiscard]] Ticks resolution() const { return resolution_; }
  /// Name of the module that contains it.
  [[nodiscard]] std::string unit() const { return get_parent_object()->basename(); }

  void trace(sc_core::sc_trace_file* file) const override;

 private:
  void keep(const Span& span);
  /// Merges adjacent spans until at most half of limit_ are left, or raises limit_.
  void thin_out();

  bool busy_ = false;
  std::uint32_t operation_ = 0;  ///< the latest
  Ticks since_;
  std::size_t limit_ = 0;  ///< maximum number of spans before some are merged; 0: not recorded
  Ticks resolution_;
  std::vector<Span> spans_;
};

/// The activities of all modules at and below `object`, in order of construction.
[[nodiscard]] std::vector<Activity*> activities(const sc_core::sc_object& object);

}  // namespace macaw::npu::timed
