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

TEST_CASE("an operation has weights, scales and a second map as its kind and its registers say", "[isa]") {
  struct Row {
    OpKind kind;
    bool from_ifm2, per_channel;
    AccInput input;
    bool weights, scales, ifm2;
  };
  using enum OpKind;
  using enum AccInput;
  for (const Row& row :
       {Row{kConv, false, false, kReset, true, true, false}, Row{kConv, false, true, kKeep, true, true, false},
        Row{kConv, true, false, kReset, false, false, true}, Row{kConv, true, true, kReset, false, true, true},
        Row{kDepthwise, false, false, kReset, true, true, false}, Row{kDepthwise, false, true, kIfm2, true, true, true},
        Row{kPool, false, true, kReset, false, true, false}, Row{kPool, false, false, kIfm2, false, false, true},
        Row{kResize, false, true, kReset, false, false, false}, Row{kResize, false, true, kIfm2, false, false, true},
        Row{kElementwise, false, true, kIfm2, false, false, true}}) {
    BlockOperation op;
    op.family = Family::kU85;
    op.kind = row.kind;
    op.pool = PoolMode::kSum;
    op.weights_from_ifm2 = row.from_ifm2;
    op.scale_per_channel = row.per_channel;
    op.acc_input = row.input;
    op.scales[0].length = 16;
    INFO(static_cast<int>(row.kind) << ' ' << row.from_ifm2 << row.per_channel << ' ' << static_cast<int>(row.input));
    CHECK(op.has_weights() == row.weights);
    CHECK(op.has_scales() == row.scales);
    CHECK(op.has_ifm2() == row.ifm2);
  }
}

TEST_CASE("what an OFM implies of its IFM is by rows for rows and by columns for columns", "[isa]") {
  BlockOperation op;
  op.ofm.h = 5;
  op.ofm.w = 7;
  op.kernel = {.height = 4, .width = 2, .stride_y = 3, .stride_x = 2};
  CHECK((op.upscaled_h() == 4 * 3 + 4 && op.upscaled_w() == 6 * 2 + 2));
  op.kernel.pad_top = 1;
  op.kernel.pad_bottom = 2;
  op.kernel.pad_left = 10;
  op.kernel.pad_right = 20;
  CHECK((op.upscaled_h() == 16 - 3 && op.upscaled_w() == 14 - 30));
}
