#include <bit>
#include <cmath>

#include "reference/tosa/arith/block_scale.hpp"
#include "reference/tosa/kernels/workers.hpp"
#include "tests/unit/reference/tosa/op/harness.hpp"

// Axes and channels that are longer than what a kernel has in hand at a time, and magnitudes at the end of FP32.
namespace macaw::tosa {
namespace {

using std::int16_t, std::int32_t, std::int64_t, std::int8_t;

TEST_CASE("ARGMAX of floats finds the first of the greatest anywhere along a long axis") {
  constexpr int64_t kExtent = 20'000;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t first : {int64_t{0}, int64_t{5}, int64_t{511}, int64_t{512}, int64_t{1023}, int64_t{4095},
                              int64_t{4096}, int64_t{9999}, kExtent - 1})
    for (const int64_t inner : {int64_t{1}, int64_t{3}})
      for (const bool is_nan : {false, true}) {
        Tensor in(DType::kFP32, {1, kExtent, inner});
        auto values = in.data<float>();
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 97);
        // A second one follows where there is room.
        for (const auto at : {first, std::min(first + 6000, kExtent - 1)})
          for (int64_t k = 0; k < inner; ++k) values[static_cast<std::size_t>(at * inner + k)] = is_nan ? nan : 1000.0F;
        const auto best =
            run_operator(Op::kARGMAX, {in}, {DType::kINT32, {1, inner}},
                         {{Attr::k_axis, int64_t{1}}, {Attr::k_nan_mode, static_cast<int64_t>(NanMode::kPropagate)}});
        CAPTURE(first, inner, is_nan);
        for (const auto found : best.output.data<int32_t>()) CHECK(found == first);
        if (!is_nan) continue;
        // The first of the greatest numbers, where NaN counts as none.
        const auto number =
            run_operator(Op::kARGMAX, {in}, {DType::kINT32, {1, inner}},
                         {{Attr::k_axis, int64_t{1}}, {Attr::k_nan_mode, static_cast<int64_t>(NanMode::kIgnore)}});
        for (int64_t k = 0; k < inner; ++k) {
          const auto at = number.output.data<int32_t>()[static_cast<std::size_t>(k)];
          CHECK(values[static_cast<std::size_t>(at * inner + k)] == 96.0F);
        }
      }
}

TEST_CASE("CONV2D of int16 adds each channel its own bias, however many channels there are") {
  constexpr int64_t kDepth = 32'768, kChannels = 70;
  Tensor in(DType::kINT16, {1, 1, 2, kDepth}), weights(DType::kINT8, {kChannels, 1, 1, kDepth});
  in.data<int16_t>()[0] = 100;
  in.data<int16_t>()[static_cast<std::size_t>(2 * kDepth - 1)] = -7;
  for (int64_t c = 0; c < kChannels; ++c) {
    weights.data<int8_t>()[static_cast<std::size_t>(c * kDepth)] = static_cast<int8_t>(c - 30);
    weights.data<int8_t>()[static_cast<std::size_t>((c + 1) * kDepth - 1)] = static_cast<int8_t>(c);
  }
  const Attributes attributes{{Attr::k_pad, std::vector<int64_t>{0, 0, 0, 0}},
                              {Attr::k_stride, std::vector<int64_t>{1, 1}},
                              {Attr::k_dilation, std::vector<int64_t>{1, 1}},
                              {Attr::k_acc_type, static_cast<int64_t>(DType::kINT48)},
                              {Attr::k_local_bound, int64_t{0}}};
  for (const int64_t biases : {int64_t{1}, kChannels}) {
    Tensor bias(DType::kINT48, {biases});
    for (int64_t c = 0; c < biases; ++c)
      bias.data<int64_t>()[static_cast<std::size_t>(c)] = (c + 1) * 1'000'000'000'000;
    const auto out =
        run_operator(Op::kCONV2D, {in, weights, bias, Tensor(DType::kINT16, {1}), Tensor(DType::kINT8, {1})},
                     {DType::kINT48, {1, 1, 2, kChannels}}, attributes);
    REQUIRE(out.broken.empty());
    for (int64_t c = 0; c < kChannels; ++c) {
      const int64_t own = (biases == 1 ? 1 : c + 1) * 1'000'000'000'000;
      CAPTURE(biases, c);
      CHECK(out.output.data<int64_t>()[static_cast<std::size_t>(c)] == own + 100 * (c - 30));
      CHECK(out.output.data<int64_t>()[static_cast<std::size_t>(kChannels + c)] == own - 7 * c);
    }
  }
}

