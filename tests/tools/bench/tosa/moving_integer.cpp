#include "tests/tools/bench/tosa/moving.hpp"

// Element-wise operators on integers and booleans.

namespace macaw::bench {
namespace {

constexpr auto kBool = DType::kBOOL, kI8 = DType::kINT8, kI16 = DType::kINT16, kI32 = DType::kINT32,
               kI48 = DType::kINT48, kI64 = DType::kINT64;

std::string name_of(DType dtype) {
  std::string name(to_string(dtype));
  for (auto& letter : name) letter = static_cast<char>(letter | 0x20);  // digits have that bit
  return name;
}

constexpr DType kSame{0xFF};  // as the inputs

/// Operators whose inputs and outputs are of one shape, or whose last input is one element, or one for each channel.
struct Row {
  Op op;
  std::vector<DType> types;
  int inputs;
  DType out = kSame;
  std::int64_t low = -100, high = 100;  ///< of the second input
  Attributes attributes = {};
};
const Row kRows[] = {
    {Op::kADD, {kI32, kI64}, 2},
    {Op::kSUB, {kI32, kI64}, 2},
    {Op::kINTDIV, {kI32, kI64}, 2, kSame, 1, 100},
    {Op::kMAXIMUM, {kI32, kI64}, 2, kSame, -100, 100, {{Attr::k_nan_mode, std::int64_t{0}}}},
    {Op::kMINIMUM, {kI32, kI64}, 2, kSame, -100, 100, {{Attr::k_nan_mode, std::int64_t{0}}}},
    {Op::kARITHMETIC_RIGHT_SHIFT, {kI8, kI16, kI32, kI64}, 2, kSame, 0, 7, {{Attr::k_round, std::int64_t{1}}}},
    {Op::kLOGICAL_LEFT_SHIFT, {kI8, kI16, kI32, kI64}, 2, kSame, 0, 7},
    {Op::kLOGICAL_RIGHT_SHIFT, {kI8, kI16, kI32, kI64}, 2, kSame, 0, 7},
    {Op::kBITWISE_AND, {kI8, kI16, kI32, kI64}, 2},
    {Op::kBITWISE_OR, {kI8, kI16, kI32, kI64}, 2},
    {Op::kBITWISE_XOR, {kI8, kI16, kI32, kI64}, 2},
    {Op::kLOGICAL_AND, {kBool}, 2},
    {Op::kLOGICAL_OR, {kBool}, 2},
    {Op::kLOGICAL_XOR, {kBool}, 2},
    {Op::kEQUAL, {kI32, kI64}, 2, kBool},
    {Op::kGREATER, {kI32, kI64}, 2, kBool},
    {Op::kGREATER_EQUAL, {kI32, kI64}, 2, kBool},
    {Op::kABS, {kI32, kI64}, 1},
    {Op::kBITWISE_NOT, {kI8, kI16, kI32, kI64}, 1},
    {Op::kLOGICAL_NOT, {kBool}, 1},
    {Op::kCLZ, {kI32, kI64}, 1},
};

/// How the last input goes with the output.
struct Broadcast {
  const char* name;
  Shape shape;
};
const Broadcast kBroadcasts[] = {{"", kShape}, {"_one", {1, 1, 1, 1}}, {"_channels", {1, 1, 1, 64}}};

void add_row(const Row& row, std::vector<Case>& all) {
  for (const auto dtype : row.types)
    for (const auto& [name, shape] : kBroadcasts) {
      if (row.inputs == 1 && shape != kShape) continue;
      Case c{std::string(to_string(row.op)) + name + "/" + name_of(dtype),
             row.op,
             {{dtype}},
             {},
             row.out == kSame ? dtype : row.out};
      if (row.inputs == 2) c.inputs.push_back({dtype, shape, row.low, row.high});
      c.attributes = row.attributes;
      all.push_back(c);
    }
}

template <class T>
Case clamp(DType dtype) {
  return {
      "CLAMP/" + name_of(dtype),
      Op::kCLAMP,
      {{dtype}},
      {},
      dtype,
      kShape,
      {{Attr::k_min_val, bytes_of(T{-50})}, {Attr::k_max_val, bytes_of(T{50})}, {Attr::k_nan_mode, std::int64_t{0}}}};
}

void add_others(std::vector<Case>& all) {
  const auto no_shift = zero_of(kI8), shift = tensor_of<std::int8_t>(kI8, {4});
  for (const auto& [name, shape] : kBroadcasts) {
    const std::string mul = "MUL" + std::string(name) + "/";
    for (const auto& [dtype, out] : {std::pair{kI8, kI32}, {kI16, kI32}, {kI32, kI32}, {kI64, kI64}})
      all.push_back({mul + name_of(dtype), Op::kMUL, {{dtype}, {dtype, shape}}, {no_shift}, out});
    all.push_back({mul + "int32_shifted", Op::kMUL, {{kI32}, {kI32, shape}}, {shift}, kI32});
    for (const auto dtype : {kBool, kI8, kI16, kI32, kI64})
      all.push_back({"SELECT" + std::string(name) + "/" + name_of(dtype),
                     Op::kSELECT,
                     {{kBool}, {dtype}, {dtype, shape}},
                     {},
                     dtype});
  }
  const Shape thin{1, 512, 512, 3};
  for (const auto dtype : {kI8, kI32})
    all.push_back({"BITWISE_XOR_channels_of_3/" + name_of(dtype),
                   Op::kBITWISE_XOR,
                   {{dtype, thin}, {dtype, {1, 1, 1, 3}}},
                   {},
                   dtype,
                   thin});
  for (const auto dtype : {kI8, kI16, kI32, kI64})
    all.push_back({"NEGATE/" + name_of(dtype), Op::kNEGATE, {{dtype}}, {zero_of(dtype), zero_of(dtype)}, dtype});
  all.push_back(clamp<std::int8_t>(kI8));
  all.push_back(clamp<std::int16_t>(kI16));
  all.push_back({"TABLE/int8", Op::kTABLE, {{kI8, kShape, -128, 127}}, {random_tensor({kI8, {256}})}, kI8});
  all.push_back({"TABLE/int16", Op::kTABLE, {{kI16, kShape, -32768, 32767}}, {random_tensor({kI16, {513}})}, kI32});
  const DType types[] = {kBool, kI8, kI16, kI32};
  for (const auto in : types)
    for (const auto out : types)
      if (in != out) all.push_back({"CAST/" + name_of(in) + "_to_" + name_of(out), Op::kCAST, {{in}}, {}, out});
  for (const auto other : {kBool, kI32}) {
    all.push_back({"CAST/int64_to_" + name_of(other), Op::kCAST, {{kI64}}, {}, other});
    all.push_back({"CAST/" + name_of(other) + "_to_int64", Op::kCAST, {{other}}, {}, kI64});
  }
}

struct Scales {
  const char* name;
  std::int64_t channels;
  bool scale32, double_round;
};
const Scales kScales[] = {{"", 1, true, false},
                          {"_double", 1, true, true},
                          {"_channels", 64, true, false},
                          {"_scale16", 1, false, false},
                          {"_scale16_channels", 64, false, false}};

Case rescale(DType in, DType out, const Scales& how) {
  const auto count = static_cast<std::size_t>(how.channels);
  Case c{"RESCALE" + std::string(how.name) + "/" + name_of(in) + "_to_" + name_of(out), Op::kRESCALE, {{in}}, {}, out};
  c.constants = {how.scale32 ? tensor_of(kI32, std::vector<std::int32_t>(count, (1 << 30) + 12345))
                             : tensor_of(kI16, std::vector<std::int16_t>(count, (1 << 14) + 123)),
                 tensor_of(kI8, std::vector<std::int8_t>(count, how.scale32 ? 33 : 17)), zero_of(in), zero_of(out)};
  const auto rounding = how.double_round ? tosa::RoundingMode::kDoubleRound : tosa::RoundingMode::kSingleRound;
  c.attributes = {{Attr::k_scale32, std::int64_t{how.scale32}},
                  {Attr::k_rounding_mode, static_cast<std::int64_t>(rounding)},
                  {Attr::k_per_channel, std::int64_t{how.channels > 1}},
                  {Attr::k_input_unsigned, std::int64_t{0}},
                  {Attr::k_output_unsigned, std::int64_t{0}}};
  return c;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& row : kRows) add_row(row, all);
  add_others(all);
  for (const auto in : {kI8, kI16, kI32, kI48})
    for (const auto out : {kI8, kI16, kI32})
      for (const auto& how : kScales)
        if (in != kI48 || !how.scale32) all.push_back(rescale(in, out, how));
  return all;
}

const bool kRegistered = register_cases(cases());

}  // namespace
}  // namespace macaw::bench
