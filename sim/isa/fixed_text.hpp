#pragma once
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace macaw::npu {

/// A text of up to N characters, stored inside a table. A table of pointers would have to be relocated, which takes
/// memory and time, at every start of a program.
template <std::size_t N>
class FixedText {
  static_assert(N <= UINT8_MAX);

 public:
  constexpr FixedText() = default;
  template <std::size_t Size>
    requires(Size <= N + 1)
  consteval FixedText(const char (&literal)[Size]) : size_(Size - 1) {
    std::copy_n(literal, size_, characters_);
  }
  [[nodiscard]] constexpr std::string_view view() const { return {characters_, size_}; }
  constexpr operator std::string_view() const { return view(); }
  friend constexpr bool operator==(const FixedText& text, std::string_view other) { return text.view() == other; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }

 private:
  char characters_[N] = {};
  std::uint8_t size_ = 0;
};
template <std::size_t N, std::size_t M>
constexpr bool operator==(const FixedText<N>& a, const FixedText<M>& b) {
  return a.view() == b.view();
}

}  // namespace macaw::npu

template <std::size_t N>
struct fmt::formatter<macaw::npu::FixedText<N>> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const macaw::npu::FixedText<N>& text, Context& context) const {
    return fmt::formatter<std::string_view>::format(text.view(), context);
  }
};
