#pragma once
#include "sim/timed/axi_port.hpp"
#include "sim/timed/core_config.hpp"

#include <deque>

namespace macaw::npu::timed::u85 {

/// One requester of U85 and its read buffer: a word of the buffer is occupied from its request until it has arrived and
/// was passed on.
class ReadBuffer {
 public:
  ReadBuffer(Master master, double words)
      : master_(master), words_(static_cast<std::uint64_t>(CoreConfig::count(words))) {}

  /// Requests the next `beats` of `cursor`, more than 0. Suspends the caller until there is room for them and the last
  /// address was accepted. Returns when the data will arrive.
  Ticks fetch(AxiMasterInterface& axi, BurstCursor& cursor, Beats beats);
  void restart() {
    held_ = {};
    parts_.clear();
  }

 private:
  struct Part {
    Ticks arrived{};
    Beats beats{};
  };
  Master master_;
  Beats words_, held_;
  std::deque<Part> parts_;
  AxiRequest request_;
};

}  // namespace macaw::npu::timed::u85
