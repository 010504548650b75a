#include <random>

#include "tests/unit/reference/tosa/run_operator.hpp"

// Operators of 1.1 on tensors, from the pseudo-code, against loops written here.

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

struct Pool {
  std::int64_t kernel[2], stride[2], pad[4];  // [y, x], [y, x], [top, bottom, left, right]
};
constexpr Pool kPools[] = {
    {{1, 1}, {1, 1}, {0, 0, 0, 0}}, {{2, 3}, {1, 1}, {0, 0, 0, 0}}, {{3, 3}, {2, 2}, {1, 1, 0, 1}},
    {{3, 2}, {1, 7}, {2, 0, 0, 1}}, {{6, 7}, {1, 1}, {0, 0, 0, 0}},
};
constexpr std::int64_t kHeight = 7, kWidth = 8, kChannels = 3;

std::int64_t extent(std::int64_t in, const Pool& p, int axis) {
  const auto room = in + p.pad[2 * axis] + p.pad[2 * axis + 1] - p.kernel[axis];
  REQUIRE(room % p.stride[axis] == 0);
  return room / p.stride[axis] + 1;
}

template <class T>
Tensor image(DType dtype, std::mt19937& random, int low, int high) {
  Tensor x(dtype, {2, kHeight, kWidth, kChannels});
  for (auto& value : x.data<T>()) value = static_cast<T>(std::uniform_int_distribution<int>(low, high)(random));
  return x;
}

std::vector<Tensor> parameters(const Pool& p) {
  return {shape_tensor({p.kernel[0], p.kernel[1]}), shape_tensor({p.stride[0], p.stride[1]}),
          shape_tensor({p.pad[0], p.pad[1], p.pad[2], p.pad[3]})};
}

/// Calls f(window) with the elements under each output element, in the order of the output.
template <class T, class F>
void each_window(const Tensor& x, const Pool& p, F f) {
  const auto data = x.data<T>();
  for (std::int64_t n = 0; n < x.shape()[0]; ++n)
    for (std::int64_t oy = 0; oy < extent(kHeight, p, 0); ++oy)
      for (std::int64_t ox = 0; ox < extent(kWidth, p, 1); ++ox)
        for (std::int64_t c = 0; c < kChannels; ++c) {
          std::vector<T> window;
          for (std::int64_t ky = 0; ky < p.kernel[0]; ++ky)
            for (std::int64_t kx = 0; kx < p.kernel[1]; ++kx) {
              const auto y = oy * p.stride[0] - p.pad[0] + ky, column = ox * p.stride[1] - p.pad[2] + kx;
              if (y < 0 || y >= kHeight || column < 0 || column >= kWidth) continue;
              window.push_back(data[static_cast<std::size_t>(((n * kHeight + y) * kWidth + column) * kChannels + c)]);
            }
          f(window);
        }
}

OneOutput output_of(DType dtype, const Pool& p) {
  return {dtype, {2, extent(kHeight, p, 0), extent(kWidth, p, 1), kChannels}};
}

}  // namespace

TEST_CASE("MAX_POOL2D_ADAPTIVE") {
  std::mt19937 random(7);
  for (const auto& p : kPools) {
    auto inputs = parameters(p);
    const auto x = image<std::int8_t>(DType::kINT8, random, -128, 127);
    inputs.insert(inputs.begin(), x);
    const auto run = run_on_constants(Op::kMAX_POOL2D_ADAPTIVE, inputs, output_of(DType::kINT8, p),
                                      {{Attr::k_nan_mode, std::int64_t(NanMode::kPropagate)}});
    REQUIRE(run.verdict == "valid");
    std::vector<std::int8_t> expected;
    each_window<std::int8_t>(x, p, [&](const auto& window) { expected.push_back(*std::ranges::max_element(window)); });
    CHECK(run.output == tensor(DType::kINT8, output_of(DType::kINT8, p).shape, expected));
  }
}

