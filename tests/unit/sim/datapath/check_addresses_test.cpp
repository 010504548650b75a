#include <catch2/catch.hpp>
#include <vector>

#include "sim/datapath/dma.hpp"
#include "sim/datapath/execute.hpp"

using namespace macaw;
using namespace macaw::npu;

namespace {

struct Memory {
  std::vector<std::uint8_t> constants = std::vector<std::uint8_t>(64), arena = std::vector<std::uint8_t>(256);
  MemoryMap map;
  Memory() {
    map.regions[0] = {constants, true, false};
    map.regions[1] = {arena, true, true};
  }
};

DmaOperation gather(int idx_region) {
  DmaOperation op;
  op.family = Family::kU85;
  op.dimensions = 2;
  op.size0 = 4;
  op.src_indexed = true;
  op.src_region = op.dst_region = 1;
  op.idx_region = idx_region;
  op.src_stride0 = op.dst_stride0 = 16;
  op.dst = 128;
  op.len = 16;
  op.idx_max = 7;
  return op;
}

}  // namespace

TEST_CASE("a DMA job without values: ranges as in a run, computed indices refused") {
  Memory memory;
  memory.constants[4] = 7;
  CHECK(check_addresses(gather(0), memory.map));
  CHECK(memory.arena == std::vector<std::uint8_t>(256));
  memory.constants[4] = 8;
  CHECK(check_addresses(gather(0), memory.map).error().code == ErrorCode::kHardwareFault);
  const auto computed = check_addresses(gather(1), memory.map);
  REQUIRE_FALSE(computed);
  CHECK(computed.error().code == ErrorCode::kUnsupported);
  CHECK(computed.error().message.find("indices") != std::string::npos);
  auto outside = gather(0);
  outside.src_indexed = false;
  outside.dst = 256 - 16;
  CHECK(check_addresses(outside, memory.map).error().message == execute(outside, memory.map).error().message);
}

TEST_CASE("a block operation without values: maps and streams lie in their regions") {
  Memory memory;
  const Accelerator& npu = *find_accelerator("ethos-u55-128");
  BlockOperation op;
  op.kind = OpKind::kElementwise;
  op.elementwise = ElementwiseMode::kAbs;
  for (FeatureMap* map : {&op.ifm, &op.ifm2, &op.ofm}) {
    map->region = 1;
    map->is_signed = true;
    map->h = map->height0 = map->height1 = 2;
    map->w = map->width0 = 4;
    map->c = 8;
    map->stride_c = 1;
    map->stride_x = 8;
    map->stride_y = 32;
  }
  op.ofm.base.fill(128);
  op.block = {2, 4, 8};
  CHECK(check_addresses(op, npu, memory.map));
  op.ofm.base.fill(256 - 63);
  const auto outside = check_addresses(op, npu, memory.map);
  REQUIRE_FALSE(outside);
  CHECK(outside.error().code == ErrorCode::kHardwareFault);
  CHECK(outside.error().message.find("OFM") != std::string::npos);
  op.ofm.region = 0;
  CHECK(check_addresses(op, npu, memory.map).error().message.find("read-only") != std::string::npos);
}
