#pragma once
#include "sim/datapath/weight_stream_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

// Decoder tables for four bits of the unary parts of a standard weight stream (u55_u65 4.1).
namespace macaw::npu::weight_stream {

/// Ones in each 12-bit number: std::popcount is a call if the processor is not known to have the instruction.
inline constexpr auto kOnes = [] {
  std::array<std::uint8_t, 1 << kUnaryBits> ones{};
  for (std::size_t i = 1; i < ones.size(); ++i) ones[i] = static_cast<std::uint8_t>(ones[i / 2] + (i & 1));
  return ones;
}();

/// Quotients completed by four bits of a unary part: up to four; the count pending from earlier bits is still to be
/// added to the first.
struct alignas(16) Step {
  std::array<std::uint16_t, 4> quotient{};
  std::uint8_t count = 0;
  std::uint8_t rest = 0;  ///< partial count of the quotient that is not complete
};

/// Completes quotients from codes 0, 1 or 2: a code is a bit of `codes` plus, if that is set, the next bit of
/// `further`, lowest first. A quotient is complete with a code below 2; if quotients are truncated, with every code.
constexpr Step weight_step(unsigned codes, unsigned further, bool truncated) {
  Step step;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned bit = codes >> i & 1, code = bit + (bit & further);
    further >>= bit;
    step.rest = static_cast<std::uint8_t>(step.rest + code);
    if (code == 2 && !truncated) continue;
    step.quotient[step.count++] = step.rest;
    step.rest = 0;
  }
  return step;
}
inline constexpr auto kWeightSteps = [] {
  std::array<std::array<Step, 256>, 2> steps{};
  for (unsigned truncated = 0; truncated < 2; ++truncated)
    for (unsigned i = 0; i < 256; ++i) steps[truncated][i] = weight_step(i & 15, i >> 4, truncated != 0);
  return steps;
}();
/// Quotients completed by six bits of the unary part (the lowest six bits of the index) with their further bits (those
/// above). An entry has one byte per quotient from the lowest on, the number of quotients in the seventh byte, and the
/// partial count of an incomplete quotient in the last one.
inline constexpr auto kSixCodes = [] {
  std::array<std::uint64_t, 1 << kUnaryBits> steps{};
  for (unsigned i = 0; i < steps.size(); ++i) {
    std::uint64_t count = 0, rest = 0;
    for (unsigned bit = 0, further = i >> 6; bit < 6; ++bit) {
      const unsigned code = i >> bit & 1, two = code & further;
      further >>= code;
      rest += code + two;
      if (two) continue;
      steps[i] |= rest << (8 * count++);
      rest = 0;
    }
    steps[i] |= count << 48 | rest << 56;
  }
  return steps;
}();

/// Largest quotients of a step whose quotients are not truncated.
struct Reach {
  std::uint8_t first = 0;  ///< the first, without the count pending from earlier bits
  std::uint8_t others = 0;
  std::uint8_t rest = 0;
  bool completes = false;
};
inline constexpr auto kReaches = [] {
  std::array<Reach, 256> reaches{};
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    const Step& step = kWeightSteps[0][i];
    const auto others = std::max({step.quotient[1], step.quotient[2], step.quotient[3]});
    reaches[i] = {static_cast<std::uint8_t>(step.count ? step.quotient[0] : step.rest),
                  static_cast<std::uint8_t>(others), step.rest, step.count != 0};
  }
  return reaches;
}();
/// Returns the largest quotient of a chunk whose quotients are not truncated; sets `pending` to the partial count of an
/// incomplete quotient.
inline unsigned reach(unsigned codes, unsigned further, unsigned& pending) {
  unsigned largest = 0;
  for (int bit = 0; bit < kUnaryBits; bit += 4) {
    const unsigned four = codes >> bit & 15;
    const Reach& reach = kReaches[four | (further & 15) << 4];
    further >>= kOnes[four];
    pending += reach.first;
    largest = std::max({largest, pending, unsigned{reach.others}});
    if (reach.completes) pending = reach.rest;
  }
  return largest;
}

