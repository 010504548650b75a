#pragma once
#include <cstdint>
#include <string>

namespace macaw::io {

/// "1,234,567": for people; JSON and CSV have plain digits.
[[nodiscard]] std::string with_thousands(std::uint64_t number);
/// "512 bytes", "361.1 KiB", "8.75 MiB", "1.25 GiB": three or four digits.
[[nodiscard]] std::string size_text(std::uint64_t bytes);

}  // namespace macaw::io
