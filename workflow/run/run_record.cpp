#include <macaw/npu/run.hpp>

#include <fmt/format.h>

namespace macaw::npu {

std::string to_string(const SequenceScore& score) {
  return fmt::format("negative log-likelihood {:.4f}, perplexity {:.3f}, top-1 {:.2f} % ({} of {})",
                     score.negative_log_likelihood, score.perplexity,
                     100 * static_cast<double>(score.top1) / static_cast<double>(score.classes), score.top1,
                     score.classes);
}

std::string RunRecord::accuracy() const {
  if (interval)
    return fmt::format("predicted; {:.0f} % interval {} to {}, basis: {}", 100 * interval->coverage, interval->low,
                       interval->high, interval->basis);
  return fmt::format("predicted; no interval: {}", no_interval);
}

std::uint64_t RunRecord::macs() const {
  std::uint64_t sum = 0;
  for (const auto& o : operations) sum += o.macs;
  return sum;
}

std::string_view RunRecord::side_name(int side) const {
  return traits(accelerator->family).ports[static_cast<std::size_t>(side)];
}

std::uint64_t RunRecord::bytes(int side, bool write) const {
  std::uint64_t sum = 0;
  for (const auto& o : operations)
    for (const auto& m : o.memory)
      if (m.write == write && region_side[static_cast<std::size_t>(m.region)] == side) sum += m.bytes;
  return sum;
}

}  // namespace macaw::npu
