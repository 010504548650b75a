#include <catch2/catch.hpp>

#include "sim/isa/command_parser.hpp"

using namespace macaw;
using namespace macaw::npu;

namespace {

struct Write {
  std::string_view name;
  std::vector<FieldValue> fields;
};

std::vector<std::uint32_t> stream_of(Family family, const std::vector<Write>& writes) {
  std::vector<std::uint32_t> words;
  for (const auto& write : writes) {
    const auto* row = find_command(family, write.name);
    REQUIRE(row);
    const auto encoded = encode(*row, write.fields);
    REQUIRE(encoded);
    words.push_back(encoded->word0);
    if (row->words() == 2) words.push_back(encoded->payload);
  }
  return words;
}

template <class T>
T first(const char* accelerator, const std::vector<Write>& writes) {
  const auto* a = find_accelerator(accelerator);
  const auto words = stream_of(a->family, writes);
  auto step = CommandParser(*a, words).next();
  if (!step) FAIL(step.error().to_string());
  REQUIRE(std::holds_alternative<T>(step->action));
  return std::get<T>(step->action);
}

Error fault(const char* accelerator, const std::vector<Write>& writes) {
  const auto* a = find_accelerator(accelerator);
  const auto words = stream_of(a->family, writes);
  const auto step = CommandParser(*a, words).next();
  REQUIRE_FALSE(step);
  CHECK(step.error().code == ErrorCode::kHardwareFault);
  return step.error();
}

}  // namespace

TEST_CASE("a U55 convolution takes its extents from the OFM and the kernel", "[isa]") {
  const auto op = first<BlockOperation>(
      "ethos-u55-256",
      {{"NPU_SET_OFM_HEIGHT_M1", {{"height_m1", 4}}},
       {"NPU_SET_OFM_WIDTH_M1", {{"width_m1", 6}}},
       {"NPU_SET_OFM_DEPTH_M1", {{"depth_m1", 15}}},
       {"NPU_SET_IFM_DEPTH_M1", {{"depth_m1", 2}}},
       {"NPU_SET_KERNEL_HEIGHT_M1", {{"height_m1", 4}}},
       {"NPU_SET_KERNEL_WIDTH_M1", {{"width_m1", 2}}},
       {"NPU_SET_KERNEL_STRIDE", {{"stride_y_lsb", 1}, {"stride_x_msb", 1}, {"dilation_y", 1}, {"weight_order", 1}}},
       {"NPU_SET_IFM_PAD_TOP", {{"pad", 1}}},
       {"NPU_SET_IFM_PAD_RIGHT", {{"pad", 2}}},
       {"NPU_SET_IFM_PRECISION", {{"activation_type", 1}, {"round_mode", 2}}},
       {"NPU_SET_IFM_ZERO_POINT", {{"zero_point", 0xff80}}},
       {"NPU_SET_OFM_PRECISION", {{"activation_precision", 1}, {"activation_format", 1}, {"round_mode", 1}}},
       {"NPU_SET_OFM_ZERO_POINT", {{"zero_point", 0x8000}}},
       {"NPU_SET_OFM_STRIDE_Y", {{"addr", 0xffffff00}}},
       {"NPU_SET_OFM_BLK_HEIGHT_M1", {{"height_m1", 31}}},
       {"NPU_SET_WEIGHT_BASE", {{"addr", 0x40}}},
       {"NPU_SET_WEIGHT_LENGTH", {{"length", 96}}},
       {"NPU_SET_SCALE_LENGTH", {{"length", 160}}},
       {"NPU_SET_ACC_FORMAT", {{"acc_format", 1}}},
       {"NPU_SET_ACTIVATION", {{"activation_function", 18}, {"activation_clip_range", 3}}},
       {"NPU_SET_BLOCKDEP", {{"blockdep", 3}}},
       {"NPU_OP_CONV", {}}});
  CHECK(op.kind == OpKind::kConv);
  CHECK(op.kernel.stride_y == 2);
  CHECK(op.kernel.stride_x == 3);
  CHECK(op.kernel.dilation_y == 2);
  CHECK(op.kernel.taps_y() == 3);
  CHECK(op.kernel.part_kernel_first);
  CHECK(op.upscaled_h() == 4 * 2 + 5 - 1);
  CHECK(op.upscaled_w() == 6 * 3 + 3 - 2);
  CHECK(op.ifm.h == op.upscaled_h());
  CHECK(op.ifm.w == op.upscaled_w());
  CHECK(op.ifm.c == 3);
  CHECK(op.ifm.zero_point == -128);
  CHECK(op.ofm.zero_point == 0x8000);
  CHECK(op.ofm.bits == 16);
  CHECK(op.ofm.layout == Layout::kNHCWB16);
  CHECK(op.ofm.stride_y == -256);
  CHECK(op.ifm_scale.rounding == Rounding::kNatural);
  CHECK(op.ofm_scale.rounding == Rounding::kTruncateToZero);
  CHECK(op.block.h == 32);
  CHECK(op.acc_format == AccFormat::kI40);
  CHECK(op.activation.function == ActivationFunction::kTable);
  CHECK(op.activation.table == 2);
  CHECK(op.activation.clip == ClipRange::kForceInt8);
  CHECK(op.blockdep == 3);
  CHECK(op.weights[0].base == 0x40);
  CHECK(op.weights[0].length == 96);
  CHECK(op.weights[1].length == 0);
  CHECK(op.scale_per_channel);
  CHECK((op.has_weights() && op.has_scales() && !op.has_ifm2()));
  CHECK(op.ublock == Hwc{2, 2, 8});
}

