#include "tests/unit/reference/executorch/support.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <numeric>

using namespace macaw;
using namespace macaw::npu;
using macaw::npu::test::OneOperator;
using Bytes8 = std::vector<std::int8_t>;
namespace fb = macaw::tflite::schema;

namespace {

fb::SVDFOptionsT svdf_of_rank(int rank) {
  fb::SVDFOptionsT options;
  options.rank = rank;
  return options;
}

fb::TransposeConvOptionsT valid_with_stride(int width) {
  fb::TransposeConvOptionsT options;
  options.padding = fb::Padding::VALID;
  options.stride_w = width;
  options.stride_h = 1;
  return options;
}

fb::StridedSliceOptionsT masks(int begin, int end, int shrink_axis) {
  fb::StridedSliceOptionsT options;
  options.begin_mask = begin;
  options.end_mask = end;
  options.shrink_axis_mask = shrink_axis;
  return options;
}

}  // namespace

TEST_CASE("quantize changes scale, zero point and type") {
  OneOperator narrow("QUANTIZE");
  narrow.input<std::int16_t>({4}, DType::kINT16, {0, 100, -101, 32767}, 0.5F).output({4}, DType::kINT8, 1.0F, 10);
  REQUIRE(narrow.run());
  CHECK(narrow.out<std::int8_t>() == Bytes8{10, 60, -40, 127});

  OneOperator real("QUANTIZE");
  real.input<float>({5}, DType::kFP32, {0.25F, -0.25F, 1e30F, std::nanf(""), -3.0F}, 0)
      .output({5}, DType::kINT8, 0.5F, -1);
  REQUIRE(real.run());
  CHECK(real.out<std::int8_t>() == Bytes8{0, -2, 127, -1, -7});
}

TEST_CASE("dequantize multiplies by the scale") {
  OneOperator op("DEQUANTIZE");
  op.input<std::int8_t>({3}, DType::kINT8, {-128, 0, 127}, 0.25F, -128).output({3}, DType::kFP32);
  REQUIRE(op.run());
  CHECK(op.out<float>() == std::vector<float>{0.0F, 32.0F, 63.75F});
}

TEST_CASE("softmax of equal values shares one, and rows are apart") {
  OneOperator op("SOFTMAX");
  op.input<std::int8_t>({2, 4}, DType::kINT8, {5, 5, 5, 5, 127, -128, -128, -128}, 0.1F, 3)
      .output({2, 4}, DType::kINT8, 1.0F / 256, -128)
      .options(fb::SoftmaxOptionsT{{}, 1.0F});
  REQUIRE(op.run());
  CHECK(op.out<std::int8_t>() == Bytes8{-64, -64, -64, -64, 127, -128, -128, -128});
}

TEST_CASE("softmax with int16 output is near the real one") {
  const Bytes8 in = {10, 4, -20, 7, 0};
  OneOperator op("SOFTMAX");
  op.input({1, 5}, DType::kINT8, in, 0.125F)
      .output({1, 5}, DType::kINT16, 1.0F / 65536, -32768)
      .options(fb::SoftmaxOptionsT{{}, 1.0F});
  REQUIRE(op.run());
  double sum = 0;
  for (const auto value : in) sum += std::exp(0.125 * value);
  const auto out = op.out<std::int16_t>();
  for (std::size_t i = 0; i < in.size(); ++i)
    CHECK((out[i] + 32768) / 65536.0 == Approx(std::exp(0.125 * in[i]) / sum).margin(1.0 / 65536));
  op.op.outputs[0].quantization = std::make_shared<Quantization>(Quantization{{0.5F}, {0}, 0});
  CHECK(op.run().error().code == ErrorCode::kUnsupported);
}

TEST_CASE("svdf shifts its state and sums over it") {
  // Two filters of rank 2, one unit, three steps of memory.
  OneOperator op("SVDF");
  op.input<std::int8_t>({1, 2}, DType::kINT8, {3, -2}, 1.0F, 1)
      .input<std::int8_t>({2, 2}, DType::kINT8, {1, 2, 3, 4}, 1.0F)
      .input<std::int16_t>({2, 3}, DType::kINT16, {1, 10, 2, 0, 0, 1}, 1.0F)
      .input<std::int32_t>({1}, DType::kINT32, {7}, 1.0F)
      .input<std::int16_t>({1, 6}, DType::kINT16, {9, 1, 2, 9, 3, 4}, 1.0F)
      .output({1, 1}, DType::kINT8, 1.0F, 5)
      .options(svdf_of_rank(2));
  REQUIRE(op.run());
  // Features: 2*1 - 3*2 = -4 and 2*3 - 3*4 = -6. States: {1, 2, -4} and {3, 4, -6}.
  CHECK(op.values<std::int16_t>(op.op.inputs[4]) == std::vector<std::int16_t>{1, 2, -4, 3, 4, -6});
  CHECK(op.out<std::int8_t>() == Bytes8{7 + (1 + 20 - 8) - 6 + 5});
  op.options(svdf_of_rank(0));
  CHECK(op.run().error().code == ErrorCode::kInvalidGraph);
  op.options(svdf_of_rank(2));
  op.memories[4].read_only = true;
  CHECK(op.run().error().code == ErrorCode::kInvalidFile);
}

