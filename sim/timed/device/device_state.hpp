#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace macaw::npu::timed {

/// Words that hold the state of a device between jobs, written and read in the same order.
class StateWriter {
 public:
  void add(std::uint32_t word) { words_.push_back(word); }
  void add_long(std::uint64_t value) {
    add(static_cast<std::uint32_t>(value));
    add(static_cast<std::uint32_t>(value >> 32));
  }
  [[nodiscard]] std::vector<std::uint32_t> take() { return std::move(words_); }

 private:
  std::vector<std::uint32_t> words_;
};

/// Returns zeros past the end: the number of words must be checked before.
class StateReader {
 public:
  explicit StateReader(std::span<const std::uint32_t> words) : words_(words) {}
  [[nodiscard]] std::uint32_t next() { return at_ < words_.size() ? words_[at_++] : 0; }
  [[nodiscard]] std::uint64_t next_long() {
    const std::uint64_t low = next();
    return low | std::uint64_t{next()} << 32;
  }

 private:
  std::span<const std::uint32_t> words_;
  std::size_t at_ = 0;
};

}  // namespace macaw::npu::timed
