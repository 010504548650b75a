#include <catch2/catch.hpp>

#include <macaw/npu/accelerator.hpp>
#include <macaw/npu/operation.hpp>

using namespace macaw::npu;

TEST_CASE("unary operations and those with a scalar have no IFM2", "[isa]") {
  BlockOperation op;
  op.kind = OpKind::kElementwise;
  op.elementwise = ElementwiseMode::kAdd;
  CHECK(op.has_ifm2());
  op.ifm2_broadcast.scalar = true;
  CHECK_FALSE(op.has_ifm2());
  op.ifm2_broadcast.scalar = false;
  for (const auto mode :
       {ElementwiseMode::kAbs, ElementwiseMode::kLrelu, ElementwiseMode::kClz, ElementwiseMode::kNot}) {
    op.elementwise = mode;
    CHECK_FALSE(op.has_ifm2());
  }
}

TEST_CASE("a pool has a scale stream only where its results are scaled by channel", "[isa]") {
  BlockOperation op;
  op.kind = OpKind::kPool;
  op.scale_per_channel = true;
  op.scales[0].length = 16;
  const auto has = [&](Family family, PoolMode mode, int pad) {
    op.family = family;
    op.pool = mode;
    op.kernel.pad_bottom = pad;
    return op.has_scales();
  };
  CHECK_FALSE(has(Family::kU55, PoolMode::kMax, 0));
  CHECK(has(Family::kU85, PoolMode::kMax, 0));
  CHECK(has(Family::kU55, PoolMode::kAverage, 0));
  CHECK_FALSE(has(Family::kU55, PoolMode::kAverage, 1));
  CHECK_FALSE(has(Family::kU85, PoolMode::kAverage, 0));
  for (int Kernel::*side : {&Kernel::pad_top, &Kernel::pad_left, &Kernel::pad_right}) {
    op.kernel = {};
    op.kernel.*side = 1;
    CHECK_FALSE(has(Family::kU55, PoolMode::kAverage, 0));
  }
  op.kernel = {};
  CHECK(has(Family::kU65, PoolMode::kReduceSum, 0));
  op.scales[0].length = 0;
  CHECK_FALSE(has(Family::kU65, PoolMode::kReduceSum, 0));
}

TEST_CASE("a configuration word names an accelerator, its weight decoders included", "[isa]") {
  for (const auto& accelerator : accelerators()) {
    INFO(accelerator.name);
    CHECK(accelerator_from_config(accelerator.config_word) == &accelerator);
    if (accelerator.family == Family::kU85) CHECK(accelerator_from_config(accelerator.config_word ^ 0x3000) == nullptr);
  }
}
