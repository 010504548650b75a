#pragma once
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace macaw::npu {

/// DMA controller channels, numbered as PMCAXI_CHAN selects them (Ethos-U driver, ethosu*_interface.h).
enum class Channel : std::uint8_t {
  kReadCommands = 0,
  kReadIfm = 1,
  kReadWeights = 2,
  kReadScaleBias = 3,
  kReadMem2Mem = 4,
  kReadIfmStream = 5,     ///< U85: operands of elementwise operations
  kReadMem2MemIndex = 6,  ///< U85
  kWriteOfm = 8,
  kWriteMem2Mem = 9,
};
[[nodiscard]] constexpr bool is_write(Channel channel) { return channel >= Channel::kWriteOfm; }

/// Equal runs of contiguous bytes in one region, repeated in up to three nested levels, innermost first. Addresses are
/// byte offsets in the region; regions start at burst-aligned addresses, so offsets determine the alignment.
struct Transfer {
  struct Level {
    std::uint64_t count = 1;
    std::int64_t stride = 0;  ///< bytes from one repetition to the next; may be negative
    friend bool operator==(const Level&, const Level&) = default;
  };

  Channel channel = Channel::kReadIfm;
  int region = 0;             ///< -1: the command stream (QBASE, port by QCONFIG)
  std::uint64_t address = 0;  ///< of the first run
  std::uint64_t run = 0;      ///< bytes of one run; 0: the transfer is empty
  std::array<Level, 3> levels{};

  [[nodiscard]] bool write() const { return is_write(channel); }
  [[nodiscard]] std::uint64_t runs() const { return levels[0].count * levels[1].count * levels[2].count; }
  [[nodiscard]] std::uint64_t bytes() const { return run * runs(); }
  /// Bus words touched, counted per run: an unaligned run counts the words that it shares.
  [[nodiscard]] std::uint64_t beats(unsigned beat_bytes) const { return words(beat_bytes); }
  /// Bursts, counted per run and split at multiples of `burst_bytes`.
  [[nodiscard]] std::uint64_t transactions(unsigned burst_bytes) const { return words(burst_bytes); }
  /// Address of run number `index`, where levels[0] varies fastest.
  [[nodiscard]] std::uint64_t run_address(std::uint64_t index) const;

  friend bool operator==(const Transfer&, const Transfer&) = default;

 private:
  /// Aligned words of `size` bytes (a power of two) that the runs touch.
  [[nodiscard]] std::uint64_t words(unsigned size) const;
};

[[nodiscard]] Transfer contiguous(Channel channel, int region, std::uint64_t address, std::uint64_t bytes);

/// Transfers of one box or stream. Eight hold the worst case: four tiles, whole chunks and rest of each.
class TransferList {
 public:
  void push_back(const Transfer& transfer) {
    assert(size_ < items_.size());
    if (transfer.run != 0) items_[size_++] = transfer;
  }
  void clear() { size_ = 0; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Transfer* begin() const { return items_.data(); }
  [[nodiscard]] const Transfer* end() const { return items_.data() + size_; }
  [[nodiscard]] const Transfer& operator[](std::size_t i) const { return items_[i]; }
  [[nodiscard]] std::uint64_t beats(unsigned beat_bytes) const;
  [[nodiscard]] std::uint64_t transactions(unsigned burst_bytes) const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  std::array<Transfer, 8> items_;
  std::size_t size_ = 0;
};

}  // namespace macaw::npu
