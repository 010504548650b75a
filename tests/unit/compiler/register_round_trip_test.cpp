#include "compiler/emit_block.hpp"
#include "sim/isa/command_parser.hpp"

#include <catch2/catch.hpp>

using namespace macaw;
using namespace macaw::npu;

namespace {

FeatureMap map_of(int region, int bits, bool is_signed) {
  FeatureMap map{.region = region, .layout = Layout::kNHCWB16, .is_signed = is_signed, .bits = bits};
  map.zero_point = is_signed ? -5 : 250;
  map.base = {0x100, 0x200, 0x300, 0x400};
  map.stride_x = 16, map.stride_y = -512, map.stride_c = 256;
  map.width0 = 9, map.height0 = 5, map.height1 = 3;
  map.h = 6, map.w = 7, map.c = 20;
  return map;
}

BlockOperation operation(const Accelerator& accelerator, OpKind kind) {
  BlockOperation op;
  op.family = accelerator.family;
  op.kind = kind;
  op.pool = PoolMode::kAverage;
  op.ifm = map_of(1, 8, true);
  op.ifm2 = map_of(2, 8, false);
  op.ofm = map_of(3, 16, true);
  op.upscale = Upscale::kZeros;
  op.kernel = {.height = 3, .width = 5, .stride_y = 2, .stride_x = 3, .dilation_y = 2, .pad_top = 1, .pad_right = 2};
  op.kernel.part_kernel_first = kind == OpKind::kConv;
  op.block = {4, 6, 16};
  op.ublock = accelerator.ofm_ublock;
  for (std::size_t i = 0; i < op.weights.size(); ++i) op.weights[i] = {0, 0x1000 * (i + 1), 64 * (i + 1)};
  op.scales[0] = {0, 0x8000, 80};
  op.scale_per_channel = kind == OpKind::kConv;
  op.ofm_scale = {1234567, 20, Rounding::kNatural};
  op.ifm_scale = {77, 3, Rounding::kNatural};
  op.ifm2_scale = {88, 0, Rounding::kNatural};
  op.ifm2_broadcast = {.w = true};
  op.activation = {.function = ActivationFunction::kTable, .table = 1, .min = 0xff80, .max = 0x7f};
  if (accelerator.family == Family::kU85) op.activation.form = TableForm::kS8S8;
  op.blockdep = 2;
  op.ib_end = 20, op.ib2_start = 10, op.ab_start = 30;
  op.resize_step = {.n_x = 3, .n_y = 5, .offset_x = -2, .offset_y = 4, .one_step_int_x = 1, .blk_step_mod_y = 7};
  return op;
}

std::vector<std::uint32_t> written(const BlockOperation& op, const Accelerator& accelerator) {
  CommandWriter writer(accelerator.family);
  emit_block_operation(writer, op, accelerator);
  writer.op("STOP", {{"mask", 1}});
  const auto words = writer.finish();
  if (!words) FAIL(words.error().to_string());
  return *words;
}

BlockOperation read_back(const std::vector<std::uint32_t>& words, const Accelerator& accelerator) {
  const auto read = CommandParser(accelerator, words).next();
  if (!read) FAIL(read.error().to_string());
  return std::get<BlockOperation>(read->action);
}

}  // namespace

TEST_CASE("an operation that is read back from its registers writes the same registers") {
  for (const auto& accelerator : accelerators())
    for (const auto kind : {OpKind::kConv, OpKind::kDepthwise, OpKind::kPool, OpKind::kElementwise, OpKind::kResize}) {
      if (kind == OpKind::kResize && accelerator.family != Family::kU85) continue;
      INFO(accelerator.name << ", kind " << static_cast<int>(kind));
      const auto words = written(operation(accelerator, kind), accelerator);
      CHECK(written(read_back(words, accelerator), accelerator) == words);
    }
}

TEST_CASE("registers keep signs, splits and codes of what was written to them") {
  const auto& accelerator = *find_accelerator("ethos-u85-512");
  const auto op = read_back(written(operation(accelerator, OpKind::kConv), accelerator), accelerator);
  CHECK(op.ifm.zero_point == -5);
  CHECK(op.ofm.stride_y == -512);
  CHECK(op.ofm.bits == 16);
  CHECK((op.kernel.stride_y == 2 && op.kernel.stride_x == 3 && op.kernel.dilation_y == 2));
  CHECK(op.ofm_scale.rounding == Rounding::kNatural);
  CHECK(op.activation.form == TableForm::kS8S8);
  CHECK(op.activation.table == 1);
  CHECK(op.ublock == accelerator.ofm_ublock);
  CHECK(op.weights[1].base == 0x2000);
}

TEST_CASE("a rounding that a family has no code for is the compiler's error") {
  const auto& accelerator = *find_accelerator("ethos-u55-128");
  auto op = operation(accelerator, OpKind::kPool);
  op.ofm_scale.rounding = Rounding::kSymmetric;
  CommandWriter writer(accelerator.family);
  emit_block_operation(writer, op, accelerator);
  const auto words = writer.finish();
  REQUIRE_FALSE(words);
  CHECK(words.error().code == ErrorCode::kUnsupported);
  CHECK_THAT(words.error().message, Catch::Contains("NPU_SET_OFM_PRECISION round_mode"));
}
