#include "workflow/compare/trace/intermediate_values.hpp"
#include "sim/datapath/execute.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

// Intermediate values of a product of two bytes, of each type that may be stored (u55_u65 5.1).
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
Shown product(std::int8_t a, std::int8_t b, int bits, bool is_signed, int zero_point = 0,
              npu::ActivationFunction function = npu::ActivationFunction::kNone) {
  std::vector<std::uint8_t> bytes(64);
  bytes[0] = static_cast<std::uint8_t>(a);
  bytes[16] = static_cast<std::uint8_t>(b);
  const npu::Accelerator& accelerator = *npu::find_accelerator("ethos-u55-128");
  std::vector<std::uint8_t> shared_ram(static_cast<std::size_t>(accelerator.shram_banks) * 1024);
  npu::MemoryMap memory;
  memory.internal = shared_ram;
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
  op.activation.function = function;
  op.block = {1, 1, 16};
  Shown shown;
  emit_intermediate_values(op, accelerator, memory, [&](const IntermediateValues& values) {
    REQUIRE(values.values.size() == 1);
    (values.kind == IntermediateValues::Kind::kRead ? shown.read : shown.computed).push_back(values.values[0]);
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

TEST_CASE("a table is shown an index of 16 bits at most, whatever it leads to") {
  for (const int bits : {16, 32}) {
    const auto shown = product(-128, -128, bits, true, 30000, npu::ActivationFunction::kTable);
    CAPTURE(bits);
    CHECK(shows(shown.computed, 32767));
    CHECK_FALSE(shows(shown.computed, 46384));
  }
  CHECK(shows(product(-128, -128, 32, true, 30000).computed, 46384));
}

TEST_CASE("a map is shown as it lies in memory, with its zero point around it, and without that") {
  for (const int zero_point : {0, -3, 100}) {
    std::vector<std::uint8_t> bytes = {1, 2, 3, 250, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    npu::MemoryMap memory;
    memory.regions[0] = {bytes, true, true};
    npu::BlockOperation op;
    op.kind = npu::OpKind::kPool;
    op.pool = npu::PoolMode::kMax;
    op.kernel.height = op.kernel.width = 2;
    op.kernel.pad_top = op.kernel.pad_left = 1;
    op.ifm = byte_at(0, true);
    op.ifm.h = op.ifm.w = op.ifm.width0 = op.ifm.height0 = op.ifm.height1 = 2;
    op.ifm.stride_x = 1;
    op.ifm.stride_y = 2;
    op.ifm.zero_point = zero_point;
    op.ofm = op.ifm;
    op.ofm.base.fill(8);
    op.block = {2, 2, 16};
    std::vector<std::vector<std::int64_t>> read, computed;
    emit_intermediate_values(op, *npu::find_accelerator("ethos-u55-128"), memory,
                             [&](const IntermediateValues& values) {
                               const bool whole = values.kind == IntermediateValues::Kind::kRead;
                               (whole ? read : computed).emplace_back(values.values.begin(), values.values.end());
                               if (!whole) return;
                               CHECK(values.pad_top == 1);
                               CHECK(values.pad_left == 1);
                               CHECK(values.pad_bottom == 0);
                               CHECK(values.padding == zero_point);
                             });
    const std::int64_t z = zero_point;
    CAPTURE(zero_point);
    CHECK(read == std::vector<std::vector<std::int64_t>>{{1, 2, 3, -6}});
    CHECK(std::ranges::count(computed, std::vector<std::int64_t>{1 - z, 2 - z, 3 - z, -6 - z}) == 1);
  }
}

TEST_CASE("sums are shown with the bias of their channel") {
  std::vector<std::uint8_t> bytes(64);
  const std::vector<std::uint8_t> elements = {1, 2, 3, 4, 5, 6};
  std::ranges::copy(elements, bytes.begin());
  // A bias of 40 bits, a multiplier of 32 and a shift for each of three channels, in 16 bytes (u55_u65 4).
  for (const std::size_t channel : {0U, 1U, 2U}) {
    bytes[16 + 10 * channel] = static_cast<std::uint8_t>(10 * (channel + 1));
    bytes[16 + 10 * channel + 5] = 2;  // so that no later step shows the same
  }
  npu::MemoryMap memory;
  memory.regions[0] = {bytes, true, true};
  npu::BlockOperation op;
  op.kind = npu::OpKind::kPool;
  op.pool = npu::PoolMode::kAverage;
  op.scale_per_channel = true;
  op.scales[0] = {0, 16, 32};
  op.ifm = byte_at(0, true);
  op.ifm.w = op.ifm.width0 = 2;
  op.ifm.c = 3;
  op.ifm.stride_c = 1;
  op.ifm.stride_x = 3;
  op.ifm.stride_y = 6;
  op.ofm = op.ifm;
  op.ofm.base.fill(56);
  op.block = {1, 2, 16};
  std::vector<std::vector<std::int64_t>> computed;
  emit_intermediate_values(op, *npu::find_accelerator("ethos-u55-128"), memory, [&](const IntermediateValues& values) {
    if (values.kind == IntermediateValues::Kind::kComputed)
      computed.emplace_back(values.values.begin(), values.values.end());
  });
  CHECK(std::ranges::count(computed, std::vector<std::int64_t>{11, 22, 33, 14, 25, 36}) >= 1);
}
