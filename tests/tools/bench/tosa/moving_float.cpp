#include "tests/tools/bench/tosa/moving.hpp"

namespace macaw::bench {
namespace {

std::vector<std::byte> bound(DType dtype, bool negative) {
  // -50 and 50, for 16-bit types encodings around that of 1
  switch (dtype) {
    case DType::kFP16: return bytes_of(static_cast<std::uint16_t>(negative ? 0x3BE0 : 0x3C20));
    case DType::kBF16: return bytes_of(static_cast<std::uint16_t>(negative ? 0x3F60 : 0x3FA0));
    default: return bytes_of(negative ? -50.f : 50.f);
  }
}

void add_elementwise(std::vector<Case>& cases, DType dtype) {
  const auto type = "/" + std::string(to_string(dtype));
  const Values any{dtype}, small{dtype, kShape, -20, 20}, positive{dtype, kShape, 1, 20};
  const Values channels{dtype, {1, 1, 1, kShape[3]}}, one{dtype, {1, 1, 1, 1}};
  const Attributes nan_mode{{Attr::k_nan_mode, std::int64_t{0}}};
  const auto zero = zero_of(dtype);
  const auto add = [&](std::string name, Op op, std::vector<Values> inputs, std::vector<Tensor> constants = {},
                       DType out = DType::kBOOL, Attributes attributes = {}) {
    cases.push_back({name + type, op, std::move(inputs), std::move(constants), out, kShape, std::move(attributes)});
  };
  add("ADD", Op::kADD, {any, any}, {}, dtype);
  add("ADD_channels", Op::kADD, {any, channels}, {}, dtype);
  add("ADD_scalar", Op::kADD, {any, one}, {}, dtype);
  add("SUB", Op::kSUB, {any, any}, {}, dtype);
  add("MUL", Op::kMUL, {any, any}, {zero_of(DType::kINT8)}, dtype);
  add("MAXIMUM", Op::kMAXIMUM, {any, any}, {}, dtype, nan_mode);
  add("MINIMUM", Op::kMINIMUM, {any, any}, {}, dtype, nan_mode);
  add("EQUAL", Op::kEQUAL, {any, any});
  add("GREATER", Op::kGREATER, {any, any});
  add("GREATER_EQUAL", Op::kGREATER_EQUAL, {any, any});
  add("SELECT", Op::kSELECT, {{DType::kBOOL}, any, any}, {}, dtype);
  add("ABS", Op::kABS, {any}, {}, dtype);
  add("NEGATE", Op::kNEGATE, {any}, {zero, zero}, dtype);
  add("CEIL", Op::kCEIL, {any}, {}, dtype);
  add("FLOOR", Op::kFLOOR, {any}, {}, dtype);
  add("CLAMP", Op::kCLAMP, {any}, {}, dtype,
      {{Attr::k_min_val, bound(dtype, true)}, {Attr::k_max_val, bound(dtype, false)}, nan_mode.front()});
  add("RECIPROCAL", Op::kRECIPROCAL, {positive}, {}, dtype);
  add("RSQRT", Op::kRSQRT, {positive}, {}, dtype);
  add("EXP", Op::kEXP, {small}, {}, dtype);
  add("LOG", Op::kLOG, {positive}, {}, dtype);
  add("SIN", Op::kSIN, {any}, {}, dtype);
  add("COS", Op::kCOS, {any}, {}, dtype);
  add("ERF", Op::kERF, {small}, {}, dtype);
  add("TANH", Op::kTANH, {small}, {}, dtype);
  add("SIGMOID", Op::kSIGMOID, {small}, {}, dtype);
  add("POW", Op::kPOW, {positive, small}, {}, dtype);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto dtype : {DType::kFP32, DType::kFP16, DType::kBF16}) add_elementwise(all, dtype);
  constexpr DType kFloats[] = {DType::kFP32, DType::kFP16, DType::kBF16, DType::kFP8E4M3, DType::kFP8E5M2};
  const auto name = [](DType from, DType to) {
    return "CAST/" + std::string(to_string(from)) + "_to_" + std::string(to_string(to));
  };
  for (const auto from : kFloats)
    for (const auto to : kFloats) {
      const bool both_short = from != DType::kFP32 && to != DType::kFP32 && size_of(from) == size_of(to);
      if (from != to && !both_short) all.push_back({name(from, to), Op::kCAST, {{from}}, {}, to});
    }
  for (const auto real : {DType::kFP32, DType::kFP16, DType::kBF16})
    for (const auto integer : {DType::kINT8, DType::kINT16, DType::kINT32}) {
      all.push_back({name(real, integer), Op::kCAST, {{real}}, {}, integer});
      all.push_back({name(integer, real), Op::kCAST, {{integer}}, {}, real});
    }
  for (const auto& blocks : kBlockScales) {
    if (blocks.value == DType::kFP64) continue;
    for (const auto plain : {DType::kFP32, DType::kBF16}) {
      all.push_back({name(plain, blocks.dtype), Op::kCAST, {{plain}}, {}, blocks.dtype});
      all.push_back({name(blocks.dtype, plain), Op::kCAST, {{blocks.dtype}}, {}, plain});
    }
  }
  return all;
}

const bool kRegistered = register_cases(cases());

}  // namespace
}  // namespace macaw::bench
