#include <macaw/error_context.hpp>

#include <catch2/catch.hpp>

using namespace macaw;

TEST_CASE("an error on its way up learns what it does not know", "[base]") {
  const Result<int> failed = fail(ErrorCode::kIo, "short", {.op = "operator 3"});
  const auto told = failed.map_error(at({.file = "net.npz", .op = "operator 1", .byte_offset = 12}));
  REQUIRE_FALSE(told);
  CHECK(told.error().to_string() == "net.npz: operator 3: byte 12: short");
}

TEST_CASE("a value passes context by", "[base]") {
  CHECK(Result<int>(7).map_error(at({.file = "net.npz"})).value() == 7);
}
