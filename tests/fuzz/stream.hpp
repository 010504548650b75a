#pragma once
#include <algorithm>
#include <cstring>

#include "tests/fuzz/artifact.hpp"

namespace macaw::fuzz {

/// The first byte selects the accelerator, the rest is a command stream between constants and an arena.
inline npu::Artifact stream_of(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMemory = std::size_t{1} << 16;
  const auto all = npu::accelerators();
  npu::Artifact artifact;
  artifact.file = "fuzz";
  artifact.accelerator = &all[size == 0 ? 0 : data[0] % all.size()];
  npu::Memory constants{
      .name = "constants", .size = kMemory, .initial = std::vector<std::uint8_t>(kMemory), .read_only = true};
  for (std::size_t i = 0; i < kMemory; ++i) constants.initial[i] = static_cast<std::uint8_t>(i * 37 + i / 251);
  artifact.memories = {std::move(constants), {.name = "arena", .size = kMemory, .cleared = true}};
  npu::CommandStream stream;
  stream.name = "fuzz";
  for (int region = 0; region < 8; ++region)
    stream.regions[static_cast<std::size_t>(region)] = {region == 0 ? 0 : 1, 0, kMemory};
  const std::size_t words = size == 0 ? 0 : (size - 1) / 4;
  stream.words.resize(words);
  if (words != 0) std::memcpy(stream.words.data(), data + 1, words * 4);
  artifact.steps.push_back(std::move(stream));
  return artifact;
}

}  // namespace macaw::fuzz
