#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Code shared by the fuzz targets. A target is a file of targets/ with this function; libFuzzer calls it with its
// inputs, and run_files.cpp with the files of a folder, under the name fuzz_TARGET.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace macaw::fuzz {

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}
inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// An error says something, and is not one of Macaw's own.
template <class R>
void expect_message(const R& result) {
  if (!result && result.error().message.empty()) __builtin_trap();
}

}  // namespace macaw::fuzz
