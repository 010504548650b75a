#include <cstring>

#include "tests/unit/reference/tosa/op/alike.hpp"

// Integer operators and those that move elements give the same bytes and findings for every SIMD target, number of
// threads, and the plain kernels. Elements have every value, so that REQUIREs break in some ranges.

namespace macaw::tosa {
namespace {

/// Large enough for three threads to share and for two, and no multiples of a vector.
const Shape kShape{4, 331, 151}, kSmallShape{2, 241, 151};

/// Random encodings, including small ones; bool is 0 or 1.
Tensor any_tensor(Random& random, DType dtype, const Shape& shape) {
  Tensor tensor(dtype, shape);
  const auto fill = [&]<class T>(T) {
    for (auto& value : tensor.data<T>())
      value = static_cast<T>(static_cast<T>(random()) >> (random() % (8 * sizeof(T))));
  };
  switch (size_of(dtype)) {
    case 1: fill(std::int8_t{}); break;
    case 2: fill(std::int16_t{}); break;
    case 4: fill(std::int32_t{}); break;
    default: fill(std::int64_t{}); break;
  }
  if (dtype == DType::kBOOL)
    for (auto& value : tensor.data<std::uint8_t>()) value &= 1;
  return tensor;
}

TEST_CASE("kernels of element-wise operators are alike") {
  Random random(1);
  const Op ops[] = {Op::kADD,         Op::kSUB,
                    Op::kINTDIV,      Op::kMAXIMUM,
                    Op::kMINIMUM,     Op::kARITHMETIC_RIGHT_SHIFT,
                    Op::kBITWISE_AND, Op::kBITWISE_OR,
                    Op::kBITWISE_XOR, Op::kBITWISE_NOT,
                    Op::kLOGICAL_AND, Op::kLOGICAL_OR,
                    Op::kLOGICAL_XOR, Op::kLOGICAL_NOT,
                    Op::kEQUAL,       Op::kGREATER,
                    Op::kABS,         Op::kGREATER_EQUAL,
                    Op::kCLZ,         Op::kLOGICAL_LEFT_SHIFT,
                    Op::kSELECT,      Op::kLOGICAL_RIGHT_SHIFT};
  for (const auto op : ops) {
    const auto* definition = find_definition(op);
    const auto is_input = [](const Argument& argument) { return argument.category == Category::kInput; };
    const auto inputs = static_cast<std::size_t>(std::ranges::count_if(definition->arguments, is_input));
    for (const auto& row : definition->rows) {
      const auto in = row.types[0], out = row.types[definition->type_variables.size() - 1];
      if (is_float(in)) continue;
      const auto dtype_of = [&](std::size_t i) { return op == Op::kSELECT && i == 0 ? DType::kBOOL : in; };
      const auto check = [&](const Shape& shape, std::size_t narrowed, const Shape& narrow) {
        Problem problem{op, {}, {out, shape}, {{Attr::k_round, std::int64_t{1}}}};
        for (std::size_t i = 0; i < inputs; ++i)
          problem.inputs.push_back(any_tensor(random, dtype_of(i), i == narrowed ? narrow : shape));
        check_alike(problem);
      };
      check(kShape, 0, kShape);
      // An operand is one element, or one for each channel, row or plane.
      const auto rows = kSmallShape[1], channels = kSmallShape[2];
      for (const auto& narrow : {Shape{1, 1, 1}, {1, 1, channels}, {1, rows, 1}, {kSmallShape[0], 1, 1}})
        for (std::size_t narrowed = 0; inputs > 1 && narrowed < inputs; ++narrowed)
          check(kSmallShape, narrowed, narrow);
    }
  }
}

TEST_CASE("kernels of element-wise operators with constants are alike") {
  Random random(2);
  for (const auto dtype : {DType::kINT8, DType::kINT16, DType::kINT32, DType::kINT64}) {
    const auto a = any_tensor(random, dtype, kShape), b = any_tensor(random, dtype, kShape);
    const auto sum = dtype == DType::kINT64 ? dtype : DType::kINT32;
    for (const std::int8_t shift : {0, 1, 31, 63})
      if (shift == 0 || dtype == DType::kINT32)
        check_alike({Op::kMUL, {a, b, make<std::int8_t>(DType::kINT8, {1}, {shift})}, {sum, kShape}});
    check_alike({Op::kNEGATE, {a, Tensor(dtype, {1}), Tensor(dtype, {1})}, {dtype, kShape}});
  }
}

TEST_CASE("kernels of CAST between integers are alike") {
  Random random(6);
  for (const auto& row : find_definition(Op::kCAST)->rows) {
    const auto in = row.types[0], out = row.types[1];
    if (is_float(in) || is_float(out)) continue;
    for (const bool is_unsigned : {false, true})
      if (!is_unsigned || in != DType::kBOOL)
        check_alike({Op::kCAST,
                     {any_tensor(random, in, kShape)},
                     {out, kShape},
                     {{Attr::k_input_unsigned, std::int64_t{is_unsigned}}}});
  }
}

TEST_CASE("kernels of TABLE are alike") {
  Random random(3);
  const auto bytes = any_tensor(random, DType::kINT8, kShape), words = any_tensor(random, DType::kINT16, kShape);
  check_alike({Op::kTABLE, {bytes, any_tensor(random, DType::kINT8, {256})}, {DType::kINT8, kShape}});
  // Slopes of 16 bits, and of more.
  for (const std::int64_t limit : {16383, 32767})
    check_alike({Op::kTABLE,
                 {words, random_tensor<std::int16_t>(random, DType::kINT16, {513}, -limit, limit)},
                 {DType::kINT32, kShape}});
}

/// One element, within [-limit, limit].
Tensor any_element(Random& random, DType dtype, std::int64_t limit) {
  Tensor tensor(dtype, {1});
  const auto value = pick(random, -limit, limit);
  std::memcpy(tensor.bytes().data(), &value, tensor.bytes().size());
  return tensor;
}

TEST_CASE("kernels of RESCALE are alike") {
  Random random(4);
  const DType inputs[] = {DType::kINT8, DType::kINT16, DType::kINT32, DType::kINT48},
              outputs[] = {DType::kINT8, DType::kINT16, DType::kINT32};
  for (const auto in : inputs)
    for (const auto out : outputs)
      for (int round = 0; round < 12; ++round) {
        const bool scale32 = in != DType::kINT48 && round % 2 == 0, per_channel = round % 3 == 0;
        const bool narrow = size_of(in) < 4 && size_of(out) < 4;
        const bool from_unsigned = narrow && round % 5 == 1, to_unsigned = narrow && round % 5 == 2;
        const std::int64_t channels = per_channel ? kShape.back() : 1;
        // Small shifts break REQUIREs.
        const std::int64_t least_shift = round < 6 ? 2 : 33;
        const auto& shape = round % 6 < 2 ? kShape : kSmallShape;
        const auto zero_point = [&](DType dtype, bool is_unsigned) {
          if (dtype == DType::kINT8) return any_element(random, dtype, is_unsigned ? 255 : 127);
          return make<std::int16_t>(DType::kINT16, {1}, {INT16_MIN});
        };
        const auto has_zero_point = [](DType dtype, bool is_unsigned) {
          return dtype == DType::kINT8 || (dtype == DType::kINT16 && is_unsigned);
        };
        check_alike({Op::kRESCALE,
                     {any_tensor(random, in, shape),
                      scale32 ? random_tensor<std::int32_t>(random, DType::kINT32, {channels}, 0, INT32_MAX)
                              : random_tensor<std::int16_t>(random, DType::kINT16, {channels}, 0, INT16_MAX),
                      random_tensor<std::int8_t>(random, DType::kINT8, {channels}, least_shift, 45),
                      has_zero_point(in, from_unsigned) ? zero_point(in, from_unsigned) : Tensor(in, {1}),
                      has_zero_point(out, to_unsigned) ? zero_point(out, to_unsigned) : Tensor(out, {1})},
                     {out, shape},
                     {{Attr::k_scale32, std::int64_t{scale32}},
                      {Attr::k_rounding_mode, std::int64_t(scale32 && round % 4 == 0 ? RoundingMode::kDoubleRound
                                                                                     : RoundingMode::kSingleRound)},
                      {Attr::k_per_channel, std::int64_t{per_channel}},
                      {Attr::k_input_unsigned, std::int64_t{from_unsigned}},
                      {Attr::k_output_unsigned, std::int64_t{to_unsigned}}}});
      }
}

TEST_CASE("kernels that move elements are alike") {
  Random random(5);
  const auto shape_of = [](const std::vector<std::int64_t>& extents) {
    return make(DType::kSHAPE, {std::ssize(extents)}, extents);
  };
  for (const auto dtype : {DType::kINT8, DType::kINT16, DType::kINT32, DType::kINT64}) {
    const auto a = any_tensor(random, dtype, kShape);
    const auto [n, h, w] = std::array{kShape[0], kShape[1], kShape[2]};
    check_alike({Op::kIDENTITY, {a}, {dtype, kShape}});
    check_alike({Op::kRESHAPE, {a, shape_of({a.size()})}, {dtype, {a.size()}}});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Attributes attributes{{Attr::k_axis, static_cast<std::int64_t>(axis)}};
      check_alike({Op::kREVERSE, {a}, {dtype, kShape}, attributes});
      auto half = kShape, both = kShape;
      half[axis] /= 2;
      both[axis] += half[axis];
      check_alike({Op::kCONCAT, {any_tensor(random, dtype, half), a}, {dtype, both}, attributes});
    }
    check_alike({Op::kTRANSPOSE, {a}, {dtype, {w, n, h}}, {{Attr::k_perms, std::vector<std::int64_t>{2, 0, 1}}}});
    check_alike({Op::kSLICE, {a, shape_of({1, 2, 3}), shape_of({3, 300, 148})}, {dtype, {3, 300, 148}}});
    check_alike({Op::kTILE, {a, shape_of({2, 1, 2})}, {dtype, {2 * n, h, 2 * w}}});
    for (const auto& padding : std::vector<std::vector<std::int64_t>>{
             {0, 0, 1, 2, 0, 0}, {0, 0, 0, 0, 3, 0}, {1, 0, 2, 1, 0, 3}, {1, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}}) {
      Shape padded = kShape;
      for (std::size_t i = 0; i < 3; ++i) padded[i] += padding[2 * i] + padding[2 * i + 1];
      check_alike({Op::kPAD, {a, shape_of(padding), any_tensor(random, dtype, {1})}, {dtype, padded}});
    }
    // Few of the indices are outside.
    const auto index = dtype == DType::kINT64 ? DType::kINT64 : DType::kINT32;
    const auto indices = index == DType::kINT64 ? random_tensor<std::int64_t>(random, index, {n, 301}, -1, h)
                                                : random_tensor<std::int32_t>(random, index, {n, 301}, -1, h);
    check_alike({Op::kGATHER, {a, indices}, {dtype, {n, 301, w}}});
    check_alike({Op::kSCATTER, {a, indices, any_tensor(random, dtype, {n, 301, w})}, {dtype, kShape}});
  }
}

}  // namespace
}  // namespace macaw::tosa