TEST_CASE("transpose convolution scatters each input over the output") {
  OneOperator op("TRANSPOSE_CONV");
  op.input<std::int32_t>({4}, DType::kINT32, {1, 1, 5, 1})
      .input<std::int8_t>({1, 1, 3, 1}, DType::kINT8, {1, 2, 3}, 1.0F)
      .input<std::int8_t>({1, 1, 2, 1}, DType::kINT8, {11, 21}, 1.0F, 1)
      .output({1, 1, 5, 1}, DType::kINT8, 1.0F, -4)
      .options(valid_with_stride(2));
  REQUIRE(op.run());
  CHECK(op.out<std::int8_t>() == Bytes8{6, 16, 46, 36, 56});
  op.options(valid_with_stride(0));
  CHECK(op.run().error().code == ErrorCode::kInvalidGraph);
}

TEST_CASE("reshape keeps bytes, transpose moves them") {
  OneOperator reshape("RESHAPE");
  reshape.input<std::int8_t>({2, 3}, DType::kINT8, {1, 2, 3, 4, 5, 6}).output({6}, DType::kINT8);
  REQUIRE(reshape.run());
  CHECK(reshape.out<std::int8_t>() == Bytes8{1, 2, 3, 4, 5, 6});
  reshape.op.outputs[0].shape = {5};
  CHECK(reshape.run().error().code == ErrorCode::kInvalidGraph);

  OneOperator transpose("TRANSPOSE");
  transpose.input<std::int8_t>({2, 3}, DType::kINT8, {1, 2, 3, 4, 5, 6})
      .input<std::int32_t>({2}, DType::kINT32, {1, 0})
      .output({3, 2}, DType::kINT8);
  REQUIRE(transpose.run());
  CHECK(transpose.out<std::int8_t>() == Bytes8{1, 4, 2, 5, 3, 6});
}

TEST_CASE("a strided slice follows masks and negative strides") {
  Bytes8 in(12);
  std::iota(in.begin(), in.end(), std::int8_t{0});
  const auto slice = [&](std::vector<std::int32_t> begin, std::vector<std::int32_t> end,
                         std::vector<std::int32_t> stride, fb::StridedSliceOptionsT option, Shape out) {
    OneOperator op("STRIDED_SLICE");
    op.input({3, 4}, DType::kINT8, in)
        .input({2}, DType::kINT32, begin)
        .input({2}, DType::kINT32, end)
        .input({2}, DType::kINT32, stride)
        .output(std::move(out), DType::kINT8)
        .options(option);
    const auto done = op.run();
    return done ? op.out<std::int8_t>() : Bytes8{};
  };
  CHECK(slice({1, 0}, {3, 4}, {1, 2}, {}, {2, 2}) == Bytes8{4, 6, 8, 10});
  CHECK(slice({0, -1}, {1, 0}, {1, -2}, {}, {1, 2}) == Bytes8{3, 1});
  CHECK(slice({0, 3}, {0, 0}, {1, -1}, masks(0, 2, 1), {4}) == Bytes8{3, 2, 1, 0});
  CHECK(slice({5, 1}, {5, 3}, {2, 1}, masks(1, 1, 0), {2, 2}) == Bytes8{1, 2, 9, 10});
  CHECK(slice({0, 0}, {3, 4}, {1, 0}, {}, {3, 4}).empty());
  CHECK(slice({3, 0}, {4, 1}, {1, 1}, masks(0, 0, 1), {1}).empty());
}

