#include "sim/config/params.hpp"
#include "sim/timed/movements.hpp"
#include "tests/unit/sim/timed/bench.hpp"

#include <catch2/catch.hpp>

// Shares of the MAC lanes and costs of the output unit, for operations whose figures follow by hand.
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

OperationTiming described(const Bench& bench, const BlockOperation& op) {
  OperationTiming timing;
  timing.name = "NPU_OP_CONV";
  add_movements(timing, op, bench.accelerator);
  add_output_cost(timing, op, bench.config.params);
  REQUIRE(timing.details);
  if (timing.details->lanes)
    CHECK(timing.details->lanes->product() ==
          Approx(static_cast<double>(timing.macs) /
                 (static_cast<double>(timing.details->mac_cycles) * bench.accelerator.macs)));
  return timing;
}

}  // namespace

TEST_CASE("a convolution that fills the micro-blocks and the dot products uses every lane") {
  Bench bench;  // ethos-u55-128: micro-blocks of 1x2x8
  const auto timing = described(bench, pointwise(8, 8, 32, 16, {8, 8, 16}, 512));
  const auto& d = *timing.details;
  REQUIRE(d.lanes);
  CHECK(d.lanes->product() == Approx(1));
  CHECK(d.mac_cycles == 8 * 8 * 16 * 32 / 128);
  CHECK((d.ifm == std::array{8, 8, 32} && d.ofm == std::array{8, 8, 16} && d.block == std::array{8, 8, 16}));
  CHECK((d.granule == bench.accelerator.ofm_ublock.c && d.mode.empty() && !d.table));
}

TEST_CASE("lanes are lost to channels, positions, input channels and the width of the IFM, each by its share") {
  Bench bench;
  const auto channels = described(bench, pointwise(8, 8, 32, 10, {8, 8, 16}, 512)).details->lanes.value();
  CHECK(channels.channels == Approx(10.0 / 16));
  CHECK(channels.product() == Approx(10.0 / 16));
  const auto inputs = described(bench, pointwise(8, 8, 24, 16, {8, 8, 16}, 512)).details->lanes.value();
  CHECK(inputs.inputs == Approx(24.0 / 32));
  CHECK(inputs.product() == Approx(24.0 / 32));
  const auto positions = described(bench, pointwise(8, 5, 32, 16, {8, 8, 16}, 512)).details->lanes.value();
  const int width = bench.accelerator.ofm_ublock.w;
  CHECK(positions.positions == Approx(5.0 / ((5 + width - 1) / width * width)));
  CHECK(positions.product() == Approx(positions.positions));
  auto wide = pointwise(8, 8, 32, 16, {8, 8, 16}, 512);
  wide.ifm.bits = 16;
  wide.ifm.stride_c = 2;
  wide.ifm.stride_x *= 2;
  wide.ifm.stride_y *= 2;
  const auto bits = described(bench, wide).details->lanes.value();
  CHECK(bits.bits == Approx(0.5));
  CHECK(bits.product() == Approx(0.5));
}

TEST_CASE("a depthwise kernel of 3x3 takes three groups of four taps and one input channel for each output channel") {
  Bench bench;
  auto op = pointwise(8, 8, 16, 16, {8, 8, 16}, 256);
  op.kind = OpKind::kDepthwise;
  op.kernel.height = op.kernel.width = 3;
  op.kernel.pad_top = op.kernel.pad_left = op.kernel.pad_bottom = op.kernel.pad_right = 1;
  const auto lanes = described(bench, op).details->lanes.value();
  CHECK(lanes.kernel == Approx(9.0 / 12 / 8));
}

TEST_CASE("the cost of an element is a constant of the model, by its name") {
  Bench bench;
  auto op = pointwise(8, 8, 32, 16, {8, 8, 16}, 512);
  CHECK(described(bench, op).details->output_rule == "ao_default");
  CHECK(described(bench, op).details->output_cycles == bench.config.params.ao_default);
  op.activation.function = ActivationFunction::kTable;
  CHECK(described(bench, op).details->output_rule == "ao_activation_table");
  CHECK(described(bench, op).details->table);
  auto sum = absolute(8, 8, 16, {4, 4, 16});
  sum.elementwise = ElementwiseMode::kAdd;
  sum.ifm2 = sum.ifm;
  sum.ifm2.base[0] += 4096;
  sum.operand_scaling = OperandScaling::kOpa32;
  const auto timing = described(bench, sum);
  CHECK((timing.details->output_rule == "ao_addsub_advanced" && timing.details->mode == "ADD"));
  CHECK(timing.details->output_cycles == bench.config.params.ao_addsub_advanced);
  CHECK((!timing.details->lanes && timing.details->ifm2 == std::array{8, 8, 16}));
  for (const auto& info : all_params())
    if (info.name == timing.details->output_rule) CHECK(info.text == "ADD and SUB that rescale an operand");
}
