#pragma once
#include "sim/timed/condition.hpp"
#include "sim/timed/core_config.hpp"
#include "sim/timed/job.hpp"
#include "sim/timed/restartable.hpp"

namespace macaw::npu::timed::u85 {

/// Part of the operands of an elementwise operation on its way to the output unit.
struct OperandPart {
  IfmStepRef step;
  std::uint64_t elements = 0;  ///< OFM elements that can be computed with it and the previous parts
  Beats words{};               ///< of the stream buffer, one per beat
  Ticks ready{};               ///< when it has arrived
  bool last = false;
};

/// Words of the U85 IFM stream buffer: claimed by the loader, released by the output unit. claim() waits until they fit
/// in addition to those held, or until none is held.
class StreamBuffer : public sc_core::sc_module, public Restartable {
 public:
  StreamBuffer(const sc_core::sc_module_name& name, double words)
      : sc_core::sc_module(name), words_(static_cast<std::uint64_t>(CoreConfig::count(words))) {}
  void restart() override { held_ = {}; }
  void claim(Beats words) {
    while (held_ > Beats() && held_ + words > words_) released_.wait();
    held_ += words;
  }
  /// Adds words of the last burst that were not requested.
  void overdraw(Beats words) { held_ += words; }
  void release(Beats words) {
    held_ -= words;
    released_.notify();
  }

 private:
  Beats words_, held_;
  Condition released_;
};

}  // namespace macaw::npu::timed::u85
