#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>

#include "reference/tosa/kernels/workers.hpp"
#include "tests/unit/reference/tosa/op/harness.hpp"

namespace macaw::tosa {
namespace {

using std::int16_t, std::int32_t, std::int64_t, std::int8_t;

template <class T>
Tensor column(DType dtype, const std::vector<T>& values) {
  return make(dtype, {static_cast<int64_t>(values.size()), 1}, values);
}
template <class T>
Tensor line(DType dtype, const std::vector<T>& values) {
  return make(dtype, {1, static_cast<int64_t>(values.size())}, values);
}

std::vector<int8_t> all_int8() {
  std::vector<int8_t> all;
  for (int i = -128; i < 128; ++i) all.push_back(static_cast<int8_t>(i));
  return all;
}

/// All pairs of `values` through an operator, against `expected`, which returns nothing for a broken REQUIRE.
template <class In, class OutT>
void all_pairs(Op op, DType in, const std::vector<In>& values, DType out, const Attributes& attributes,
               const std::function<std::optional<OutT>(In, In)>& expected, std::vector<Tensor> more = {}) {
  INFO(to_string(op));
  const auto n = static_cast<int64_t>(values.size());
  for (const auto b : values) {
    // One right operand at a time, so that a broken rule is seen for it alone.
    std::vector<Tensor> inputs{column(in, values), make<In>(in, {1, 1}, {b})};
    inputs.insert(inputs.end(), more.begin(), more.end());
    const auto outcome = run_operator(op, inputs, {out, {n, 1}}, attributes);
    REQUIRE(outcome.broken.empty());
    bool holds = true, equal = true;
    const auto got = outcome.output.data<OutT>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto want = expected(values[i], b);
      holds &= want.has_value();
      equal &= !want || *want == got[i];
    }
    INFO("right operand " << +b);
    CHECK(equal);
    CHECK(outcome.findings.empty() == holds);
  }
}

TEST_CASE("int8 operators over all pairs") {
  const auto values = all_int8();
  const auto i8 = [&](Op op, const Attributes& attributes,
                      const std::function<std::optional<int8_t>(int8_t, int8_t)>& f) {
    all_pairs<int8_t, int8_t>(op, DType::kINT8, values, DType::kINT8, attributes, f);
  };
  const auto bit = [](auto f) {
    return [f](int8_t a, int8_t b) -> std::optional<int8_t> {
      int result = 0;
      for (int i = 0; i < 8; ++i) result |= f((a >> i) & 1, (b >> i) & 1) << i;
      return static_cast<int8_t>(result);
    };
  };
  i8(Op::kBITWISE_AND, {}, bit([](int a, int b) { return a * b; }));
  i8(Op::kBITWISE_OR, {}, bit([](int a, int b) { return a + b > 0; }));
  i8(Op::kBITWISE_XOR, {}, bit([](int a, int b) { return a != b; }));
  i8(Op::kLOGICAL_LEFT_SHIFT, {}, [](int8_t a, int8_t b) -> std::optional<int8_t> {
    if (b < 0 || b > 7) return {};
    return static_cast<int8_t>(a * (1 << b));
  });
  i8(Op::kLOGICAL_RIGHT_SHIFT, {}, [](int8_t a, int8_t b) -> std::optional<int8_t> {
    if (b < 0 || b > 7) return {};
    return static_cast<int8_t>((a + (a < 0 ? 256 : 0)) / (1 << b));
  });
  for (const bool round : {false, true})
    i8(Op::kARITHMETIC_RIGHT_SHIFT, {{Attr::k_round, int64_t{round}}},
       [=](int8_t a, int8_t b) -> std::optional<int8_t> {
         if (b < 0 || b > 7) return {};
         const double exact = a / static_cast<double>(1 << b);
         return static_cast<int8_t>(std::floor(round ? exact + 0.5 : exact));
       });
  all_pairs<int8_t, int32_t>(Op::kMUL, DType::kINT8, values, DType::kINT32, {},
                             [](int8_t a, int8_t b) -> std::optional<int32_t> { return a * b; },
                             {make<int8_t>(DType::kINT8, {1}, {0})});
}

std::vector<int32_t> edges() {
  std::vector<int32_t> values;
  for (int i = 0; i < 32; ++i)
    for (const int64_t d : {-1, 0, 1})
      for (const int64_t s : {-1, 1})
        values.push_back(static_cast<int32_t>(std::clamp<int64_t>(s * ((int64_t{1} << i) + d), INT32_MIN, INT32_MAX)));
  return values;
}

template <class T>
std::optional<T> fitting(int64_t value) {
  if (value != static_cast<T>(value)) return {};
  return static_cast<T>(value);
}

TEST_CASE("int32 operators at the edges of their range") {
  using Value = std::optional<int32_t>;
  const auto values = edges();
  const auto i32 = [&](Op op, const std::function<Value(int32_t, int32_t)>& f, const Attributes& attributes = {},
                       std::vector<Tensor> more = {}) {
    all_pairs<int32_t, int32_t>(op, DType::kINT32, values, DType::kINT32, attributes, f, std::move(more));
  };
  const Attributes nan{{Attr::k_nan_mode, int64_t{0}}};
  i32(Op::kADD, [](int64_t a, int64_t b) { return fitting<int32_t>(a + b); });
  i32(Op::kSUB, [](int64_t a, int64_t b) { return fitting<int32_t>(a - b); });
  i32(
      Op::kMAXIMUM, [](int32_t a, int32_t b) -> Value { return a > b ? a : b; }, nan);
  i32(
      Op::kMINIMUM, [](int32_t a, int32_t b) -> Value { return a > b ? b : a; }, nan);
  i32(Op::kINTDIV, [](int64_t a, int64_t b) { return b == 0 ? Value() : fitting<int32_t>(a / b); });
  for (const int shift : {0, 1, 7, 31, 32, 62, 63})
    i32(Op::kMUL,
        [=](int64_t a, int64_t b) -> Value {
          if (shift == 0) return static_cast<int32_t>(a * b);
          __extension__ const auto wide = (static_cast<__int128>(a * b) + (__int128{1} << (shift - 1))) >> shift;
          return fitting<int32_t>(static_cast<int64_t>(wide));
        },
        {}, {make<int8_t>(DType::kINT8, {1}, {static_cast<int8_t>(shift)})});
  const auto compare = [&](Op op, const std::function<std::optional<bool>(int32_t, int32_t)>& f) {
    all_pairs<int32_t, bool>(op, DType::kINT32, values, DType::kBOOL, {}, f);
  };
  compare(Op::kEQUAL, [](int64_t a, int64_t b) { return a - b == 0; });
  compare(Op::kGREATER, [](int64_t a, int64_t b) { return a - b > 0; });
  compare(Op::kGREATER_EQUAL, [](int64_t a, int64_t b) { return a - b >= 0; });
}

TEST_CASE("unary operators") {
  const auto values = edges();
  const auto n = static_cast<int64_t>(values.size());
  for (const auto value : values) {
    const auto in = make<int32_t>(DType::kINT32, {1}, {value});
    const auto absolute = run_operator(Op::kABS, {in}, {DType::kINT32, {1}});
    CHECK(absolute.findings.empty() == (value != INT32_MIN));
    if (value != INT32_MIN) CHECK(absolute.output.data<int32_t>()[0] == std::abs(value));
    int zeros = 0;
    while (zeros < 32 && !((static_cast<std::uint32_t>(value) << zeros) & 0x80000000u)) ++zeros;
    CHECK(run_operator(Op::kCLZ, {in}, {DType::kINT32, {1}}).output.data<int32_t>()[0] == zeros);
    CHECK(run_operator(Op::kBITWISE_NOT, {in}, {DType::kINT32, {1}}).output.data<int32_t>()[0] == -1 - value);
    const auto zero = make<int32_t>(DType::kINT32, {1}, {0});
    CHECK(run_operator(Op::kNEGATE, {in, zero, zero}, {DType::kINT32, {1}}).findings.empty() == (value != INT32_MIN));
  }
  CHECK(n > 100);
  for (const int in_zp : {-128, -3, 0, 127})
    for (const int out_zp : {-128, 0, 127}) {
      const auto outcome = run_operator(
          Op::kNEGATE,
          {make(DType::kINT8, {256}, all_int8()), make<int8_t>(DType::kINT8, {1}, {static_cast<int8_t>(in_zp)}),
           make<int8_t>(DType::kINT8, {1}, {static_cast<int8_t>(out_zp)})},
          {DType::kINT8, {256}});
      bool equal = true;
      for (int i = 0; i < 256; ++i)
        equal &= outcome.output.data<int8_t>()[static_cast<std::size_t>(i)] ==
                 std::clamp(out_zp + in_zp - (i - 128), -128, 127);
      CHECK(equal);
    }
  const auto one = make<int16_t>(DType::kINT16, {1}, {1});
  CHECK(run_operator(Op::kNEGATE, {one, one, one}, {DType::kINT16, {1}}).broken.size() == 2);
}

TEST_CASE("a slope of more than 16 bits is reported where it is met, the last one too, and others count on") {
  for (const std::size_t steep : {std::size_t{0}, std::size_t{300}, std::size_t{511}}) {
    std::vector<int16_t> table(513);
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<int16_t>(i <= steep ? -30000 : 30000);
    const auto run = [&](int input) {
      return run_operator(
          Op::kTABLE,
          {make<int16_t>(DType::kINT16, {1}, {static_cast<int16_t>(input)}), make(DType::kINT16, {513}, table)},
          {DType::kINT32, {1}});
    };
    const int first = static_cast<int>(steep) * 128 - 32768;
    INFO("step " << steep);
    CHECK(run(first).findings.size() == 1);
    CHECK(run(first + 127).findings.size() == 1);
    if (steep > 0) CHECK(run(first - 1).findings.empty());
  }
  std::vector<int16_t> slope(513);
  slope[512] = 32767;
  slope[511] = -32768;
  slope[1] = 1280;
  const auto at = run_operator(
      Op::kTABLE, {make<int16_t>(DType::kINT16, {2}, {-32768 + 1, -32768 + 127}), make(DType::kINT16, {513}, slope)},
      {DType::kINT32, {2}});
  CHECK(at.findings.empty());
  CHECK(at.output.data<int32_t>()[0] == 1280);
  CHECK(at.output.data<int32_t>()[1] == 1280 * 127);
}

TEST_CASE("clamp, table and logical operators") {
  const auto bytes = [](int8_t value) { return std::vector<std::byte>{static_cast<std::byte>(value)}; };
  const auto clamp = [&](int8_t low, int8_t high) {
    return run_operator(
        Op::kCLAMP, {make(DType::kINT8, {256}, all_int8())}, {DType::kINT8, {256}},
        {{Attr::k_min_val, bytes(low)}, {Attr::k_max_val, bytes(high)}, {Attr::k_nan_mode, int64_t{0}}});
  };
  const auto clamped = clamp(-5, 9);
  for (int i = 0; i < 256; ++i)
    REQUIRE(clamped.output.data<int8_t>()[static_cast<std::size_t>(i)] == std::clamp(i - 128, -5, 9));
  CHECK(clamp(3, 2).broken.size() == 1);
  CHECK(clamp(3, 3).broken.empty());

  Random random(2);
  const auto table = random_tensor<int16_t>(random, DType::kINT16, {513}, -16000, 16000);
  std::vector<int16_t> inputs;
  for (int i = -32768; i < 32768; ++i) inputs.push_back(static_cast<int16_t>(i));
  const auto looked_up =
      run_operator(Op::kTABLE, {make(DType::kINT16, {65536}, inputs), table}, {DType::kINT32, {65536}});
  bool equal = true;
  for (int i = 0; i < 65536; ++i) {
    const auto at = static_cast<std::size_t>(i / 128);
    const auto left = table.data<int16_t>()[at], right = table.data<int16_t>()[at + 1];
    equal &=
        looked_up.output.data<int32_t>()[static_cast<std::size_t>(i)] == left * (128 - i % 128) + right * (i % 128);
  }
  CHECK(equal);
  CHECK(looked_up.findings.empty());
  std::vector<int16_t> steep(513, 0);
  steep[256] = -32768;
  steep[257] = 32767;
  CHECK(run_operator(Op::kTABLE, {make<int16_t>(DType::kINT16, {1}, {5}), make(DType::kINT16, {513}, steep)},
                     {DType::kINT32, {1}})
            .findings.size() == 1);
  CHECK(run_operator(Op::kTABLE, {make<int16_t>(DType::kINT16, {1}, {5}), make<int16_t>(DType::kINT16, {2}, {0, 0})},
                     {DType::kINT32, {1}})
            .broken.size() == 1);

  const std::vector<bool> truth{false, true};
  for (const bool a : truth)
    for (const bool b : truth) {
      const auto result = [&](Op op) {
        return run_operator(op, {make<bool>(DType::kBOOL, {}, {a}), make<bool>(DType::kBOOL, {}, {b})},
                            {DType::kBOOL, {}})
            .output.data<bool>()[0];
      };
      CHECK(result(Op::kLOGICAL_AND) == (a && b));
      CHECK(result(Op::kLOGICAL_OR) == (a || b));
      CHECK(result(Op::kLOGICAL_XOR) == (a != b));
    }
}

TEST_CASE("broadcasting reaches every element from its own place") {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const auto rank = static_cast<std::size_t>(pick(random, 0, 6));
    Shape out, shapes[3];
    for (auto& shape : shapes) shape.resize(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
      out.push_back(pick(random, 1, 4));
      for (auto& shape : shapes) shape[axis] = pick(random, 0, 2) == 0 ? 1 : out[axis];
      shapes[pick(random, 0, 2)][axis] = out[axis];
    }
    const auto choice = random_tensor<bool>(random, DType::kBOOL, shapes[0], 0, 1);
    const auto yes = random_tensor<int16_t>(random, DType::kINT16, shapes[1], -1000, 1000);
    const auto no = random_tensor<int16_t>(random, DType::kINT16, shapes[2], -1000, 1000);
    const auto outcome = run_operator(Op::kSELECT, {choice, yes, no}, {DType::kINT16, out});
    REQUIRE(outcome.broken.empty());
    bool equal = true;
    for (int64_t at = 0; at < outcome.output.size(); ++at) {
      const auto source = [&](const Shape& shape) {
        int64_t rest = at, offset = 0, pitch = 1;
        for (std::size_t axis = rank; axis-- > 0;) {
          const auto index = rest % out[axis];
          rest /= out[axis];
          if (shape[axis] != 1) offset += index * pitch;
          pitch *= shape[axis];
        }
        return static_cast<std::size_t>(offset);
      };
      const auto want = choice.data<bool>()[source(shapes[0])] ? yes.data<int16_t>()[source(shapes[1])]
                                                               : no.data<int16_t>()[source(shapes[2])];
      equal &= outcome.output.data<int16_t>()[static_cast<std::size_t>(at)] == want;
    }
    CHECK(equal);
  }
  const auto broken =
      run_operator(Op::kADD, {make<int32_t>(DType::kINT32, {2}, {1, 2}), make<int32_t>(DType::kINT32, {3}, {1, 2, 3})},
                   {DType::kINT32, {3}});
  CHECK(broken.broken.size() == 1);
}

