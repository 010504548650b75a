#include "sim/artifact/local_addresses.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;

TEST_CASE("operands without an address fill what the others leave, in their order") {
  // Sizes and addresses of movenet's operators that share tensors, as Vela 5.1 gave them.
  std::vector<LocalOperand> operands{{54, 51, 0}, {55, 272, 64}, {56, 17, 39712}, {40, 204, {}}, {29, 39168, {}}};
  REQUIRE(complete_addresses(operands));
  CHECK(operands[3].offset == 336);
  CHECK(operands[4].offset == 544);

  // A gap is looked for anew behind each operand, those that are listed before it too.
  std::vector<LocalOperand> upwards{{0, 16, 16}, {1, 16, 0}, {2, 16, {}}};
  REQUIRE(complete_addresses(upwards));
  CHECK(upwards[2].offset == 32);

  std::vector<LocalOperand> first{{0, 4, {}}, {1, 4, 16}};
  REQUIRE(complete_addresses(first));
  CHECK(first[0].offset == 0);
}

TEST_CASE("operands on each other are found") {
  // movenet's first operator with a shared output, whose address is that of the operator that reads it.
  const auto found = overlapping({{29, 39168, 544}, {28, 39168, 0}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].first.tensor == 28);
  CHECK(found[0].second.tensor == 29);
  CHECK(overlapping({{0, 16, 0}, {1, 16, 16}}).empty());
}

TEST_CASE("operands that leave a gap have addresses that cannot be told") {
  std::vector<LocalOperand> operands{{0, 16, 0}, {1, 16, 48}, {2, 16, {}}};
  CHECK_FALSE(complete_addresses(operands));
  // Those that are all told may have gaps.
  std::vector<LocalOperand> told{{0, 16, 0}, {1, 16, 48}};
  CHECK(complete_addresses(told));
}