TEST_CASE("AVG_POOL2D_ADAPTIVE") {
  std::mt19937 random(8);
  for (const auto& p : kPools) {
    auto inputs = parameters(p);
    const std::int8_t in_zp = -3, out_zp = 5;
    inputs.insert(inputs.begin(),
                  {image<std::int8_t>(DType::kINT8, random, -128, 127), tensor<std::int8_t>(DType::kINT8, {1}, {in_zp}),
                   tensor<std::int8_t>(DType::kINT8, {1}, {out_zp})});
    const auto x = inputs[0];
    const auto run = run_on_constants(Op::kAVG_POOL2D_ADAPTIVE, inputs, output_of(DType::kINT8, p),
                                      {{Attr::k_acc_type, std::int64_t(DType::kINT32)}});
    REQUIRE(run.verdict == "valid");
    std::vector<std::int8_t> expected;
    each_window<std::int8_t>(x, p, [&](const auto& window) {
      std::int64_t sum = 0;
      for (const auto value : window) sum += value - in_zp;
      // reciprocal_scale() and apply_scale_32() without double rounding.
      const auto count = static_cast<std::uint32_t>(window.size());
      const int k = 32 - (count > 1 ? __builtin_clz(count - 1) : 32);
      const auto multiplier = ((std::int64_t{1} << 30) + 1) * (std::int64_t{1} << k) / count;
      const int shift = 30 + k;
      const auto mean = (sum * multiplier + (std::int64_t{1} << (shift - 1))) >> shift;
      expected.push_back(static_cast<std::int8_t>(std::clamp<std::int64_t>(mean + out_zp, -128, 127)));
    });
    CHECK(run.output == tensor(DType::kINT8, output_of(DType::kINT8, p).shape, expected));
  }
}

TEST_CASE("Adaptive pooling of floats equals plain pooling, in normal and precise runs") {
  std::mt19937 random(9);
  const auto& p = kPools[2];
  const auto attribute = [](const auto& list) { return std::vector<std::int64_t>(std::begin(list), std::end(list)); };
  for (const bool precise : {false, true}) {
    Options options;
    options.precise = precise;
    for (const auto acc : {DType::kFP16, DType::kFP32}) {
      Tensor x(DType::kFP16, {2, kHeight, kWidth, kChannels}), zero(DType::kFP16, {1});
      for (auto& bits : x.data<std::uint16_t>()) bits = static_cast<std::uint16_t>(random() % 0x7000);
      const OperatorAttributes acc_type{{Attr::k_acc_type, std::int64_t(acc)}};
      auto plain_attributes = acc_type;
      plain_attributes.emplace_back(Attr::k_kernel, attribute(p.kernel));
      plain_attributes.emplace_back(Attr::k_stride, attribute(p.stride));
      plain_attributes.emplace_back(Attr::k_pad, attribute(p.pad));
      auto inputs = parameters(p);
      inputs.insert(inputs.begin(), {x, zero, zero});
      const auto out = output_of(DType::kFP16, p);
      const auto adaptive = run_on_constants(Op::kAVG_POOL2D_ADAPTIVE, inputs, out, acc_type, options);
      const auto plain = run_on_constants(Op::kAVG_POOL2D, {x, zero, zero}, out, plain_attributes, options);
      REQUIRE(plain.verdict == "valid");
      CHECK(adaptive.output == plain.output);
    }
  }
}