/// Counts of ones, each ended by a zero.
inline constexpr auto kRunSteps = [] {
  std::array<Step, 16> steps{};
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned bit = 0; bit < 4; ++bit) {
      Step& step = steps[i];
      if (i >> bit & 1) {
        ++step.rest;
        continue;
      }
      step.quotient[step.count++] = step.rest;
      step.rest = 0;
    }
  return steps;
}();

/// The same with a byte for each quotient, and their number and the partial count in the last two, as in kSixCodes.
inline constexpr auto kFourOnes = [] {
  std::array<std::uint64_t, 16> steps{};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = kRunSteps[i];
    steps[i] = std::uint64_t{step.count} << 48 | std::uint64_t{step.rest} << 56;
    for (std::size_t q = 0; q < step.count; ++q) steps[i] |= std::uint64_t{step.quotient[q]} << (8 * q);
  }
  return steps;
}();

/// Quotients completed in one chunk; their remainders arrive one chunk later. Quotients of weights are small, those of
/// zero runs may be large.
template <class Quotient>
class Chunk {
 public:
  [[nodiscard]] std::span<const Quotient> symbols() const {
    return std::span(quotient_).first(static_cast<std::size_t>(count_));
  }
  [[nodiscard]] int count() const { return count_; }
  void clear() { count_ = 0; }
  /// Sets `count` quotients of 0, for indices of fixed width.
  void zeros(int count) {
    quotient_.fill(0);
    count_ = count;
  }
  void assign(std::span<const std::uint8_t> quotients) {
    std::ranges::copy(quotients, quotient_.begin());
    count_ = static_cast<int>(quotients.size());
  }
  void limit(int count) { count_ = std::min(count_, count); }
  /// `pending`: partial count of a quotient that is not complete.
  void add(const Step& step, unsigned& pending) {
    Quotient* const next = quotient_.data() + count_;
    // Copied as one word if the widths are equal.
    if constexpr (sizeof(Quotient) == sizeof step.quotient[0])
      std::memcpy(next, step.quotient.data(), sizeof step.quotient);
    else std::ranges::copy(step.quotient, next);
    next[0] = static_cast<Quotient>(next[0] + pending);
    pending = step.rest + (step.count == 0 ? pending : 0);
    count_ += step.count;
  }

 private:
  std::array<Quotient, kUnaryBits + 4> quotient_;  // a step always writes four
  int count_ = 0;
};

/// The quotients of a chunk as bytes, if all of them fit.
class ByteChunk {
 public:
  static constexpr std::size_t kLimit = 256;  ///< quotients are below it

  /// Returns false if a quotient is not below `limit`.
  template <class Quotient>
  [[nodiscard]] bool assign(std::span<const Quotient> quotients, std::size_t limit) {
    count_ = quotients.size();
    std::ranges::transform(quotients, bytes_.begin(), [](Quotient q) { return static_cast<std::uint8_t>(q); });
    return std::ranges::all_of(quotients, [&](Quotient q) { return q < limit; });
  }
  [[nodiscard]] std::span<const std::uint8_t> symbols() const { return std::span(bytes_).first(count_); }
  [[nodiscard]] std::size_t count() const { return count_; }
  void clear() { count_ = 0; }
  /// `step` of kSixCodes or kFourOnes; `pending` as in Chunk.
  void add(std::uint64_t step, unsigned& pending) {
    std::uint64_t quotients = step + pending;
    if constexpr (std::endian::native == std::endian::big) quotients = __builtin_bswap64(quotients);
    std::memcpy(bytes_.data() + count_, &quotients, sizeof quotients);
    const std::size_t completed = step >> 48 & 0xff;
    pending = static_cast<unsigned>(step >> 56) + (completed == 0 ? pending : 0);
    count_ += completed;
  }

 private:
  std::array<std::uint8_t, 2 * kUnaryBits> bytes_{};  // a step always writes eight
  std::size_t count_ = 0;
};

}  // namespace macaw::npu::weight_stream