TEST_CASE("REDUCE_SUM tells every step that leaves 32 bits, at either end") {
  const auto leaves = [](const std::vector<int32_t>& values) {
    const auto count = static_cast<int64_t>(values.size());
    return run_operator(Op::kREDUCE_SUM, {make(DType::kINT32, {count}, values)}, {DType::kINT32, {1}},
                        {{Attr::k_axis, int64_t{0}}})
               .findings.size() == 1;
  };
  CHECK(leaves({INT32_MAX, 1}));
  CHECK(leaves({INT32_MIN, -1}));
  CHECK(leaves({INT32_MIN, -1, 1}));
  CHECK(leaves({-1, INT32_MIN, INT32_MAX}));
  CHECK_FALSE(leaves({INT32_MIN, 0, 1}));
  CHECK_FALSE(leaves({INT32_MAX, 0, -1}));
  CHECK_FALSE(leaves({INT32_MIN, INT32_MAX, INT32_MIN + 1}));
  CHECK_FALSE(leaves({-(1 << 30), -(1 << 30)}));
  CHECK(leaves({-(1 << 30), -(1 << 30), -1}));
}

TEST_CASE("a short row that is repeated meets its own columns, wherever a thread begins") {
  for (const int64_t columns : {3, 7, 31})
    for (const bool first : {false, true})
      for (const int threads : {2, 3, 5}) {
        const int64_t rows = 400'000 / columns + threads;
        Tensor all(DType::kINT32, {rows, columns}), row(DType::kINT32, {1, columns});
        for (std::size_t i = 0; i < all.data<int32_t>().size(); ++i) all.data<int32_t>()[i] = static_cast<int32_t>(i);
        for (std::size_t i = 0; i < row.data<int32_t>().size(); ++i)
          row.data<int32_t>()[i] = static_cast<int32_t>(1'000'000 * (i + 1));
        Workers workers(threads);
        const auto out = run_operator(Op::kSUB, first ? std::vector{row, all} : std::vector{all, row},
                                      {DType::kINT32, {rows, columns}}, {}, Mode::kNormal, {.workers = &workers});
        int64_t wrong = 0;
        for (std::size_t i = 0; i < all.data<int32_t>().size(); ++i) {
          const auto other = static_cast<int32_t>(1'000'000 * (i % static_cast<std::size_t>(columns) + 1));
          const auto difference = static_cast<int32_t>(i) - other;
          wrong += out.output.data<int32_t>()[i] != (first ? -difference : difference);
        }
        CAPTURE(columns, first, threads);
        CHECK(wrong == 0);
      }
}

TEST_CASE("a block's scale brings its greatest magnitude below what rounds to the greatest number") {
  struct Row {
    DType values;
    double limit;  ///< half a step above the greatest number
  };
  constexpr double kMax = std::numeric_limits<float>::max();
  for (const Row& row : {Row{DType::kFP4E2M1, 7},
                         {DType::kFP6E2M3, 7.75},
                         {DType::kFP6E3M2, 30},
                         {DType::kFP8E4M3, 464},
                         {DType::kFP8E5M2, 61440},
                         {DType::kMXINT8, 127.5 / 64}}) {
    CAPTURE(macaw::to_string(row.values));
    CHECK(rounding_limit(row.values) == row.limit);
    for (const double scale : {1.0, 0x1p-20, 0x1p40}) {
      const double below = std::nextafter(row.limit, 0) * scale, above = std::nextafter(row.limit, 1e9) * scale;
      CHECK(calc_block_scale(below, row.values) == scale);
      CHECK(calc_block_scale(above, row.values) == 2 * scale);
      // FP8E4M3 has no number above 448 but NaN: a tie goes to 448, which is even.
      CHECK(calc_block_scale(row.limit * scale, row.values) == (row.values == DType::kFP8E4M3 ? scale : 2 * scale));
    }
    CHECK(calc_block_scale(0, row.values) == 0x1p-127);
    CHECK(calc_block_scale(0x1p-149, row.values) == 0x1p-127);
    CHECK(calc_block_scale(kMax, row.values) <= 0x1p127);
    CHECK(calc_block_scale(kMax, row.values) * row.limit * 2 > kMax);
    CHECK(std::isnan(calc_block_scale(std::numeric_limits<double>::infinity(), row.values)));
    CHECK(std::isnan(calc_block_scale(std::numeric_limits<double>::quiet_NaN(), row.values)));
  }
  // 2^128 less a bit would need 2^128 for MXINT8, which UE8M0 does not have.
  CHECK(calc_block_scale(kMax, DType::kMXINT8) == 0x1p127);
}

}  // namespace
}  // namespace macaw::tosa
