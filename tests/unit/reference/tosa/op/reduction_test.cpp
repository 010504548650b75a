#include "tests/unit/reference/tosa/op/harness.hpp"

namespace macaw::tosa {
namespace {

using std::int16_t, std::int32_t, std::int64_t, std::int8_t;

TEST_CASE("reductions and ARGMAX along every axis") {
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    Shape shape;
    for (int64_t rank = pick(random, 1, 5); rank > 0; --rank) shape.push_back(pick(random, 1, 6));
    const auto axis = static_cast<std::size_t>(pick(random, 0, static_cast<int64_t>(shape.size()) - 1));
    Shape reduced = shape, removed = shape;
    reduced[axis] = 1;
    removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(axis));
    int64_t inner = 1;
    for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= shape[k];
    const Attributes attributes{{Attr::k_axis, static_cast<int64_t>(axis)}, {Attr::k_nan_mode, int64_t{0}}};

    const auto numbers = random_tensor<int32_t>(random, DType::kINT32, shape, -20, 20);
    const auto bytes = random_tensor<int8_t>(random, DType::kINT8, shape, -128, -120);
    const auto truths = random_tensor<bool>(random, DType::kBOOL, shape, 0, 1);
    const auto sum = run_operator(Op::kREDUCE_SUM, {numbers}, {DType::kINT32, reduced}, attributes);
    const auto most = run_operator(Op::kREDUCE_MAX, {numbers}, {DType::kINT32, reduced}, attributes);
    const auto least = run_operator(Op::kREDUCE_MIN, {numbers}, {DType::kINT32, reduced}, attributes);
    const auto all = run_operator(Op::kREDUCE_ALL, {truths}, {DType::kBOOL, reduced}, attributes);
    const auto any = run_operator(Op::kREDUCE_ANY, {truths}, {DType::kBOOL, reduced}, attributes);
    const auto where = run_operator(Op::kARGMAX, {bytes}, {DType::kINT32, removed}, attributes);
    for (int64_t at = 0; at < sum.output.size(); ++at) {
      const auto o = static_cast<std::size_t>(at);
      const auto source = [&](int64_t k) {
        return static_cast<std::size_t>((at / inner * shape[axis] + k) * inner + at % inner);
      };
      int64_t total = 0, low = INT32_MAX, high = INT32_MIN, truth = 0, best = 0;
      for (int64_t k = 0; k < shape[axis]; ++k) {
        const int64_t value = numbers.data<int32_t>()[source(k)];
        total += value;
        low = std::min(low, value);
        high = std::max(high, value);
        truth += truths.data<bool>()[source(k)];
        if (bytes.data<int8_t>()[source(k)] > bytes.data<int8_t>()[source(best)]) best = k;
      }
      REQUIRE(sum.output.data<int32_t>()[o] == total);
      REQUIRE(most.output.data<int32_t>()[o] == high);
      REQUIRE(least.output.data<int32_t>()[o] == low);
      REQUIRE(all.output.data<bool>()[o] == (truth == shape[axis]));
      REQUIRE(any.output.data<bool>()[o] == (truth > 0));
      REQUIRE(where.output.data<int32_t>()[o] == best);
    }
  }
}

TEST_CASE("reduction rules") {
  const auto sum = [](std::vector<int32_t> values, int64_t axis, Shape out) {
    const Shape shape{static_cast<int64_t>(values.size())};
    return run_operator(Op::kREDUCE_SUM, {make(DType::kINT32, shape, values)}, {DType::kINT32, std::move(out)},
                        {{Attr::k_axis, axis}});
  };
  CHECK(sum({INT32_MAX, 1, -1}, 0, {1}).findings.size() == 1);  // overflows on the way
  CHECK(sum({INT32_MAX, -1, 1}, 0, {1}).findings.empty());
  CHECK(sum({1, 2}, 1, {1}).broken.size() == 1);
  CHECK(sum({1, 2}, -1, {1}).broken.size() == 1);
  CHECK(sum({1, 2}, 0, {2}).broken.size() == 1);
}

TEST_CASE("GATHER and SCATTER move rows") {
  Random random(12);
  for (int i = 0; i < 100; ++i) {
    const auto n = pick(random, 1, 3), k = pick(random, 1, 9), w = pick(random, 1, k), c = pick(random, 1, 5);
    const auto values = random_tensor<int16_t>(random, DType::kINT16, {n, k, c}, -32768, 32767);
    const auto rows = random_tensor<int16_t>(random, DType::kINT16, {n, w, c}, -32768, 32767);
    std::vector<int32_t> indices;
    for (int64_t batch = 0; batch < n; ++batch) {
      std::vector<int32_t> order;
      for (int32_t row = 0; row < k; ++row) order.push_back(row);
      std::shuffle(order.begin(), order.end(), random);
      indices.insert(indices.end(), order.begin(), order.begin() + w);
    }
    const auto index = make(DType::kINT32, {n, w}, indices);
    const auto gathered = run_operator(Op::kGATHER, {values, index}, {DType::kINT16, {n, w, c}});
    const auto scattered = run_operator(Op::kSCATTER, {values, index, rows}, {DType::kINT16, {n, k, c}});
    CHECK(gathered.findings.empty());
    CHECK(scattered.findings.empty());
    auto want = values;
    for (int64_t at = 0; at < n * w * c; ++at) {
      const auto from =
          static_cast<std::size_t>((at / c / w * k + indices[static_cast<std::size_t>(at / c)]) * c + at % c);
      REQUIRE(gathered.output.data<int16_t>()[static_cast<std::size_t>(at)] == values.data<int16_t>()[from]);
      want.data<int16_t>()[from] = rows.data<int16_t>()[static_cast<std::size_t>(at)];
    }
    CHECK(scattered.output == want);
  }
  const auto values = make<int8_t>(DType::kINT8, {1, 2, 1}, {5, 6});
  for (const int32_t index : {-1, 2, INT32_MAX, INT32_MIN}) {
    const auto one = make<int32_t>(DType::kINT32, {1, 1}, {index});
    CHECK(run_operator(Op::kGATHER, {values, one}, {DType::kINT8, {1, 1, 1}}).findings.size() == 1);
    CHECK(
        run_operator(Op::kSCATTER, {values, one, make<int8_t>(DType::kINT8, {1, 1, 1}, {1})}, {DType::kINT8, {1, 2, 1}})
            .findings.size() == 1);
  }
  CHECK(run_operator(
            Op::kSCATTER,
            {values, make<int32_t>(DType::kINT32, {1, 2}, {1, 1}), make<int8_t>(DType::kINT8, {1, 2, 1}, {1, 2})},
            {DType::kINT8, {1, 2, 1}})
            .findings.size() == 1);
}

}  // namespace
}  // namespace macaw::tosa