TEST_CASE("Rules of adaptive pooling") {
  std::mt19937 random(10);
  const auto x = image<std::int8_t>(DType::kINT8, random, -128, 127);
  const auto verdict = [&](const Pool& p, const Options& options = {}) {
    auto inputs = parameters(p);
    inputs.insert(inputs.begin(), x);
    return run_on_constants(Op::kMAX_POOL2D_ADAPTIVE, inputs, {DType::kINT8, {2, 7, 8, 3}},
                            {{Attr::k_nan_mode, std::int64_t(NanMode::kPropagate)}}, options)
        .verdict;
  };
  Options none;
  none.level = kLevelNone;
  CHECK(verdict({{1, 1}, {1, 1}, {0, 0, 0, 0}}) == "valid");
  CHECK(verdict({{8193, 1}, {1, 1}, {0, 0, 0, 0}}) == "ERROR MAX_POOL2D_ADAPTIVE.1");
  CHECK(verdict({{8193, 1}, {1, 1}, {0, 0, 0, 0}}, none) == "ERROR MAX_POOL2D_ADAPTIVE.9");
  CHECK(verdict({{1, 1}, {1, 8193}, {0, 0, 0, 0}}) == "ERROR MAX_POOL2D_ADAPTIVE.2");
  CHECK(verdict({{1, 1}, {1, 1}, {0, 0, 0, 8193}}) == "ERROR MAX_POOL2D_ADAPTIVE.3");
  CHECK(verdict({{0, 1}, {1, 1}, {0, 0, 0, 0}}) == "ERROR MAX_POOL2D_ADAPTIVE.4");
  CHECK(verdict({{1, 1}, {0, 1}, {0, 0, 0, 0}}) == "ERROR MAX_POOL2D_ADAPTIVE.5");
  CHECK(verdict({{2, 1}, {1, 1}, {-1, 0, 0, 0}}) == "ERROR MAX_POOL2D_ADAPTIVE.6");
  CHECK(verdict({{1, 1}, {1, 1}, {0, 0, 1, 0}}) == "ERROR MAX_POOL2D_ADAPTIVE.7");
  CHECK(verdict({{1, 1}, {1, 1}, {0, 1, 0, 0}}) == "ERROR MAX_POOL2D_ADAPTIVE.8");
  CHECK(verdict({{2, 1}, {1, 1}, {0, 0, 0, 0}}) == "ERROR MAX_POOL2D_ADAPTIVE.9");
  CHECK(verdict({{1, 2}, {1, 1}, {0, 0, 0, 0}}) == "ERROR MAX_POOL2D_ADAPTIVE.10");
}

TEST_CASE("ROW_GATHER") {
  std::mt19937 random(11);
  constexpr std::int64_t kBatches = 2, kRows = 9, kColumns = 3, kIndices = 4;
  Tensor values(DType::kINT16, {kBatches, kRows, kColumns});
  for (auto& value : values.data<std::int16_t>()) value = static_cast<std::int16_t>(random());
  const auto in = values.data<std::int16_t>();
  for (const std::int32_t count : {1, 2, 9})
    for (const auto index_type : {DType::kINT32, DType::kINT64}) {
      std::vector<std::int64_t> indices;
      for (std::int64_t i = 0; i < kBatches * kIndices; ++i)
        indices.push_back(std::uniform_int_distribution<std::int64_t>(0, kRows - count)(random));
      Tensor index(index_type, {kBatches, kIndices});
      for (std::size_t i = 0; i < indices.size(); ++i)
        if (index_type == DType::kINT32) index.data<std::int32_t>()[i] = static_cast<std::int32_t>(indices[i]);
        else index.data<std::int64_t>()[i] = indices[i];
      std::vector<std::int16_t> expected;
      for (std::int64_t n = 0; n < kBatches; ++n)
        for (std::int64_t w = 0; w < kIndices; ++w)
          for (std::int64_t r = 0; r < count; ++r)
            for (std::int64_t c = 0; c < kColumns; ++c) {
              const auto row = indices[static_cast<std::size_t>(n * kIndices + w)] + r;
              expected.push_back(in[static_cast<std::size_t>((n * kRows + row) * kColumns + c)]);
            }
      const Shape shape{kBatches, kIndices * count, kColumns};
      const auto run = run_on_constants(
          Op::kROW_GATHER, {values, index, tensor<std::int32_t>(DType::kINT32, {1}, {count})}, {DType::kINT16, shape});
      REQUIRE(run.verdict == "valid");
      CHECK(run.output == tensor(DType::kINT16, shape, expected));
    }

  const auto verdict = [&](std::int32_t index, std::int32_t count, std::int64_t rows) {
    return run_on_constants(Op::kROW_GATHER,
                            {values, tensor<std::int32_t>(DType::kINT32, {kBatches, 1}, {0, index}),
                             tensor<std::int32_t>(DType::kINT32, {1}, {count})},
                            {DType::kINT16, {kBatches, rows, kColumns}})
        .verdict;
  };
  CHECK(verdict(7, 2, 2) == "valid");
  CHECK(verdict(0, 0, 1) == "ERROR ROW_GATHER.1");
  CHECK(verdict(8, 2, 2) == "UNPREDICTABLE ROW_GATHER.3");
  CHECK(verdict(-1, 2, 2) == "UNPREDICTABLE ROW_GATHER.3");
  CHECK(verdict(2147483647, 2147483647, 1).starts_with("UNPREDICTABLE"));
  CHECK(verdict(0, 2, 3) == "ERROR ROW_GATHER.4");
}
