#include "workflow/compare/tensor_difference.hpp"

#include <catch2/catch.hpp>

#include <random>

#include <fmt/format.h>

// Patterns of differences, for images that are written out here.
using namespace macaw;
using Index = std::array<std::int64_t, 3>;  // row, column, channel

namespace {

Tensor image(std::int64_t h, std::int64_t w, std::int64_t c, std::uint32_t seed = 1) {
  Tensor tensor(DType::kINT8, {1, h, w, c});
  std::mt19937 random(seed);
  for (auto& v : tensor.data<std::int8_t>()) v = static_cast<std::int8_t>(static_cast<int>(random() % 201) - 100);
  return tensor;
}

/// The pattern of an image in which change(index, value) is what was written.
template <class Change>
std::string pattern(const Tensor& expected, Change change) {
  auto actual = expected;
  const auto& shape = expected.shape();
  std::size_t i = 0;
  for (std::int64_t y = 0; y < shape[1]; ++y)
    for (std::int64_t x = 0; x < shape[2]; ++x)
      for (std::int64_t c = 0; c < shape[3]; ++c, ++i) {
        auto& value = actual.data<std::int8_t>()[i];
        value = static_cast<std::int8_t>(change(Index{y, x, c}, int{value}));
      }
  return compare::pattern_of(expected, actual);
}

/// Differences that have nothing in common but where they are.
template <class Where>
std::string where(const Tensor& expected, Where where) {
  return pattern(expected, [&](const Index& at, int v) {
    return where(at) ? v + 2 + static_cast<int>((at[0] * 5 + at[1] * 3 + at[2]) % 9) : v;
  });
}

template <class T>
std::string values(DType dtype, const std::vector<T>& expected, const std::vector<T>& actual) {
  const auto size = static_cast<std::int64_t>(expected.size());
  Tensor a(dtype, {size}), b(dtype, {size});
  std::ranges::copy(expected, a.data<T>().begin());
  std::ranges::copy(actual, b.data<T>().begin());
  return compare::pattern_of(a, b);
}

}  // namespace

TEST_CASE("nothing is said of equal tensors, and of one difference its size") {
  const auto expected = image(4, 6, 8);
  CHECK(compare::pattern_of(expected, expected).empty());
  for (const int by : {5, -7})
    CHECK(pattern(expected, [&](const Index& at, int v) {
            return at == Index{1, 2, 3} ? v + by : v;
          }) == fmt::format("the largest difference is {}", std::abs(by)));
}

TEST_CASE("differences in few channels, rows or columns are said to be there") {
  const auto expected = image(16, 18, 16);
  CHECK(where(expected, [](const Index& at) { return at[2] == 3; }) == "only channel 3; the largest difference is 10");
  CHECK(where(expected, [](const Index& at) { return at[0] == 15; }) == "only row 15; the largest difference is 10");
  CHECK(where(expected, [](const Index& at) { return at[1] == 0; }) == "only column 0; the largest difference is 10");
  CHECK(where(expected, [](const Index& at) { return at[0] == 2 && at[1] == 17; }) ==
        "only row 2; only column 17; the largest difference is 10");
  const auto channels = [&](const std::vector<std::int64_t>& all) {
    return where(expected, [&](const Index& at) { return std::ranges::count(all, at[2]) != 0; });
  };
  CHECK_THAT(channels({1, 9}), Catch::StartsWith("only channels 1, 9; "));
  CHECK_THAT(channels({1, 3, 9, 15}), Catch::StartsWith("only channels 1, 3, 9, 15; "));
  CHECK_THAT(channels({5, 6, 7, 8, 9}), Catch::StartsWith("only channels 5 to 9; "));
  CHECK_THAT(channels({1, 2, 3, 4, 5, 6, 7, 8}), Catch::StartsWith("only channels 1 to 8; "));
  // No range, more than half of them, and one of one.
  CHECK_THAT(channels({5, 6, 7, 8, 10}), !Catch::Contains("channel"));
  CHECK_THAT(channels({0, 1, 2, 3, 4, 5, 6, 7, 8}), !Catch::Contains("channel"));
  CHECK_THAT(where(image(1, 18, 1), [](const Index& at) { return at[1] < 9; }),
             Catch::StartsWith("only columns 0 to 8; "));
}

