#include <catch2/catch.hpp>

#include "tests/support/checked.hpp"
#include "workflow/inference/cost_tables.hpp"
#include "workflow/inference/price.hpp"

// Tables of kernel costs: what they may say, and which row is taken.
using namespace macaw;
using macaw::test::checked;

namespace {

std::string library_error(const std::string& toml) {
  const auto done = inference::parse_library(toml, "t.toml");
  REQUIRE(!done);
  CHECK(done.error().code == ErrorCode::kInvalidFile);
  return done.error().message;
}

const std::string kHead = "description = 'd'\n";

inference::Range priced(const inference::CostTables& tables, const inference::OperatorWork& work,
                        const inference::Place& place) {
  const auto price = inference::price_of(tables, work, place);
  INFO(price.source);
  REQUIRE(price.cycles);
  return *price.cycles;
}

}  // namespace

TEST_CASE("a table of costs is refused from the first thing that it may not say") {
  CHECK_THAT(library_error("x = 1"), Catch::Contains("'x' is not known"));
  CHECK_THAT(library_error(kHead), Catch::Contains("'costs' must list the costs of classes"));
  CHECK_THAT(library_error(kHead + "costs = 3"), Catch::Contains("must be a list of tables"));
  CHECK_THAT(library_error(kHead + "costs = [3]"), Catch::Contains("must be a list of tables"));
  const std::string row = "costs = [{class = 'c', type = 'int8', core = 'k', compiler = 'x', source = 's'";
  CHECK_THAT(library_error(kHead + row + "}]"),
             Catch::Contains("costs[0]: key 'element' or 'fixed' or 'mac' must be above 0"));
  CHECK_THAT(library_error(kHead + row + ", mac = -1}]"), Catch::Contains("'mac' must be a number from 0"));
  CHECK_THAT(library_error(kHead + row + ", mac = nan}]"), Catch::Contains("'mac' must be a number from 0"));
  CHECK_THAT(library_error(kHead + row + ", mac = 1, low = 2}]"), Catch::Contains("'low' must be at most 1"));
  CHECK_THAT(library_error(kHead + row + ", mac = 1, high = 0.5}]"), Catch::Contains("'low' must be at most 1"));
  CHECK_THAT(library_error(kHead + row + ", mac = 1, colour = 1}]"), Catch::Contains("'colour' is not known"));
  CHECK_THAT(library_error(kHead + "borrowed = [{class = 'a', source = 's'}]"),
             Catch::Contains("'as' must name a class"));
  CHECK_THAT(library_error(kHead + "sources = 1\notherwise = ['x']"),
             Catch::Contains("'sources' must be a table of texts"));
  const auto platform =
      inference::parse_platform("description = 'd'\n[core]\na = {low = 2, typical = 1, high = 3, source = 's'}", "p");
  CHECK_THAT(platform.error().message, Catch::Contains("core.a: key 'typical' must lie between"));
}

TEST_CASE("a row of the very type and library is taken before those of others") {
  inference::CostTables tables;
  tables.libraries.emplace("a", checked(inference::parse_library(kHead + R"(
otherwise = ['b']
costs = [{class = 'c', type = 'int8', core = 'cortex-m55', compiler = 'gcc-O2', fixed = 10, element = 2, mac = 3, low = 0.5, high = 2, source = 'n'}]
borrowed = [{class = 'd', as = 'c', low = 2, high = 2, source = 'n'}]
[sources]
n = 'in full'
)",
                                                                 "a")));
  tables.libraries.emplace("b", checked(inference::parse_library(kHead + R"(
costs = [{class = 'c', type = 'float32', core = 'cortex-m55', compiler = 'any', element = 7, source = 'other'},
         {class = 'e', type = 'int8', core = 'cortex-m55', compiler = 'any', element = 1, source = 'other'}]
)",
                                                                 "b")));
  tables.platform = checked(inference::parse_platform(R"(
description = 'd'
[core]
cortex-m85 = {as = 'cortex-m55', low = 0.5, typical = 0.5, high = 0.5, source = 's'}
[compiler]
armclang = {as = 'gcc-O2', low = 3, typical = 3, high = 3, source = 's'}
[type]
int16 = {as = 'int8', low = 4, typical = 4, high = 4, source = 's'}
[scalar_core]
cortex-m4 = {as = 'cortex-m55', low = 5, typical = 5, high = 5, source = 's'}
)",
                                                      "p"));
  const inference::OperatorWork c{.cls = "c", .type = "int8", .elements = 100, .macs = 1000, .reason = {}};
  const auto plain = priced(tables, c, {"cortex-m55", "a", "gcc-O2"});
  CHECK((plain.typical == 3210 && plain.low == 1605 && plain.high == 6420));
  CHECK(inference::price_of(tables, c, {"cortex-m55", "a", "gcc-O2"}).source == "a: in full");
  CHECK(priced(tables, c, {"cortex-m85", "a", "gcc-O2"}).typical == 1605);
  CHECK(priced(tables, c, {"cortex-m55", "a", "armclang"}).typical == 9630);
  auto work = c;
  work.type = "float32";
  CHECK(priced(tables, work, {"cortex-m55", "a", "gcc-O2"}).typical == 700);
  work.type = "int16";
  CHECK(priced(tables, work, {"cortex-m55", "a", "gcc-O2"}).typical == 4 * 3210);
  work = c;
  work.cls = "d";
  CHECK(priced(tables, work, {"cortex-m55", "a", "gcc-O2"}).typical == 6420);
  work.cls = "e";
  CHECK(priced(tables, work, {"cortex-m55", "a", "gcc-O2"}).typical == 100);
  CHECK(priced(tables, work, {"cortex-m4", "a", "gcc-O2"}).typical == 500);
  work.cls = "f";
  CHECK(inference::price_of(tables, work, {"cortex-m55", "a", "gcc-O2"}).source ==
        "a has no cost of class f (int8) on cortex-m55");
}

TEST_CASE("on a core with counts of one compiler the others keep their ratio") {
  const auto tables = checked(inference::built_in_tables());
  const inference::OperatorWork work{.cls = "transpose", .type = "int8", .elements = 1e6, .macs = 0, .reason = {}};
  const auto at = [&](const char* core, const char* compiler) {
    return priced(tables, work, {core, "cmsis-nn", compiler});
  };
  const double ratio = at("cortex-m55", "gcc-Os").typical / at("cortex-m55", "gcc-O2").typical;
  CHECK(ratio > 2);
  CHECK(at("cortex-m4", "gcc-Os").typical == Approx(ratio * at("cortex-m4", "gcc-O2").typical));
  CHECK(at("cortex-m4", "gcc-Os").high > 1.3 * ratio * at("cortex-m4", "gcc-O2").typical);
}