TEST_CASE("pack, unpack and concatenation") {
  OneOperator pack("PACK");
  pack.input<std::int8_t>({2}, DType::kINT8, {1, 2}).input<std::int8_t>({2}, DType::kINT8, {3, 4});
  pack.output({2, 2}, DType::kINT8).options(fb::PackOptionsT{{}, 2, -1});
  REQUIRE(pack.run());
  CHECK(pack.out<std::int8_t>() == Bytes8{1, 3, 2, 4});

  OneOperator unpack("UNPACK");
  unpack.input<std::int8_t>({2, 2}, DType::kINT8, {1, 2, 3, 4}).options(fb::UnpackOptionsT{{}, 2, 1});
  unpack.output({2}, DType::kINT8).output({2}, DType::kINT8);
  REQUIRE(unpack.run());
  CHECK(unpack.out<std::int8_t>(0) == Bytes8{1, 3});
  CHECK(unpack.out<std::int8_t>(1) == Bytes8{2, 4});

  OneOperator join("CONCATENATION");
  join.input<std::int8_t>({2, 1}, DType::kINT8, {1, 2}).input<std::int8_t>({2, 2}, DType::kINT8, {3, 4, 5, 6});
  join.output({2, 3}, DType::kINT8).options(fb::ConcatenationOptionsT{{}, 1});
  REQUIRE(join.run());
  CHECK(join.out<std::int8_t>() == Bytes8{1, 3, 4, 2, 5, 6});
  join.op.inputs[1].shape = {2, 3};
  CHECK_FALSE(join.run());
}

TEST_CASE("what the host cannot run is refused by name and index") {
  OneOperator op("TOPK_V2");
  op.op.index = 7;
  op.input<std::int8_t>({1}, DType::kINT8, {1}).output({1}, DType::kINT8);
  const auto unknown = op.run();
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::kUnsupported);
  CHECK(unknown.error().place.op == "operator 7 (TOPK_V2)");

  op.op.name = "RESHAPE";
  REQUIRE(op.run());
  CHECK(op.run(1).error().code == ErrorCode::kUnsupported);
  op.op.inputs[0].offset = std::numeric_limits<std::uint64_t>::max();
  CHECK(op.run().error().code == ErrorCode::kInvalidFile);
  op.op.inputs[0].offset = 0;
  op.op.inputs[0].shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  CHECK_FALSE(op.run());
  op.op.inputs[0].memory = 9;
  CHECK_FALSE(op.run());
  op.op.inputs.clear();
  CHECK(op.run().error().code == ErrorCode::kInvalidGraph);
}

TEST_CASE("elementwise operators take operands of another shape of the output's number of elements") {
  // A compiler that reshapes a tensor elsewhere keeps one of its shapes for every operator.
  OneOperator cast("CAST");
  cast.input<std::int32_t>({4}, DType::kINT32, {1, -2, 3, -4}).output({1, 4}, DType::kFP32);
  REQUIRE(cast.run());
  CHECK(cast.out<float>() == std::vector<float>{1, -2, 3, -4});
  OneOperator real("DEQUANTIZE");
  real.input<std::int8_t>({1, 2, 2}, DType::kINT8, {1, -2, 3, -4}, 0.5F).output({4}, DType::kFP32);
  REQUIRE(real.run());
  CHECK(real.out<float>() == std::vector<float>{0.5F, -1, 1.5F, -2});
  OneOperator larger("MAXIMUM");
  larger.input<std::int8_t>({1, 4}, DType::kINT8, {1, -2, 3, -4}, 1.0F)
      .input<std::int8_t>({2, 2}, DType::kINT8, {0, 0, 5, -5}, 1.0F)
      .output({4}, DType::kINT8, 1.0F);
  REQUIRE(larger.run());
  CHECK(larger.out<std::int8_t>() == Bytes8{1, 0, 5, -4});
  OneOperator scalar("LESS");
  scalar.input<std::int32_t>({1, 4}, DType::kINT32, {1, -2, 3, -4})
      .input<std::int32_t>({1, 1, 1}, DType::kINT32, {0})
      .output({4}, DType::kBOOL);
  REQUIRE(scalar.run());
  CHECK(scalar.out<std::uint8_t>() == std::vector<std::uint8_t>{0, 1, 0, 1});
}

TEST_CASE("operators for which places matter keep their shapes") {
  OneOperator maximum("MAXIMUM");  // which axis the second operand repeats along is not known
  maximum.input<std::int8_t>({4}, DType::kINT8, {1, -2, 3, -4}, 1.0F)
      .input<std::int8_t>({2, 1}, DType::kINT8, {0, 5}, 1.0F)
      .output({2, 2}, DType::kINT8, 1.0F);
  CHECK_FALSE(maximum.run());
  OneOperator cast("CAST");
  cast.input<std::int32_t>({4}, DType::kINT32, {1, -2, 3, -4}).output({1, 3}, DType::kFP32);
  CHECK_FALSE(cast.run());
  OneOperator softmax("SOFTMAX");
  softmax.input<std::int8_t>({2, 2}, DType::kINT8, {1, 2, 3, 4}, 1.0F)
      .output({1, 4}, DType::kINT8, 1.0F / 256, -128)
      .options(fb::SoftmaxOptionsT{{}, 1.0F});
  CHECK_FALSE(softmax.run());
}
