#include "sim/timing/toml_guard.hpp"

#include <catch2/catch.hpp>

using namespace macaw;

TEST_CASE("toml text may have other letters in texts and comments, and nowhere else") {
  CHECK_FALSE(npu::unsafe_toml_line("# gr\xc3\xbcn\na = \"gr\xc3\xbcn\"\nb = 'gr\xc3\xbcn'\n"));
  CHECK_FALSE(npu::unsafe_toml_line("a = \"\"\"\n\xc3\xbc \"\" ' \n\"\"\"\nb = \"\\\"\xc3\xbc\""));
  CHECK(npu::unsafe_toml_line("\xcf\x98") == 1u);
  CHECK(npu::unsafe_toml_line("a = 1\n[axiM\xce\x98") == 2u);
  CHECK(npu::unsafe_toml_line("a = [3, +\x01 3]") == 1u);
  CHECK(npu::unsafe_toml_line("a = \"open\n\xc3\xbc = 1") == 2u);
  CHECK(npu::unsafe_toml_line("a = '''x''' \xc3\xbc") == 1u);
}
