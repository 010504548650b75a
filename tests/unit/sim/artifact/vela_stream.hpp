#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

namespace macaw::test {

/// Appends a block of a vela_bin_stream: name, size, data padded to 16 bytes.
template <class Byte>
void add_block(std::vector<Byte>& out, const char* name, const std::vector<std::uint32_t>& words) {
  const auto at = out.size();
  const auto size = std::uint32_t(words.size() * 4);
  out.resize(at + 32 + (size + 15) / 16 * 16);
  std::memcpy(out.data() + at, name, std::strlen(name));
  std::memcpy(out.data() + at + 16, &size, 4);
  if (size) std::memcpy(out.data() + at + 32, words.data(), size);
}

/// A stream for U85-256 that does nothing, of `words` commands, fewer than 2^24. `input` and `output`: six extents,
/// element size, region, offset.
template <class Byte>
std::vector<Byte> vela_stream(const std::vector<std::uint32_t>& inputs, const std::vector<std::uint32_t>& outputs,
                              std::uint32_t words = 1) {
  std::vector<Byte> out;
  add_block(out, "vela_bin_stream", {});
  std::vector<std::uint32_t> commands = {0x31504f43, 1, 0x20000118, 0x20007000,
                                         5,          5, 5,          words << 16 | words >> 16 << 8 | 2};
  commands.resize(commands.size() + words, 0xffff0000);
  add_block(out, "cmd_data", commands);
  add_block(out, "weight_data", {1, 2, 3});
  add_block(out, "scratch_size", {64});
  add_block(out, "inputs", inputs);
  add_block(out, "outputs", outputs);
  add_block(out, "vela_end_stream", {});
  return out;
}

}  // namespace macaw::test
