#include "compiler/command_writer.hpp"
#include "compiler/emit_block.hpp"
#include "compiler/passes.hpp"

#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/output_rows.hpp"

#include <vector>

namespace macaw::npu {
namespace {

/// A range of one region.
struct Bytes {
  int region = 0;
  ByteRange range;
  [[nodiscard]] bool meets(const Bytes& o) const {
    return region == o.region && range.first < o.range.last && o.range.first < range.last;
  }
};

/// Tensors that an operation reads and writes; the OFM is the last.
Result<std::vector<Bytes>> footprint(const BlockOperation& op) {
  std::vector<Bytes> all;
  const auto add = [&](const FeatureMap& map, std::string_view what) -> Result<void> {
    if (map.h <= 0 || map.w <= 0) return {};
    MACAW_ASSIGN(const auto range, byte_range(map, what));
    all.push_back({map.region, range});
    return {};
  };
  MACAW_CHECK(add(op.ifm, "IFM"));
  if (op.has_ifm2()) MACAW_CHECK(add(op.ifm2, "IFM2"));
  MACAW_CHECK(add(stored_ofm(op), "OFM"));
  return all;
}

/// Whether an operation may start while its predecessor is unfinished: neither reads or overwrites what the other
/// writes.
bool independent(const std::vector<Bytes>& before, const std::vector<Bytes>& after) {
  for (const auto& bytes : after)
    if (bytes.meets(before.back())) return false;
  for (const auto& bytes : before)
    if (bytes.meets(after.back())) return false;
  return true;
}

class Emitter {
 public:
  explicit Emitter(const Network& network)
      : network_(network), accelerator_(*network.accelerator), out_(accelerator_.family) {}

  Result<CommandList> run() {
    if (find_command(accelerator_.family, "NPU_SET_PARALLEL_MODE")) out_.set("PARALLEL_MODE", accelerator_.cores > 1);
    for (const auto& step : network_.steps) {
      if (const auto* layer = std::get_if<Layer>(&step)) {
        MACAW_CHECK(block(*layer));
      } else {
        const auto& job = std::get<DmaLayer>(step);
        dma(job.dma, job.op);
      }
    }
    out_.op("STOP", {{"mask", 0xFFFF}});
    MACAW_ASSIGN(stream_.words, out_.finish());
    return stream_;
  }

 private:
  Result<void> block(const Layer& layer) {
    if (layer.table >= 0) load_table(layer.table, layer.op);
    BlockOperation op = layer.block;
    MACAW_ASSIGN(auto touched, footprint(op));
    op.blockdep = before_.empty() || !independent(before_, touched) ? 0 : accelerator_.max_blockdep;
    emit_block_operation(out_, op, accelerator_);
    stream_.operations.push_back({out_.position(), layer.op});
    before_ = std::move(touched);
    return {};
  }

  /// Loads an activation table unless it is loaded already. Accumulators may overwrite it if no banks are reserved.
  void load_table(int storage, std::size_t op) {
    const bool stays = accelerator_.shram_banks == 0 || accelerator_.shram_reserved_end_banks > 0;
    if (stays && loaded_ == storage) return;
    const auto& s = network_.storages[static_cast<std::size_t>(storage)];
    DmaOperation job;
    job.family = accelerator_.family;
    job.src_region = kConstantRegion;
    job.src = s.address;
    job.dst_internal = true;
    job.dst = static_cast<std::uint64_t>(accelerator_.lut_offset());
    job.len = s.size;
    dma(job, op);
    loaded_ = storage;
  }

  void dma(const DmaOperation& job, std::size_t op) {
    out_.op("KERNEL_WAIT", {{"n", 0}});
    before_.clear();
    emit_dma_operation(out_, job);
    stream_.operations.push_back({out_.position(), op});
    out_.op("DMA_WAIT", {{"k", 0}});
  }

  const Network& network_;
  const Accelerator& accelerator_;
  CommandWriter out_;
  CommandList stream_;
  std::vector<Bytes> before_;  ///< of the previous operation, if it may still run
  int loaded_ = -1;            ///< the table in the NPU
};

}  // namespace

Result<CommandList> emit(const Network& network) { return Emitter(network).run(); }

}  // namespace macaw::npu
