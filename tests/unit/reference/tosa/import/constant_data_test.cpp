#include <catch2/catch.hpp>
#include <vector>

#include "reference/tosa/import/constant_data.hpp"
#include "tests/support/checked.hpp"

using namespace macaw;

TEST_CASE("int4 constants of even and odd counts are what was packed, the lower half of a byte first") {
  for (const std::int64_t count : {0, 1, 2, 7, 14, 15}) {
    Tensor values(DType::kINT4, {count});
    for (std::int64_t i = 0; i < count; ++i)
      values.data<std::int8_t>()[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i % 15 - 7);
    CHECK(macaw::test::checked(tosa::unpack_constant(DType::kINT4, {count}, tosa::pack_constant(values))) == values);
  }
  const auto pair = macaw::test::checked(tosa::unpack_constant(DType::kINT4, {2}, std::vector<std::uint8_t>{0x9f}));
  CHECK(pair.data<std::int8_t>()[0] == -1);
  CHECK(pair.data<std::int8_t>()[1] == -7);
}

TEST_CASE("an int4 constant of -8 is refused wherever it stands") {
  for (const std::uint8_t byte : {0x18, 0x81}) {
    CHECK(!tosa::unpack_constant(DType::kINT4, {2}, std::vector<std::uint8_t>{byte}));
    CHECK(!tosa::unpack_constant(DType::kINT4, {4}, std::vector<std::uint8_t>{0x11, byte}));
  }
  CHECK(!tosa::unpack_constant(DType::kINT4, {3}, std::vector<std::uint8_t>{0x11, 0x18}));
  CHECK(tosa::unpack_constant(DType::kINT4, {3}, std::vector<std::uint8_t>{0x11, 0x81}));  // beyond the last
}
