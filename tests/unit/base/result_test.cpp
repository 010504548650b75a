#include <catch2/catch.hpp>
#include <memory>
#include "macaw/error.hpp"

namespace macaw {

namespace {

Result<int> value_behind(const Result<std::unique_ptr<int>>& pointer) {
  MACAW_CHECK(pointer);
  return **pointer;
}

}  // namespace

// A check that copied what it looks at would not compile here.
TEST_CASE("a check looks at a result where it is", "[result]") {
  CHECK(value_behind(std::make_unique<int>(7)) == 7);
  CHECK(value_behind(fail(ErrorCode::kIo, "gone")).error().message == "gone");
}

}  // namespace macaw