TEST_CASE("an operand with an element for each channel meets its channel, on either side and any number of threads") {
  Random random(4);
  for (const int64_t channels : {2, 3, 7, 64, 256, 257})
    for (const bool is_left : {false, true})
      for (const int threads : {1, 3}) {
        INFO(channels << " channels, " << threads << " threads");
        // The operand is another one for each batch.
        const Shape whole{2, 1 + 70000 / channels, 3, channels}, row{2, 1, 1, channels};
        const auto a = random_tensor<int32_t>(random, DType::kINT32, is_left ? row : whole, -1000, 1000);
        const auto b = random_tensor<int32_t>(random, DType::kINT32, is_left ? whole : row, -1000, 1000);
        Workers workers(threads);
        const auto outcome =
            run_operator(Op::kSUB, {a, b}, {DType::kINT32, whole}, {}, Mode::kNormal, {Kernels::kBest, &workers});
        REQUIRE(outcome.broken.empty());
        const auto plane = outcome.output.size() / 2;
        bool equal = true;
        for (int64_t i = 0; i < outcome.output.size(); ++i) {
          const auto at = static_cast<std::size_t>(i),
                     in_row = static_cast<std::size_t>(i / plane * channels + i % channels);
          const auto want = a.data<int32_t>()[is_left ? in_row : at] - b.data<int32_t>()[is_left ? at : in_row];
          equal &= outcome.output.data<int32_t>()[at] == want;
        }
        CHECK(equal);
      }
}

}  // namespace
}  // namespace macaw::tosa
