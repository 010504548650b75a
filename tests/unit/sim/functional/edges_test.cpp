#include "sim/functional/findings/access.hpp"
#include "sim/functional/findings/byte_set.hpp"
#include "sim/functional/findings/registers.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

// Last permitted values, and the first ones that are rejected.
using namespace macaw;
using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

template <class... Of>
bool has_problem(const std::string& part, const Of&... of) {
  bool found = false;
  check_registers(of..., [&](FindingKind, const std::string& message) { found |= message.find(part) != message.npos; });
  return found;
}
bool refused(const BlockOperation& op, const std::string& part) {
  return has_problem(part, op, accelerator(op.family == Family::kU85 ? "ethos-u85-256" : "ethos-u55-128"));
}

}  // namespace

TEST_CASE("bounds of a forced range are compared with their sign") {
  BlockOperation op;
  op.ofm.is_signed = false;
  op.activation.min = 0xff80;
  op.activation.max = 10;
  const std::string crossed = "ACTIVATION_MIN is above";
  op.activation.clip = ClipRange::kOfmPrecision;
  CHECK(refused(op, crossed));
  for (const auto clip : {ClipRange::kForceInt8, ClipRange::kForceInt16, ClipRange::kForceUint8}) {
    op.activation.clip = clip;
    CHECK_FALSE(refused(op, crossed));
  }
}

TEST_CASE("kernels, strides and banks are allowed to their limits") {
  BlockOperation op;
  op.kernel.height = 64;
  op.kernel.stride_y = op.kernel.stride_x = 3;
  CHECK_FALSE(refused(op, "kernel of more than"));
  CHECK_FALSE(refused(op, "a kernel stride"));
  op.kernel.height = 65;
  op.kernel.stride_x = 4;
  CHECK(refused(op, "kernel of more than"));
  CHECK(refused(op, "a kernel stride"));
  op.ab_start = accelerator("ethos-u55-128").shram_banks;
  CHECK(refused(op, "accumulators start behind"));
  op.ab_start -= 1;
  CHECK_FALSE(refused(op, "accumulators start behind"));
}

TEST_CASE("IFM2 buffers start behind the two output banks and no later than the IFM buffers end") {
  BlockOperation op;
  op.kind = OpKind::kElementwise;
  op.elementwise = ElementwiseMode::kAdd;
  op.ib_end = 20;
  for (const int start : {0, 1, 2, 20, 21}) {
    op.ib2_start = start;
    INFO("bank " << start);
    CHECK(refused(op, "the IFM2 buffers start") == (start < 2 || start > 20));
  }
}

TEST_CASE("a copy has whole 16 bytes where either side lies in the NPU") {
  DmaOperation dma;
  dma.family = Family::kU65;
  dma.len = 20;
  CHECK_FALSE(has_problem("DMA0_LEN", dma));
  dma.src_internal = true;
  CHECK(has_problem("DMA0_LEN", dma));
  dma.src_internal = false;
  dma.dst_internal = true;
  CHECK(has_problem("DMA0_LEN", dma));
}

TEST_CASE("only U55 wants external addresses of copies at 16 bytes") {
  DmaOperation dma;
  dma.src = 4;
  dma.len = 16;
  dma.family = Family::kU55;
  CHECK(has_problem("DMA0_SRC", dma));
  dma.family = Family::kU65;
  CHECK_FALSE(has_problem("DMA0_SRC", dma));
  dma.src_internal = true;
  CHECK(has_problem("DMA0_SRC", dma));
}

TEST_CASE("a set of bytes holds whole words, and bounds follow strides down") {
  ByteSet set(256);
  set.add({0, 64});
  CHECK(set.first_not_in({0, 128}) == 64);
  CHECK(set.first_in({63, 128}) == 63);
  set.add({100, 192});
  CHECK(set.first_not_in({100, 256}) == 192);
  auto transfer = contiguous(Channel::kReadIfm, 1, 100, 4);
  transfer.levels[0] = {3, -16};
  const auto bounds = bounds_of({&transfer, 1});
  REQUIRE(bounds);
  CHECK(bounds->first == 68);
  CHECK(bounds->last == 104);
}
