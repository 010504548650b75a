#include "sim/timed/device/shared_bytes.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

OperationTiming operation(std::vector<Movement> movements) {
  OperationTiming one;
  one.memory = std::move(movements);
  return one;
}

Movement access(int region, std::uint64_t first, std::uint64_t last, bool write) {
  return {"", region, last - first + 1, first, last, write};
}

constexpr std::array<std::uint64_t, 8> kBases = {0x1000, 0x2000, 0x2800};

}  // namespace

TEST_CASE("regions that reach the same bytes, one of them writing, are named with the bytes") {
  const std::vector<OperationTiming> operations = {operation({access(1, 0, 0x8ff, false)}),
                                                   operation({access(2, 0x40, 0x7f, true)})};
  const auto found = shared_bytes(operations, kBases);
  REQUIRE(found);
  CHECK(found->find("regions 1 and 2 share the bytes 0x2840 to 0x287f") == 0);
}

TEST_CASE("regions side by side, and bytes that are only read, share nothing") {
  CHECK_FALSE(shared_bytes(
      std::vector{operation({access(1, 0, 0x7ff, true), access(2, 0, 0x7ff, true), access(0, 0, 0xfff, false)})},
      kBases));
  CHECK_FALSE(shared_bytes(std::vector{operation({access(1, 0, 0xfff, false), access(2, 0, 0xff, false)})}, kBases));
  CHECK_FALSE(shared_bytes(std::vector{operation({access(1, 0, 0xff, false), access(1, 0, 0xff, true)})}, kBases));
  CHECK_FALSE(shared_bytes(std::vector{operation({access(-1, 0, 0xfff, true), access(1, 0, 0xff, true)})}, kBases));
}

TEST_CASE("a write below a long read of another region is found") {
  const std::vector<OperationTiming> operations = {
      operation({access(2, 0x100, 0x1ff, false), access(1, 0x700, 0xfff, true), access(1, 0x710, 0x720, false)})};
  CHECK(shared_bytes(operations, kBases));
}

TEST_CASE("a short access does not hide a longer one of its region that began before it") {
  for (const bool first_writes : {false, true})
    for (const bool last_writes : {false, true}) {
      const std::vector<OperationTiming> operations = {operation({access(1, 0x700, 0xfff, first_writes)}),
                                                       operation({access(1, 0x710, 0x720, first_writes)}),
                                                       operation({access(2, 0x100, 0x1ff, last_writes)})};
      CHECK(shared_bytes(operations, kBases).has_value() == (first_writes || last_writes));
    }
}

TEST_CASE("one byte is enough") {
  for (const std::uint64_t last : {0x7ffu, 0x800u})
    CHECK(shared_bytes(std::vector{operation({access(1, 0, last, true), access(2, 0, 0x7ff, true)})}, kBases)
              .has_value() == (last == 0x800));
}

TEST_CASE("what two regions share depends on the kinds of access, their order and the last byte") {
  struct Row {
    bool first_writes, second_writes;
    std::uint64_t second_begins;
    bool shares;
  };
  // Region 1 reaches 0x2700 to 0x27ff of the bus, region 2 as many bytes from second_begins on.
  for (const Row& row : {Row{true, true, 0x27ff, true},
                         {true, true, 0x2800, false},
                         {true, false, 0x27ff, true},
                         {true, false, 0x2800, false},
                         {false, true, 0x27ff, true},
                         {false, true, 0x2800, false},
                         {false, false, 0x2700, false},
                         {true, false, 0x2601, true},
                         {false, true, 0x2601, true},
                         {true, true, 0x2600, false}}) {
    const std::array<std::uint64_t, 8> bases = {0, 0x2000, row.second_begins};
    const std::vector<OperationTiming> operations = {operation({access(1, 0x700, 0x7ff, row.first_writes)}),
                                                     operation({access(2, 0, 0xff, row.second_writes)})};
    CAPTURE(row.first_writes, row.second_writes, row.second_begins);
    CHECK(shared_bytes(operations, bases).has_value() == row.shares);
  }
}

TEST_CASE("one byte that regions share is told as such, region 0 like any other") {
  const std::array<std::uint64_t, 8> bases = {0x1000, 0, 0, 0, 0, 0, 0, 0x1010};
  const auto found =
      shared_bytes(std::vector{operation({access(7, 0, 0xf, true)}), operation({access(0, 0, 0x10, false)})}, bases);
  REQUIRE(found);
  CHECK(found->find("regions 0 and 7 share the bytes 0x1010 to 0x1010") == 0);
}
