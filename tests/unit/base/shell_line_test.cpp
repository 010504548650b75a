#include "base/shell_line.hpp"

#include <catch2/catch.hpp>

#include "base/crc32.hpp"

using namespace macaw;

TEST_CASE("words of a shell are quoted where they need it") {
  CHECK(io::shell_line({"macaw", "sim", "a/b_vela.npz", "--clock", "250MHz"}) ==
        "macaw sim a/b_vela.npz --clock 250MHz");
  CHECK(io::shell_line({"x y", "", "$HOME", "it's"}) == "'x y' '' '$HOME' 'it'\\''s'");
  CHECK(io::shell_line({}).empty());
  CHECK(io::in_single_quotes("plain") == "'plain'");
}

TEST_CASE("the CRC-32 of the digits 1 to 9 is the check value of its catalogue") {
  const std::string digits = "123456789";
  CHECK(io::crc32(std::as_bytes(std::span(digits))) == 0xcbf43926);
  CHECK(io::crc32({}) == 0);
}
