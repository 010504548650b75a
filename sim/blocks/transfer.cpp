#include "sim/blocks/transfer.hpp"

#include <vector>

namespace macaw::npu {
namespace {

std::uint64_t words_of_run(std::uint64_t offset, std::uint64_t run, std::uint64_t size) {
  return (offset + run - 1) / size + 1;
}

/// Number of run addresses for each residue.
using Histogram = std::vector<std::uint64_t>;

/// Repeats every address `count` times at multiples of `stride`. The residues of the repetitions have the period size /
/// gcd(stride, size), so the work does not grow with `count`.
Histogram repeat(const Histogram& from, std::uint64_t count, std::uint64_t stride, std::uint64_t size) {
  const std::uint64_t step = stride & (size - 1);
  std::uint64_t period = 1;
  while ((step * period & (size - 1)) != 0) period *= 2;
  Histogram to(size, 0);
  for (std::uint64_t residue = 0; residue < size; ++residue) {
    if (from[residue] == 0) continue;
    for (std::uint64_t k = 0; k < period && k < count; ++k)
      to[(residue + k * step) & (size - 1)] += from[residue] * ((count - k - 1) / period + 1);
  }
  return to;
}

}  // namespace

std::uint64_t Transfer::run_address(std::uint64_t index) const {
  std::uint64_t result = address;
  for (const auto& level : levels) {
    if (level.count == 0) break;
    result += index % level.count * static_cast<std::uint64_t>(level.stride);
    index /= level.count;
  }
  return result;
}

std::uint64_t Transfer::words(unsigned size) const {
  if (run == 0) return 0;
  const std::uint64_t mask = size - 1;
  bool aligned = true;
  for (const auto& level : levels)
    aligned = aligned && (level.count <= 1 || (static_cast<std::uint64_t>(level.stride) & mask) == 0);
  if (aligned) return runs() * words_of_run(address & mask, run, size);

  Histogram histogram(size, 0);
  histogram[address & mask] = 1;
  for (const auto& level : levels)
    if (level.count != 1) histogram = repeat(histogram, level.count, static_cast<std::uint64_t>(level.stride), size);
  std::uint64_t total = 0;
  for (std::uint64_t residue = 0; residue < size; ++residue)
    if (histogram[residue] != 0) total += histogram[residue] * words_of_run(residue, run, size);
  return total;
}

Transfer contiguous(Channel channel, int region, std::uint64_t address, std::uint64_t bytes) {
  Transfer transfer;
  transfer.channel = channel;
  transfer.region = region;
  transfer.address = address;
  transfer.run = bytes;
  return transfer;
}

std::uint64_t TransferList::beats(unsigned beat_bytes) const {
  std::uint64_t total = 0;
  for (const auto& transfer : *this) total += transfer.beats(beat_bytes);
  return total;
}

std::uint64_t TransferList::transactions(unsigned burst_bytes) const {
  std::uint64_t total = 0;
  for (const auto& transfer : *this) total += transfer.transactions(burst_bytes);
  return total;
}

std::uint64_t TransferList::bytes() const {
  std::uint64_t total = 0;
  for (const auto& transfer : *this) total += transfer.bytes();
  return total;
}

}  // namespace macaw::npu