TEST_CASE("one-row convolutions turn the 2x2 micro-block", "[isa]") {
  const std::vector<Write> row{{"NPU_SET_OFM_WIDTH_M1", {{"width_m1", 3}}}, {"NPU_OP_CONV", {}}};
  CHECK(first<BlockOperation>("ethos-u55-256", row).ublock == Hwc{1, 4, 8});
  CHECK(first<BlockOperation>("ethos-u65-512", row).ublock == Hwc{1, 4, 8});
  CHECK(first<BlockOperation>("ethos-u55-128", row).ublock == Hwc{1, 2, 8});
  const std::vector<Write> odd{{"NPU_SET_OFM_WIDTH_M1", {{"width_m1", 4}}}, {"NPU_OP_CONV", {}}};
  CHECK(first<BlockOperation>("ethos-u55-256", odd).ublock == Hwc{2, 2, 8});
}

TEST_CASE("padding may leave nothing to read", "[isa]") {
  const auto op = first<BlockOperation>(
      "ethos-u85-256",
      {{"NPU_SET_IFM_PAD_TOP", {{"pad", 3}}}, {"NPU_SET_ACC_FORMAT", {{"microblock", 1}}}, {"NPU_OP_DEPTHWISE", {}}});
  CHECK(op.upscaled_h() == -2);
  CHECK(op.ifm.h == 0);
}

TEST_CASE("elementwise operands have the extents of the OFM but for broadcasts", "[isa]") {
  const std::vector<Write> extents{{"NPU_SET_OFM_HEIGHT_M1", {{"height_m1", 3}}},
                                   {"NPU_SET_OFM_WIDTH_M1", {{"width_m1", 4}}},
                                   {"NPU_SET_OFM_DEPTH_M1", {{"depth_m1", 5}}}};
  auto u55 = extents;
  u55.push_back({"NPU_SET_IFM2_BROADCAST", {{"broadcast_w", 1}, {"operand_order", 1}}});
  u55.push_back({"NPU_OP_ELEMENTWISE", {{"elementwise_mode", 2}}});
  auto op = first<BlockOperation>("ethos-u55-64", u55);
  CHECK(op.elementwise == ElementwiseMode::kSub);
  CHECK(op.operands_swapped);
  CHECK((op.ifm2.h == 4 && op.ifm2.w == 1 && op.ifm2.c == 6));
  CHECK((op.has_ifm2() && !op.has_weights() && !op.has_scales()));

  auto scalar = extents;
  scalar.push_back({"NPU_SET_IFM2_PRECISION", {{"activation_type", 1}}});
  scalar.push_back({"NPU_SET_IFM2_SCALAR", {{"scalar", 0xfffe}}});
  scalar.push_back({"NPU_SET_IFM2_BROADCAST", {{"broadcast_constant", 1}}});
  scalar.push_back({"NPU_OP_ELEMENTWISE", {}});
  op = first<BlockOperation>("ethos-u65-256", scalar);
  CHECK(op.scalar == -2);
  CHECK_FALSE(op.has_ifm2());

  auto u85 = extents;
  u85.push_back({"NPU_SET_IFM_BROADCAST", {{"broadcast_mode", 5}}});
  u85.push_back({"NPU_SET_IFM2_BROADCAST", {{"broadcast_mode", 8}}});
  u85.push_back({"NPU_SET_OP_SCALAR", {{"scalar", 0xffffffff}}});
  u85.push_back({"NPU_SET_IFM_SCALE", {{"scale", 7}, {"shift", 3}, {"dbl_rnd", 20}, {"round_mode", 1}}});
  u85.push_back({"NPU_SET_ACC_FORMAT", {{"microblock", 3}}});
  u85.push_back({"NPU_OP_ELEMENTWISE", {{"elementwise_mode", 42}}});
  op = first<BlockOperation>("ethos-u85-256", u85);
  CHECK(op.elementwise == ElementwiseMode::kAndNot);
  CHECK((op.ifm.h == 1 && op.ifm.w == 5 && op.ifm.c == 1));
  CHECK(op.scalar == -1);
  CHECK_FALSE(op.has_ifm2());
  CHECK((op.ifm_scale.scale == 7 && op.ifm_scale.shift == 3 && op.ifm_scale.dbl == 20));
  CHECK(op.ifm_scale.rounding == Rounding::kNatural);
}

