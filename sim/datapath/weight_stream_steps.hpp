#pragma once
#include "sim/datapath/weight_stream_format.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

// What four bits of the unary parts of a standard weight stream (u55_u65 4.1) come to, for the decoder.
namespace macaw::npu::weight_stream {

/// Ones in each 12-bit number: std::popcount is a call where the processor is not known to have the instruction.
inline constexpr auto kOnes = [] {
  std::array<std::uint8_t, 1 << kUnaryBits> ones{};
  for (std::size_t i = 1; i < ones.size(); ++i) ones[i] = static_cast<std::uint8_t>(ones[i / 2] + (i & 1));
  return ones;
}();

/// What four bits of a unary part complete: up to four quotients, the first still to be added to what came before.
struct Step {
  std::array<unsigned, 4> quotient{};
  std::uint8_t count = 0;
  std::uint8_t rest = 0;  ///< of the quotient that is not complete; all of it if none is
};

/// Codes of one bit each, 0, 1 or 2, the last two told apart by further bits, of which those from the lowest on are
/// taken. A quotient is complete with a code below 2; if they are truncated, with every code.
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
/// How far quotients get in a step that is not of truncated ones.
struct Reach {
  std::uint8_t first = 0;  ///< the first, still to be added to what came before
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
/// Ones up to a zero.
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

}  // namespace macaw::npu::weight_stream
