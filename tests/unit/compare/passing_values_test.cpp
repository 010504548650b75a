#include "workflow/compare/passing_values.hpp"
#include "sim/datapath/execute.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

// What passes through a product of two bytes, of each type that may be stored (u55_u65 5.1).
using namespace macaw;
using namespace macaw::compare;

namespace {

npu::FeatureMap byte_at(std::uint64_t base, bool is_signed, int bits = 8) {
  npu::FeatureMap map{.region = 0, .is_signed = is_signed, .bits = bits, .h = 1, .w = 1, .c = 1};
  map.base.fill(base);
  map.width0 = map.height0 = map.height1 = 1;
  map.stride_x = map.stride_y = map.stride_c = 16;
  return map;
}

struct Shown {
  std::vector<std::int64_t> read, computed;
};

/// The values of a product of two signed bytes on its way to an element of `bits`.
Shown product(std::int8_t a, std::int8_t b, int bits, bool is_signed, int zero_point = 0) {
  std::vector<std::uint8_t> bytes(64);
  bytes[0] = static_cast<std::uint8_t>(a);
  bytes[16] = static_cast<std::uint8_t>(b);
  npu::MemoryMap memory;
  memory.regions[0] = {bytes, true, true};
  npu::BlockOperation op;
  op.kind = npu::OpKind::kElementwise;
  op.elementwise = npu::ElementwiseMode::kMul;
  op.ifm = byte_at(0, true);
  op.ifm2 = byte_at(16, true);
  op.ofm = byte_at(32, is_signed, bits);
  op.ofm.zero_point = zero_point;
  op.activation.max = is_signed ? 0x7f : 0xff;
  op.activation.min = is_signed ? 0xff80 : 0;
  op.block = {1, 1, 16};
  Shown shown;
  show_values(op, *npu::find_accelerator("ethos-u55-128"), memory, [&](const PassingValues& values) {
    REQUIRE(values.values.size() == 1);
    (values.kind == PassingValues::Kind::kRead ? shown.read : shown.computed).push_back(values.values[0]);
  });
  return shown;
}

bool shows(const std::vector<std::int64_t>& values, std::int64_t value) {
  return std::ranges::count(values, value) != 0;
}

}  // namespace

TEST_CASE("operands are shown as they are read, and a product before and after it is stored") {
  const auto shown = product(5, -7, 8, true);
  CHECK(shown.read == std::vector<std::int64_t>{5, -7});
  CHECK(shows(shown.computed, -35));
}

TEST_CASE("what is stored is shown within the range of its type") {
  struct Row {
    int a, b, bits;
    bool is_signed;
    int zero_point;
    std::int64_t stored, never;
  };
  for (const Row& row :
       {Row{20, 10, 8, true, 0, 127, 255}, Row{20, -10, 8, true, 0, -128, -256}, Row{20, 20, 8, false, 0, 255, 511},
        Row{5, -7, 8, false, 0, 0, -1}, Row{20, 10, 8, false, 0, 200, 127}, Row{5, 20, 8, true, 30, 127, 130},
        Row{100, 100, 16, true, 0, 10000, 127}, Row{-128, -128, 16, true, 0, 16384, 127},
        Row{-128, -128, 16, true, 30000, 32767, 46384}}) {
    const auto shown = product(static_cast<std::int8_t>(row.a), static_cast<std::int8_t>(row.b), row.bits,
                               row.is_signed, row.zero_point);
    INFO(row.a << " * " << row.b << " + " << row.zero_point << " in " << row.bits << " bits");
    CHECK(shows(shown.computed, row.a * row.b));
    CHECK(shows(shown.computed, row.stored));
    CHECK_FALSE(shows(shown.computed, row.never));
  }
}
