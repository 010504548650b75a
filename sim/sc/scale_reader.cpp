#include "sim/sc/scale_reader.hpp"

#include "sim/sc/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::sc {
namespace {

constexpr std::uint64_t kPartBeats = 4;  // a burst of 64 bytes

}  // namespace

ScaleReader::ScaleReader(const sc_core::sc_module_name& name, const CoreConfig& config)
    : sc_core::sc_module(name),
      axi("axi", 2),
      config_(config),
      buffer_(Master::kScale, config.params.read_buffer_scales) {
  SC_THREAD(run);
}

void ScaleReader::run() {
  const auto beat = static_cast<unsigned>(config_.accelerator.beat_bytes);
  for (;;) {
    const JobRef job = blocks->read();
    const TransferList& transfers = job->block.scales;
    AxiMasterInterface& port = *axi[static_cast<std::size_t>(config_.side(transfers[0]))].operator->();
    BurstCursor cursor;
    start_cursor(cursor, config_, {transfers.begin(), transfers.size()});
    Ticks arrived = now();
    for (const std::uint64_t beats = transfers.beats(beat); cursor.beats() < beats;)
      arrived = std::max(arrived, buffer_.fetch(port, cursor, std::min(kPartBeats, beats - cursor.beats())));
    scales->write(arrived);
  }
}

}  // namespace macaw::npu::sc
