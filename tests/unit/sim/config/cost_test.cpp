#include "sim/config/cost.hpp"

#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using macaw::test::accelerator;

TEST_CASE("U85 has two accumulator buffers where two blocks fit, at 4 bytes or 8") {
  const auto& u85 = accelerator("ethos-u85-256");
  BlockOperation op;
  op.family = Family::kU85;
  op.block = {1, 1, u85.ram.accumulators / 8};
  op.acc_format = AccFormat::kI32;
  CHECK(accumulator_buffers_u85(op, u85) == 2);
  op.acc_format = AccFormat::kI48;
  CHECK(accumulator_buffers_u85(op, u85) == 1);
  op.block.c /= 2;
  CHECK(accumulator_buffers_u85(op, u85) == 2);
  op.block.c *= 2;
  op.acc_format = AccFormat::kI32;
  op.block.h = 2;
  CHECK(accumulator_buffers_u85(op, u85) == 1);
}

TEST_CASE("fast weights and those of IFM2 come at a rate of their own") {
  const auto& u85 = accelerator("ethos-u85-1024");
  const auto params = default_params(u85);
  BlockOperation op;
  op.family = Family::kU85;
  CHECK(cycles_per_weight_u85(op, u85, params) == 1 / (params.stream_weights_per_cycle * u85.weight_decoders));
  op.fast_weights = true;
  CHECK(cycles_per_weight_u85(op, u85, params) == 1 / params.fast_weights_per_cycle);
  REQUIRE(params.fast_weights_per_cycle != params.stream_weights_per_cycle * u85.weight_decoders);
}

TEST_CASE("the time of a weight stream is spread over the weights that its decoders deliver") {
  const auto& u85 = accelerator("ethos-u85-512");
  const auto params = default_params(u85);
  BlockOperation op;
  op.family = Family::kU85;
  op.kind = OpKind::kConv;
  op.ofm.c = 72;
  op.block = {2, 2, 32};
  op.ublock = {2, 2, 16};
  op.ifm.c = 20;
  op.kernel.height = op.kernel.width = 3;
  // 32 + 32 + 8 channels, the last ones rounded to 16, 9 taps of 32 channels.
  CHECK(decoded_weights_u85(op) == 80 * 9 * 32);
  CHECK(cycles_per_weight_u85(op, u85, params, 1152.0) == 1152.0 / (80 * 9 * 32));
  op.sparse_weights = true;
  CHECK(decoded_weights_u85(op) == 80 * 9 * 16);
  op.sparse_weights = false;
  op.kind = OpKind::kDepthwise;
  CHECK(decoded_weights_u85(op) == 80 * 9);
  op.fast_weights = true;
  CHECK(cycles_per_weight_u85(op, u85, params, 1152.0) == 1 / params.fast_weights_per_cycle);
}

TEST_CASE("U85: elements of 32 bits cost what their width in memory does") {
  auto params = default_params(accelerator("ethos-u85-256"));
  params.ao_binary32 = 3;
  params.ao_binary32_narrow = 2;
  BlockOperation op;
  op.family = Family::kU85;
  op.kind = OpKind::kElementwise;
  op.elementwise = ElementwiseMode::kAdd;
  op.ifm.bits = op.ofm.bits = 32;
  CHECK(output_cycles_per_element(op, params) == 3);
  op.ofm.storage = Storage::kChained;
  CHECK(output_cycles_per_element(op, params) == 2);
  op.ofm.storage = Storage::kTile2x2;
  op.ofm.bits = 8;
  CHECK(output_cycles_per_element(op, params) == 2);
}
