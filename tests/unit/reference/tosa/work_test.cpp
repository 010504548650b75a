#include "reference/tosa/work.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace macaw::tosa {
namespace {

Operator make(Op op, std::vector<std::int64_t> kernel = {}) {
  Operator result;
  result.op = op;
  if (!kernel.empty()) result.set(Attr::k_kernel, std::move(kernel));
  return result;
}

Operator transposed(std::vector<std::int64_t> pad, std::vector<std::int64_t> stride) {
  auto result = make(Op::kTRANSPOSE_CONV2D);
  result.set(Attr::k_out_pad, std::move(pad));
  result.set(Attr::k_stride, std::move(stride));
  return result;
}

}  // namespace

TEST_CASE("an operator counts its products, the elements that it writes or reduces, and itself") {
  struct Case {
    Operator op;
    std::vector<Shape> inputs, outputs;
    std::int64_t products, elements;
    bool bounds;
  };
  const std::vector<Case> cases = {
      {make(Op::kADD), {{2, 3}, {1, 3}}, {{2, 3}}, 0, 6, false},
      {make(Op::kIDENTITY), {{}}, {{}}, 0, 1, false},
      {make(Op::kCONV2D), {{1, 5, 5, 3}, {7, 2, 4, 3}}, {{1, 4, 2, 7}}, 56 * 2 * 4 * 3, 56, false},
      {make(Op::kCONV3D), {{1, 5, 5, 5, 3}, {7, 2, 4, 5, 3}}, {{1, 4, 2, 1, 7}}, 56 * 2 * 4 * 5 * 3, 56, false},
      {transposed({0, 0, 0, 0}, {1, 1}), {{2, 2, 2, 3}, {7, 2, 4, 3}}, {{2, 3, 5, 7}}, 42 * 6 * 20, 210, false},
      {transposed({0, 0, 0, 0}, {9, 5}), {{1, 2, 2, 3}, {7, 2, 4, 3}}, {{1, 11, 9, 7}}, 21 * 4 * 8, 99 * 7, false},
      {transposed({-1, 2, 1, -2}, {2, 3}), {{1, 2, 2, 3}, {7, 2, 4, 3}}, {{1, 5, 6, 7}}, 21 * 5 * 8, 30 * 7, false},
      {make(Op::kCONV2D_BLOCK_SCALED), {{1, 5, 5, 32}, {1}, {7, 2, 4, 32}}, {{1, 4, 2, 7}}, 56 * 2 * 4 * 32, 56, false},
      {make(Op::kDEPTHWISE_CONV2D), {{1, 5, 5, 3}, {2, 4, 3, 2}}, {{1, 4, 2, 6}}, 48 * 2 * 4, 48, false},
      {make(Op::kMATMUL), {{2, 3, 5}, {2, 5, 7}}, {{2, 3, 7}}, 42 * 5, 42, false},
      {make(Op::kMATMUL_T), {{2, 3, 5}, {1, 7, 5}}, {{2, 3, 7}}, 42 * 5, 42, false},
      {make(Op::kMATMUL_T_BLOCK_SCALED), {{2, 3, 32}, {2, 3, 1}, {2, 7, 32}}, {{2, 3, 7}}, 42 * 32, 42, false},
      {make(Op::kMAX_POOL2D, {3, 5}), {{1, 9, 9, 2}}, {{1, 7, 5, 2}}, 70 * 15, 70, false},
      {make(Op::kAVG_POOL2D, {3, 5}), {{1, 9, 9, 2}}, {{1, 7, 5, 2}}, 70 * 15, 70, false},
      {make(Op::kMAX_POOL2D_ADAPTIVE), {{1, 9, 8, 2}}, {{1, 7, 5, 2}}, 70 * 72, 70, false},
      {make(Op::kREDUCE_SUM), {{4, 5, 6}}, {{4, 1, 6}}, 0, 120 + 24, false},
      {make(Op::kARGMAX), {{4, 5, 6}}, {{4, 6}}, 0, 120 + 24, false},
      {make(Op::kFFT2D), {{1, 4, 8}, {1, 4, 8}}, {{1, 4, 8}, {1, 4, 8}}, 0, 64 * 21, false},
      {make(Op::kFFT2D), {{1, 4, 8}, {1, 4, 8}}, {{1, 4, 8}, {1, 4, 8}}, 0, 64 * 33, true},
      {make(Op::kCONCAT), {{2}, {3}}, {{5}}, 0, 5, false},
  };
  for (const auto& c : cases) {
    INFO(to_string(c.op.op));
    std::vector<Tensor> inputs;
    std::vector<const Tensor*> pointers;
    std::vector<std::shared_ptr<Tensor>> outputs;
    for (const auto& shape : c.inputs) inputs.emplace_back(DType::kINT8, shape);
    for (const auto& input : inputs) pointers.push_back(&input);
    for (const auto& shape : c.outputs) outputs.push_back(std::make_shared<Tensor>(DType::kINT32, shape));
    CHECK(work_of(c.op, pointers, outputs, c.bounds) == kWorkPerOperator + c.products + 16 * c.elements);
  }
  const Tensor a(DType::kINT8, {2, 3}), b(DType::kINT32, {5});
  CHECK(work_of_body(std::vector{&a, &b}) == kWorkPerOperator + 16 * 11);
}

}  // namespace macaw::tosa
