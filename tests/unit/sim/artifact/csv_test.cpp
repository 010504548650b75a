#include "sim/artifact/csv.hpp"

#include <catch2/catch.hpp>

using namespace macaw;

TEST_CASE("quotes keep what else ends a cell or a line, and lines of spaces are none") {
  const auto table = npu::parse_csv("a,b\r\n\"x\r\ny\",\"1,\"\"2\"\"\"\r\n \t\r\n3,\n");
  using Rows = std::vector<std::vector<std::string>>;
  CHECK(table.columns == std::vector<std::string>{"a", "b"});
  CHECK(table.rows == Rows{{"x\r\ny", "1,\"2\""}, {"3", ""}});
  CHECK(table.column("b") == std::size_t{1});
  CHECK_FALSE(table.column("c"));
}
