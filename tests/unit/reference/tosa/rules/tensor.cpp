#include "tests/unit/reference/tosa/rules/trip.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

void axis(std::vector<Trip>& all, Op op) {
  Trips(all, op).add({1}, 1, kAny, set_attribute(Attr::k_axis, -1)).add({1}, 1, kAny, [](Case& c) {
    c.op.set(Attr::k_axis, static_cast<std::int64_t>(c.inputs[0].rank()));
  });
}

void reduction(std::vector<Trip>& all, Op op) {
  axis(all, op);
  Trips(all, op).add({2}, 2, kAny, [](Case& c) {
    const auto at = static_cast<std::size_t>(c.op.get_int(Attr::k_axis));
    c.outputs[0].second[at] = 2;
  });
}

/// Two addends of the largest number.
void sum(std::vector<Trip>& all, DType dtype) {
  Trips(all, Op::kREDUCE_SUM).add("arithmetic_helpers:1", 3, {dtype}, [dtype](Case& c) {
    c.inputs[0] = filled(dtype, {2}, dtype == DType::kINT32 ? 2147483647 : INT64_MAX);
    c.outputs[0].second = {1};
    c.op.set(Attr::k_axis, std::int64_t{0});
  });
}

/// Products of -32768 * -32768 add up to 2^47 after 2^17 of them.
void product(std::vector<Trip>& all, Op op, int rule) {
  Trips(all, op).add("arithmetic_helpers:1", rule, kInt16, [](Case& c) {
    const std::int64_t count = (1 << 17) + 1;
    c.inputs[0] = filled(DType::kINT16, {1, 1, count}, -32768);
    const bool transposed = c.op.op == Op::kMATMUL_T;
    c.inputs[1] = filled(DType::kINT16, transposed ? Shape{1, 1, count} : Shape{1, count, 1}, -32768);
    c.outputs[0].second = {1, 1, 1};
  });
}

void fourier(std::vector<Trip>& all, Op op) {
  const auto shape = [op](Shape in) {
    return [op, in](Case& c) {
      for (auto& input : c.inputs) input = Tensor(DType::kFP32, in);
      auto out = in;
      if (op == Op::kRFFT2D) out[2] = in[2] / 2 + 1;
      for (auto& output : c.outputs) output.second = out;
    };
  };
  Trips(all, op)
      .add({}, 1, kAny, shape({1, 16384, 1}))
      .add({1}, 2, kAny, shape({1, 3, 4}))
      .add({2}, 3, kAny, shape({1, 4, 6}));
  if (op == Op::kRFFT2D) Trips(all, op).add({}, 4, kAny, grow_output(2));
}

}  // namespace

void add_tensor_trips(std::vector<Trip>& all) {
  axis(all, Op::kARGMAX);
  Trips(all, Op::kARGMAX).add({2}, 2, kAny, [](Case& c) { c.outputs[0].second.push_back(2); });
  for (const auto op :
       {Op::kREDUCE_ALL, Op::kREDUCE_ANY, Op::kREDUCE_MAX, Op::kREDUCE_MIN, Op::kREDUCE_PRODUCT, Op::kREDUCE_SUM})
    reduction(all, op);
  sum(all, DType::kINT32);
  sum(all, DType::kINT64);
  Trips(all, Op::kMATMUL).add({1}, 1, kInt16, fill_input(2, 1)).add({2}, 2, kInt16, fill_input(3, 1));
  Trips(all, Op::kMATMUL_T)
      .add({1}, 1, kAny,
           [](Case& c) {
             auto shape = c.inputs[1].shape();
             shape[0] = c.inputs[0].shape()[0] + 1;
             c.inputs[1] = Tensor(c.inputs[1].dtype(), shape);
           })
      .add({2}, 2, kInt16, fill_input(2, 1))
      .add({3}, 3, kInt16, fill_input(3, 1))
      .add({4}, 4, {kFp8Blocks, DType::kFP16}, lengthen_operands())
      .add({5}, 5, {DType::kFP16, kFp8Blocks}, lengthen_operands());
  product(all, Op::kMATMUL, 3);
  product(all, Op::kMATMUL_T, 6);
  fourier(all, Op::kFFT2D);
  fourier(all, Op::kRFFT2D);
}

}  // namespace macaw::test