TEST_CASE("U85 operations", "[isa]") {
  const auto matmul = first<BlockOperation>("ethos-u85-512", {{"NPU_SET_OFM_DEPTH_M1", {{"depth_m1", 9}}},
                                                              {"NPU_SET_IFM_DEPTH_M1", {{"depth_m1", 6}}},
                                                              {"NPU_SET_ACC_FORMAT", {{"microblock", 2}}},
                                                              {"NPU_OP_CONV", {{"weights_ifm2", 1}}}});
  CHECK(matmul.ublock == Hwc{1, 4, 16});
  CHECK((matmul.ifm2.h == 1 && matmul.ifm2.w == 10 && matmul.ifm2.c == 7));
  CHECK((matmul.has_ifm2() && !matmul.has_weights()));

  const auto resize = first<BlockOperation>("ethos-u85-128", {{"NPU_SET_KERNEL_HEIGHT_M1", {{"height_m1", 7}}},
                                                              {"NPU_SET_ACC_FORMAT", {{"microblock", 1}}},
                                                              {"NPU_SET_RESIZE_X_OFFSET", {{"resize_x_offset", 0xfff}}},
                                                              {"NPU_SET_RESIZE_Y", {{"one_step_mod", 5}}},
                                                              {"NPU_OP_RESIZE", {{"resize_mode", 2}}}});
  CHECK(resize.ifm.h == 8);
  CHECK(resize.resize_step.offset_x == -1);
  CHECK(resize.resize_step.one_step_mod_y == 5);
  CHECK(resize.resize == ResizeFilter::kNearest);

  const auto weights = first<BlockOperation>("ethos-u85-1024", {{"NPU_SET_WEIGHT3_LENGTH", {{"length", 32}}},
                                                                {"NPU_SET_WEIGHT_FORMAT", {{"weight_format", 1}}},
                                                                {"NPU_SET_ACC_FORMAT", {{"microblock", 4}}},
                                                                {"NPU_OP_CONV", {}}});
  CHECK(weights.weights[3].length == 32);
  CHECK(weights.fast_weights);
  CHECK(weights.ublock == Hwc{2, 4, 16});

  const auto lut = first<BlockOperation>("ethos-u85-128", {{"NPU_SET_ACTIVATION", {{"activation_function", 10}}},
                                                           {"NPU_SET_ACC_FORMAT", {{"microblock", 0}}},
                                                           {"NPU_OP_POOL", {{"pooling_mode", 3}}}});
  CHECK(lut.activation.function == ActivationFunction::kTanh);
  CHECK(lut.activation.form == TableForm::kTanh);
}

TEST_CASE("U65 streams of two cores", "[isa]") {
  const std::vector<Write> writes{{"NPU_SET_PARALLEL_MODE", {{"parallel_mode", 1}}},
                                  {"NPU_SET_WEIGHT1_LENGTH", {{"length", 48}}},
                                  {"NPU_SET_WEIGHT1_BASE", {{"addr", 0x1234567890}}},
                                  {"NPU_SET_SCALE1_LENGTH", {{"length", 16}}},
                                  {"NPU_OP_CONV", {}}};
  const auto op = first<BlockOperation>("ethos-u65-512", writes);
  CHECK(op.dual_core);
  CHECK(op.weights[1].base == 0x1234567890);
  CHECK(op.scales[1].length == 16);
  CHECK_THAT(fault("ethos-u65-256", writes).message, Catch::Contains("PARALLEL_MODE") && Catch::Contains("one core"));
}

