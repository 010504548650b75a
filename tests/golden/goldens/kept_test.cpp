#include "workflow/golden/kept.hpp"

#include <catch2/catch.hpp>

#include <vector>

// Tensors that a golden keeps, and how one is told from another.
using namespace macaw;

namespace {

template <class T>
std::string kept(const std::vector<T>& values) {
  return golden::kept(std::as_bytes(std::span(values)));
}

template <class T>
std::string difference(const std::vector<T>& then, const std::vector<T>& now, DType dtype) {
  const auto text = golden::kept_difference(kept(then), kept(now), dtype);
  REQUIRE(text);
  return text->value_or("none");
}

}  // namespace

TEST_CASE("kept tensors are told apart by their elements") {
  CHECK(difference<std::int8_t>({1, -2, 3}, {1, -2, 3}, DType::kINT8) == "none");
  CHECK(difference<std::int8_t>({1, -2, 3, 9}, {1, 2, 3, 8}, DType::kINT8) ==
        "2 of 4 elements differ, at most by 4; the first is element 1: -2 -> 2");
  CHECK(difference<std::uint8_t>({1, 2, 200}, {1, 2, 0}, DType::kUINT8) ==
        "1 of 3 elements differ, at most by 200; the first is element 2: 200 -> 0");
  CHECK(difference<std::int16_t>({300, -5}, {-300, 255}, DType::kINT16) ==
        "2 of 2 elements differ, at most by 600; the first is element 0: 300 -> -300");
  CHECK(difference<std::int32_t>({0, 1 << 30}, {0, -(1 << 30)}, DType::kINT32) ==
        "1 of 2 elements differ, at most by 2147483648; the first is element 1: 1073741824 -> -1073741824");
  CHECK(difference<float>({0.5F, 1, 2}, {0.5F, 1.25F, 2}, DType::kFP32) ==
        "1 of 3 elements differ, at most by 0.25; the first is element 1: 1 -> 1.25");
}

TEST_CASE("kept tensors of other sizes are told by them") {
  CHECK(difference<std::int16_t>({1, 2}, {1, 2, 3}, DType::kINT16) == "4 bytes -> 6 bytes");
  CHECK(difference<std::int16_t>({1, 2, 3}, {1}, DType::kINT16) == "6 bytes -> 2 bytes");
}

TEST_CASE("a long tensor is kept whole") {
  std::vector<std::uint8_t> then((std::size_t{2} << 20) + 77);
  for (std::size_t i = 0; i < then.size(); ++i) then[i] = static_cast<std::uint8_t>(i * i / 7 + i / 1000);
  auto now = then;
  now.back() ^= 1;
  CHECK(difference(then, then, DType::kUINT8) == "none");
  CHECK_THAT(difference(then, now, DType::kUINT8),
             Catch::StartsWith("1 of 2097229 elements differ, at most by 1; the first is element 2097228: "));
}

TEST_CASE(
    "a member that is not a kept tensor is refused, and one that would be much larger than the one that is there") {
  const auto now = kept<std::int8_t>({1, 2, 3});
  const auto refused = [&](const std::string& then) {
    const auto text = golden::kept_difference(then, now, DType::kINT8);
    return !text && text.error().code == ErrorCode::kInvalidFile;
  };
  CHECK_FALSE(refused(now));
  CHECK(refused(""));
  CHECK(refused("zz" + now.substr(2)));
  // A byte below 16 whose other digit is none, which would be the same byte if one digit were enough.
  std::size_t small = 0;
  while (small < now.size() && now[small] != '0') small += 2;
  REQUIRE(small < now.size());
  CHECK(refused(now.substr(0, small) + now[small + 1] + "z" + now.substr(small + 2)));
  CHECK(refused(now.substr(0, now.size() - 2)));
  CHECK(refused(now.substr(0, 4) + "ffff" + now.substr(8)));
  CHECK(refused(kept(std::vector<std::int8_t>(std::size_t{5} << 20))));
}
