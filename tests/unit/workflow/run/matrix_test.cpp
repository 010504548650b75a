#include "workflow/run/matrix.hpp"

#include <catch2/catch.hpp>

#include "tests/support/checked.hpp"

using namespace macaw;
using macaw::test::checked;

namespace {

Result<run::Axes> axes(const std::string& toml) {
  MACAW_ASSIGN(const auto table, npu::parse_toml(toml, "x.toml"));
  return run::read_axes({table, "x.toml", "axes"});
}

}  // namespace

TEST_CASE("a matrix has every combination, the last axis first to move") {
  const auto points =
      run::points(checked(axes("accelerators = ['a', 'b']\nsystems = ['s']\n[params]\nx = [1, 2.5]\n")));
  REQUIRE(points.size() == 4);
  CHECK((points[0].accelerator == "a" && points[1].accelerator == "a" && points[2].accelerator == "b"));
  for (const auto& point : points) CHECK((point.system == "s" && point.memory_mode.empty()));
  CHECK((points[0].params == run::Params{{"x", 1}} && points[1].params == run::Params{{"x", 2.5}}));
  CHECK(run::points(run::Axes{}).size() == 1);
}

TEST_CASE("an axis of another type is an error that names it") {
  for (const auto* toml : {"systems = 's'", "accelerators = [1]", "params = 1", "[params]\nx = []",
                           "[params]\nx = [nan]", "[params]\nx = ['1']"}) {
    INFO(toml);
    CHECK(axes(toml).error().code == ErrorCode::kInvalidFile);
  }
  CHECK(axes("[params]\nx = 1").error().message.find("axes.params: key 'x'") != std::string::npos);
}