TEST_CASE("DMA operations", "[isa]") {
  const auto u55 = first<DmaOperation>("ethos-u55-128", {{"NPU_SET_DMA0_DST_REGION", {{"region_mode", 1}}},
                                                         {"NPU_SET_DMA0_SRC", {{"addr", 0x100}}},
                                                         {"NPU_SET_DMA0_LEN", {{"addr", 256}}},
                                                         {"NPU_OP_DMA_START", {}}});
  CHECK((u55.dst_internal && !u55.src_internal && u55.len == 256 && u55.src == 0x100 && u55.dimensions == 1));

  const auto u85 = first<DmaOperation>(
      "ethos-u85-256", {{"NPU_SET_DMA0_SRC_REGION", {{"region", 1}, {"stride_mode", 1}, {"idx_mode", 1}}},
                        {"NPU_SET_DMA0_LEN", {{"addr", 8}}},
                        {"NPU_SET_DMA0_SIZE0", {{"size", 3}}},
                        {"NPU_SET_DMA0_SRC_STRIDE0", {{"addr", 0xff'ffff'fff8}}},
                        {"NPU_SET_DMA0_IDX_MAX", {{"idx_max", 9}}},
                        {"NPU_OP_DMA_START", {}}});
  CHECK((u85.src_indexed && !u85.dst_indexed && u85.dimensions == 2 && u85.size0 == 3 && u85.idx_max == 9));
  CHECK(u85.src_stride0 == -8);

  CHECK_THAT(fault("ethos-u55-128", {{"NPU_OP_DMA_START", {}}}).message, Catch::Contains("DMA0_LEN"));
  const auto u65 = first<DmaOperation>("ethos-u65-256", {{"NPU_SET_DMA0_SRC_REGION", {{"stride_mode", 2}}},
                                                         {"NPU_SET_DMA0_LEN", {{"addr", 8}}},
                                                         {"NPU_SET_DMA0_SIZE0", {{"size", 3}}},
                                                         {"NPU_SET_DMA0_SIZE1", {{"size", 2}}},
                                                         {"NPU_SET_DMA0_SKIP0", {{"addr", 0xff'ffff'fff0}}},
                                                         {"NPU_SET_DMA0_SKIP1", {{"addr", 0x200}}},
                                                         {"NPU_OP_DMA_START", {}}});
  CHECK((u65.dimensions == 3 && u65.size0 == 3 && u65.size1 == 2 && u65.skip0 == -16 && u65.skip1 == 0x200));
  const auto back =
      first<DmaOperation>("ethos-u85-256", {{"NPU_SET_DMA0_SRC_REGION", {{"stride_mode", 2}, {"idx_mode", 1}}},
                                            {"NPU_SET_DMA0_LEN", {{"addr", 8}}},
                                            {"NPU_SET_DMA0_SIZE0", {{"size", 3}}},
                                            {"NPU_SET_DMA0_SIZE1", {{"size", 2}}},
                                            {"NPU_SET_DMA0_DST_STRIDE1", {{"addr", 0xff'ffff'ff80}}},
                                            {"NPU_SET_DMA0_IDX_SKIP1", {{"addr", 0xff'ffff'fff4}}},
                                            {"NPU_OP_DMA_START", {}}});
  CHECK((back.dst_stride1 == -128 && back.src_stride1 == 0 && back.idx_skip1 == -12));

  const std::vector<Write> strided{{"NPU_SET_DMA0_SRC_REGION", {{"stride_mode", 1}}}, {"NPU_OP_DMA_START", {}}};
  CHECK_THAT(fault("ethos-u55-128", strided).message, Catch::Contains("stride_mode") && Catch::Contains("reserved"));
}

TEST_CASE("reserved codes fault with command, register and place", "[isa]") {
  const std::vector<Write> format{{"NPU_SET_IFM_PRECISION", {{"activation_format", 2}}}, {"NPU_OP_CONV", {}}};
  const auto error = fault("ethos-u55-128", format);
  CHECK_THAT(error.message, Catch::Contains("NPU_OP_CONV: NPU_SET_IFM_PRECISION activation_format"));
  CHECK(error.place.command_index == 1u);
  CHECK(error.place.byte_offset == 4u);
  CHECK_THAT(fault("ethos-u55-128", {{"NPU_OP_POOL", {{"pooling_mode", 3}}}}).message, Catch::Contains("reserved"));
  CHECK_THAT(fault("ethos-u85-128", {{"NPU_OP_ELEMENTWISE", {{"elementwise_mode", 12}}}}).message,
             Catch::Contains("reserved"));
  CHECK_THAT(fault("ethos-u85-128", {{"NPU_SET_ACC_FORMAT", {{"microblock", 5}}}, {"NPU_OP_CONV", {}}}).message,
             Catch::Contains("4x4 micro-block"));
  CHECK_THAT(fault("ethos-u55-32", {{"NPU_SET_OFM_REGION", {{"custom_dma_cs", 1}}}, {"NPU_OP_CONV", {}}}).message,
             Catch::Contains("custom DMA"));
}

