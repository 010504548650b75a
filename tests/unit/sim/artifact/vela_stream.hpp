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

/// A stream for U85-256 that does nothing. `input` and `output`: six extents, element size, region, offset.
template <class Byte>
std::vector<Byte> vela_stream(const std::vector<std::uint32_t>& inputs, const std::vector<std::uint32_t>& outputs) {
  std::vector<Byte> out;
  add_block(out, "vela_bin_stream", {});
  add_block(out, "cmd_data", {0x31504f43, 1, 0x20000118, 0x20007000, 5, 5, 5, 1u << 16 | 2, 0xffff0000});
  add_block(out, "weight_data", {1, 2, 3});
  add_block(out, "scratch_size", {64});
  add_block(out, "inputs", inputs);
  add_block(out, "outputs", outputs);
  add_block(out, "vela_end_stream", {});
  return out;
}

}  // namespace macaw::test