TEST_CASE("values that differ are told by what they have in common") {
  const auto expected = image(4, 6, 8);
  const auto odd = [](const Index& at) { return (at[0] + at[1] + at[2]) % 2 == 1; };
  const auto of = [&](auto change) {
    return pattern(expected, [&](const Index& at, int v) { return odd(at) ? change(v) : v; });
  };
  CHECK_THAT(of([](int v) { return v + 3; }), Catch::StartsWith("always 3 too high; "));
  CHECK_THAT(of([](int v) { return v - 4; }), Catch::StartsWith("always 4 too low; "));
  CHECK_THAT(of([](int v) { return v + (v % 2 == 0 ? 1 : -1); }), Catch::StartsWith("off by one (rounding); "));
  CHECK_THAT(of([](int) { return 111; }), Catch::StartsWith("always 111; "));
  CHECK_THAT(of([](int v) { return -v; }), Catch::StartsWith("of the other sign; "));
  CHECK_THAT(of([](int v) { return v < 0 ? -128 : 127; }), Catch::StartsWith("saturated where it differs; "));
  CHECK_THAT(of([](int v) { return v < 0 ? -127 : 127; }), Catch::StartsWith("the largest difference is "));
  CHECK_THAT(of([](int v) { return v + 1 + (v & 1); }), Catch::StartsWith("the largest difference is 2"));
  CHECK_THAT(of([](int v) { return v % 2 == 0 ? v + 3 : v - 7; }), Catch::StartsWith("the largest difference is 7"));
}

TEST_CASE("saturation is at the limits of the type") {
  const std::string saturated = "saturated where it differs; ";
  CHECK_THAT(values<std::uint8_t>(DType::kUINT8, {9, 9, 9}, {255, 9, 0}), Catch::StartsWith(saturated));
  CHECK_THAT(values<std::uint8_t>(DType::kUINT8, {9, 9, 9}, {127, 9, 128}), !Catch::StartsWith(saturated));
  CHECK_THAT(values<std::uint16_t>(DType::kUINT16, {9, 9, 9}, {65535, 9, 0}), Catch::StartsWith(saturated));
  CHECK_THAT(values<std::int16_t>(DType::kINT16, {9, 9, 9}, {32767, 9, -32768}), Catch::StartsWith(saturated));
  CHECK_THAT(values<std::int16_t>(DType::kINT16, {9, 9, 9}, {127, 9, -128}), !Catch::StartsWith(saturated));
  CHECK_THAT(values<std::int32_t>(DType::kINT32, {9, 9, 9}, {INT32_MAX, 9, INT32_MIN}), Catch::StartsWith(saturated));
  CHECK(values<std::int8_t>(DType::kINT8, {9, 9}, {127, 9}) == saturated + "the largest difference is 118");
}

TEST_CASE("an image that is moved is said to be, by up to two rows and columns") {
  for (const std::int64_t dy : {-3, -2, -1, 0, 1, 2, 3})
    for (const std::int64_t dx : {-3, -2, -1, 0, 1, 2, 3}) {
      if (dy == 0 && dx == 0) continue;
      const auto expected = image(12, 11, 3), other = image(12, 11, 3, 2);
      const auto moved = pattern(expected, [&](const Index& at, int) {
        const auto y = at[0] - dy, x = at[1] - dx;
        const bool inside = y >= 0 && x >= 0 && y < 12 && x < 11;
        const auto& from = inside ? expected : other;
        return int{from.data<std::int8_t>()[static_cast<std::size_t>(inside ? (y * 11 + x) * 3 + at[2]
                                                                            : (at[0] * 11 + at[1]) * 3 + at[2])]};
      });
      INFO(moved);
      const auto words = fmt::format("the output is shifted by [{}, {}] (row, column); ", dy, dx);
      CHECK(moved.starts_with(words) == (std::abs(dy) <= 2 && std::abs(dx) <= 2));
    }
}

TEST_CASE("a tenth of a moved image may differ, and a small image is not told from a moved one") {
  const auto moved = [](std::int64_t h, std::int64_t w, std::int64_t wrong) {
    const auto expected = image(h, w, 1);
    return pattern(expected, [&](const Index& at, int) {
             if (at[1] + 1 == w || at[0] * (w - 1) + at[1] < wrong) return 120;
             return int{expected.data<std::int8_t>()[static_cast<std::size_t>(at[0] * w + at[1] + 1)]};
           }).find("the output is shifted by [0, -1] (row, column)") != std::string::npos;
  };
  CHECK(moved(10, 11, 0));
  CHECK(moved(10, 11, 10));
  CHECK_FALSE(moved(10, 11, 11));
  CHECK(moved(4, 4, 0));
  CHECK_FALSE(moved(3, 11, 0));
  CHECK_FALSE(moved(11, 3, 0));
}

TEST_CASE("two bytes of truth that differ are shown as what they are") {
  Tensor expected(DType::kBOOL, {3}), actual(DType::kBOOL, {3});
  expected.bytes()[2] = std::byte{1};
  actual.bytes()[2] = std::byte{0xFF};
  const auto difference = compare::compare_tensors("t", expected, actual);
  CHECK(difference.different == 1);
  CHECK((difference.expected == 1 && difference.actual == 255));
}
