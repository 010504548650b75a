#include "base/readable_number.hpp"

#include <catch2/catch.hpp>

using macaw::io::size_text;
using macaw::io::with_thousands;

TEST_CASE("readable numbers: thousands are separated") {
  CHECK(with_thousands(0) == "0");
  CHECK(with_thousands(999) == "999");
  CHECK(with_thousands(1000) == "1,000");
  CHECK(with_thousands(1234567) == "1,234,567");
  CHECK(with_thousands(~std::uint64_t{0}) == "18,446,744,073,709,551,615");
}

TEST_CASE("readable numbers: sizes have binary units") {
  CHECK(size_text(0) == "0 bytes");
  CHECK(size_text(1023) == "1023 bytes");
  CHECK(size_text(1024) == "1.00 KiB");
  CHECK(size_text(369496) == "360.8 KiB");
  CHECK(size_text(1048576) == "1.00 MiB");
  CHECK(size_text(std::uint64_t{3} << 40) == "3.00 TiB");
}
