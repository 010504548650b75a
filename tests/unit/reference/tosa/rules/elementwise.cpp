#include <cstring>
#include <limits>

#include "tests/unit/reference/tosa/rules/trip.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

const Types kInt8{DType::kINT8}, kInt32{DType::kINT32}, kInt64{DType::kINT64}, kFp32{DType::kFP32};
constexpr std::int64_t kMax32 = std::numeric_limits<std::int32_t>::max(), kMin32 = -kMax32 - 1,
                       kMax64 = std::numeric_limits<std::int64_t>::max(), kMin64 = -kMax64 - 1;

/// Two operands of one element.
Edit pair(std::int64_t a, std::int64_t b) {
  return [=](Case& c) {
    c.inputs[0] = filled(c.inputs[0].dtype(), {1}, a);
    c.inputs[1] = filled(c.inputs[1].dtype(), {1}, b);
    c.outputs[0].second = {1};
  };
}

Edit reals(float a, float b) {
  return [=](Case& c) {
    pair(0, 0)(c);
    c.inputs[0].data<float>()[0] = a;
    c.inputs[1].data<float>()[0] = b;
  };
}

Edit single(std::int64_t a) {
  return [=](Case& c) {
    c.inputs[0] = filled(c.inputs[0].dtype(), {1}, a);
    c.outputs[0].second = {1};
  };
}

/// The output's shape, ranks that differ, and extents that do not broadcast.
void broadcast(std::vector<Trip>& all, Op op, int rule = 1, int statement = 1, std::size_t first = 0) {
  const auto shapes = [first](const Shape& a, const Shape& b, const Shape& out) {
    return [=](Case& c) {
      if (first == 1) c.inputs[0] = Tensor(c.inputs[0].dtype(), Shape(a.size(), 1));  // SELECT's choice
      c.inputs[first] = Tensor(c.inputs[first].dtype(), a);
      c.inputs[first + 1] = Tensor(c.inputs[first + 1].dtype(), b);
      c.outputs[0].second = out;
    };
  };
  Trips(all, op)
      .add({statement}, rule, kAny, shapes({2, 1}, {1, 3}, {2, 4}))
      .add("broadcast_shape:1", rule, kAny, shapes({2, 3}, {3}, {2, 3}))
      .add("broadcast_shape:2", rule, kAny, shapes({2, 3}, {2, 2}, {2, 3}));
}

void shift(std::vector<Trip>& all, Op op) {
  const std::pair<DType, std::int64_t> bits[] = {
      {DType::kINT8, 8}, {DType::kINT16, 16}, {DType::kINT32, 32}, {DType::kINT64, 64}};
  for (const auto& [dtype, count] : bits)
    Trips(all, op).add({2}, 2, {dtype}, pair(1, count)).add({2}, 2, {dtype}, pair(1, -1));
}

void set_bounds(Case& c, float low, float high) {
  const auto bytes = [](float value) {
    std::vector<std::byte> result(sizeof value);
    std::memcpy(result.data(), &value, sizeof value);
    return result;
  };
  c.op.set(Attr::k_min_val, bytes(low));
  c.op.set(Attr::k_max_val, bytes(high));
}

void clamp(std::vector<Trip>& all) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  Trips(all, Op::kCLAMP)
      .add({1}, 1, kInt8,
           [](Case& c) {
             c.op.set(Attr::k_min_val, std::vector{std::byte{5}});
             c.op.set(Attr::k_max_val, std::vector{std::byte{4}});
           })
      .add({1}, 1, kFp32, [](Case& c) { set_bounds(c, 1, -1); })
      .add({2}, 2, kFp32, [](Case& c) { set_bounds(c, kNan, 1); })
      .add({2}, 2, kFp32, [](Case& c) { set_bounds(c, 0, kNan); });
}