TEST_CASE("the parser follows branches and stops at the end of the words", "[isa]") {
  const auto& accelerator = *find_accelerator("ethos-u85-256");
  const auto words = stream_of(Family::kU85, {{"NPU_OP_BRANCH", {{"branch_target", 12}, {"branch_cond", 1}}},
                                              {"NPU_OP_KERNEL_WAIT", {{"n", 1}}},
                                              {"NPU_OP_DMA_WAIT", {{"k", 2}}},
                                              {"NPU_OP_STOP", {{"mask", 0xffff}}}});
  CommandParser parser(accelerator, words);
  const auto branch = parser.next();
  REQUIRE(branch);
  CHECK(branch->end == 8);
  CHECK(std::get<Branch>(branch->action).conditional);
  REQUIRE(parser.branch(std::get<Branch>(branch->action).target));
  const auto wait = parser.next();
  REQUIRE(wait);
  CHECK(wait->index == 2);
  CHECK(wait->offset == 12);
  CHECK(std::get<Wait>(wait->action).queue == Wait::Queue::kDma);
  CHECK(std::get<Wait>(wait->action).outstanding == 2);
  const auto stop = parser.next();
  REQUIRE(stop);
  CHECK(std::get<StreamStop>(stop->action).mask == 0xffff);
  CHECK_FALSE(parser.next());

  for (const std::uint32_t target : {4u, 6u, 20u, 0xfffffffcu}) {
    INFO(target);
    const auto bad = CommandParser(accelerator, words).branch(target);
    REQUIRE_FALSE(bad);
    CHECK(bad.error().code == ErrorCode::kHardwareFault);
  }
  const auto program = parse_program(accelerator, words);
  REQUIRE(program);
  CHECK(program->size() == 4);
}

TEST_CASE("strides have a sign at the width of the family's addresses", "[isa]") {
  const auto stride = [](const char* accelerator, std::uint64_t raw) {
    return first<BlockOperation>(accelerator, {{"NPU_SET_IFM_STRIDE_Y", {{"addr", raw}}}, {"NPU_OP_POOL", {}}})
        .ifm.stride_y;
  };
  CHECK(stride("ethos-u55-128", 0x80000000) == -0x80000000ll);
  CHECK(stride("ethos-u65-256", 0x80000000) == 0x80000000ll);
  CHECK(stride("ethos-u65-256", 0xffffffffff) == -1);
  CHECK(stride("ethos-u85-128", 0x8000000000) == -0x8000000000ll);
}

TEST_CASE("an upscaled IFM is half of what is read, rounded up", "[isa]") {
  const auto op = first<BlockOperation>("ethos-u55-128", {{"NPU_SET_OFM_HEIGHT_M1", {{"height_m1", 4}}},
                                                          {"NPU_SET_OFM_WIDTH_M1", {{"width_m1", 5}}},
                                                          {"NPU_SET_IFM_UPSCALE", {{"mode", 1}}},
                                                          {"NPU_OP_POOL", {}}});
  CHECK(op.ifm.h == 3);
  CHECK(op.ifm.w == 3);
}

TEST_CASE("a reduction over the channels reads as many as IFM_DEPTH says", "[isa]") {
  const std::vector<Write> registers = {{"NPU_SET_IFM_DEPTH_M1", {{"depth_m1", 15}}}};
  const auto depth = [&](std::uint64_t mode) {
    auto writes = registers;
    writes.push_back({"NPU_OP_POOL", {{"pooling_mode", mode}}});
    return first<BlockOperation>("ethos-u55-128", writes).ifm.c;
  };
  CHECK(depth(2) == 16);  // REDUCE_SUM
  CHECK(depth(0) == 1);
}

TEST_CASE("the numerators of RESIZE are stored less one", "[isa]") {
  const auto op = first<BlockOperation>("ethos-u85-128", {{"NPU_SET_ACC_FORMAT", {{"microblock", 1}}},
                                                          {"NPU_SET_RESIZE_X_SCALE_N_M1", {{"resize_x_scale_n_m1", 3}}},
                                                          {"NPU_SET_RESIZE_Y_SCALE_N_M1", {{"resize_y_scale_n_m1", 6}}},
                                                          {"NPU_OP_RESIZE", {}}});
  CHECK(op.resize_step.n_x == 4);
  CHECK(op.resize_step.n_y == 7);
}