void pow(std::vector<Trip>& all) {
  constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  Trips(all, Op::kPOW)
      .add({2}, 3, kFp32, reals(-1, 2))
      .add({3}, 3, kFp32, reals(0, 0))
      .add({4}, 2, kFp32, reals(1, kNan))
      .add({4}, 2, kFp32, reals(kNan, 1))
      .add({5}, 2, kFp32, reals(kInf, 1))
      .add({5}, 2, kFp32, reals(2, -kInf));
}

}  // namespace

void add_elementwise_trips(std::vector<Trip>& all) {
  for (const auto op :
       {Op::kADD, Op::kARITHMETIC_RIGHT_SHIFT, Op::kBITWISE_AND, Op::kBITWISE_OR, Op::kBITWISE_XOR, Op::kEQUAL,
        Op::kGREATER, Op::kGREATER_EQUAL, Op::kINTDIV, Op::kLOGICAL_AND, Op::kLOGICAL_LEFT_SHIFT, Op::kLOGICAL_OR,
        Op::kLOGICAL_RIGHT_SHIFT, Op::kLOGICAL_XOR, Op::kMAXIMUM, Op::kMINIMUM, Op::kPOW, Op::kSUB})
    broadcast(all, op);
  broadcast(all, Op::kMUL, 3, 3);
  broadcast(all, Op::kSELECT, 1, 1, 1);
  for (const auto op : {Op::kARITHMETIC_RIGHT_SHIFT, Op::kLOGICAL_LEFT_SHIFT, Op::kLOGICAL_RIGHT_SHIFT}) shift(all, op);

  Trips(all, Op::kADD)
      .add("arithmetic_helpers:1", 2, kInt32, pair(kMax32, 1))
      .add("arithmetic_helpers:2", 2, kInt32, pair(kMin32, -1))
      .add("arithmetic_helpers:1", 2, kInt64, pair(kMax64, 1))
      .add("arithmetic_helpers:2", 2, kInt64, pair(kMin64, -1));
  Trips(all, Op::kSUB)
      .add("arithmetic_helpers:12", 2, kInt32, pair(kMin32, 1))
      .add("arithmetic_helpers:13", 2, kInt32, pair(kMax32, -1))
      .add("arithmetic_helpers:12", 2, kInt64, pair(kMin64, 1))
      .add("arithmetic_helpers:13", 2, kInt64, pair(0, kMin64));
  Trips(all, Op::kINTDIV)
      .add({2}, 2, kInt32, pair(5, 0))
      .add("arithmetic_helpers:4", 2, kInt64, pair(5, 0))
      .add("arithmetic_helpers:5", 2, kInt64, pair(kMin64, -1))
      .add("arithmetic_helpers:6", 2, kInt32, pair(kMin32, -1));
  Trips(all, Op::kMUL)
      .add({1}, 1, kInt32, fill_input(2, -1))
      .add({1}, 1, kInt32, fill_input(2, 64))
      .add({2}, 2, kInt8, fill_input(2, 1))
      .add({2}, 2, kInt64, fill_input(2, 1))
      .add({4}, 4, kInt32, [](Case& c) {
        pair(kMax32, kMax32)(c);
        fill_input(2, 2)(c);
      });
  Trips(all, Op::kABS)
      .add("arithmetic_helpers:12", 1, kInt32, single(kMin32))
      .add("arithmetic_helpers:12", 1, kInt64, single(kMin64));
  Trips(all, Op::kNEGATE)
      .add({1}, 1, kInt16, fill_input(1, 1))
      .add({2}, 2, kInt16, fill_input(2, 1))
      .add("arithmetic_helpers:13", 3, kInt32, single(kMin32));
  Trips(all, Op::kTABLE).add({1}, 1, kInt8, shape_input(1, {255})).add({}, 2, kInt16, [](Case& c) {
    single(0)(c);
    auto table = filled(DType::kINT16, {513}, -32768);
    table.data<std::int16_t>()[257] = 32767;
    c.inputs[1] = table;
  });
  clamp(all);
  pow(all);
}

}  // namespace macaw::test
