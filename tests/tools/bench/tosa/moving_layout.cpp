#include "tests/tools/bench/tosa/moving.hpp"

// Data-layout operators and those that gather and scatter, which only tell elements by their size.

namespace macaw::bench {
namespace {

Attributes axis(std::int64_t axis) { return {{Attr::k_axis, axis}}; }

/// Dimensions as they come, in the order of `perms`.
Case transpose(const std::string& type, DType dtype, const Shape& shape, const std::vector<std::int64_t>& perms) {
  Case c{"TRANSPOSE_", Op::kTRANSPOSE, {{dtype, shape}}, {}, dtype, {}, {{Attr::k_perms, perms}}};
  for (const auto dimension : perms) {
    c.name += std::to_string(dimension);
    c.out_shape.push_back(shape[static_cast<std::size_t>(dimension)]);
  }
  if (shape != kShape) c.name += "_of_" + std::to_string(shape.back());
  c.name += type;
  return c;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const Shape twice{1, 128, 128, 128}, rows{1, 16384, 64}, thin{1, 512, 512, 3};
  for (const auto& [type, dtype] : {std::pair{std::string("/int8"), DType::kINT8},
                                    {std::string("/int16"), DType::kINT16},
                                    {std::string("/int32"), DType::kINT32},
                                    {std::string("/int64"), DType::kINT64},
                                    {std::string("/bool"), DType::kBOOL}}) {
    const Values a{dtype};
    all.push_back({"IDENTITY" + type, Op::kIDENTITY, {a}, {}, dtype});
    all.push_back({"RESHAPE" + type, Op::kRESHAPE, {a}, {shape_of({16384, 64})}, dtype, {16384, 64}});
    all.push_back({"CONCAT_height" + type, Op::kCONCAT, {a, a}, {}, dtype, {1, 256, 128, 64}, axis(1)});
    all.push_back({"CONCAT_channels" + type, Op::kCONCAT, {a, a}, {}, dtype, twice, axis(3)});
    all.push_back(
        {"SLICE" + type, Op::kSLICE, {{dtype, {1, 130, 130, 66}}}, {shape_of({0, 1, 1, 1}), shape_of(kShape)}, dtype});
    all.push_back({"PAD_plane" + type,
                   Op::kPAD,
                   {a},
                   {shape_of({0, 0, 1, 1, 1, 1, 0, 0}), zero_of(dtype)},
                   dtype,
                   {1, 130, 130, 64}});
    all.push_back({"PAD_channels" + type,
                   Op::kPAD,
                   {a},
                   {shape_of({0, 0, 0, 0, 0, 0, 1, 2}), zero_of(dtype)},
                   dtype,
                   {1, 128, 128, 67}});
    all.push_back({"REVERSE_height" + type, Op::kREVERSE, {a}, {}, dtype, kShape, axis(1)});
    all.push_back({"REVERSE_width" + type, Op::kREVERSE, {a}, {}, dtype, kShape, axis(2)});
    all.push_back({"REVERSE_channels" + type, Op::kREVERSE, {a}, {}, dtype, kShape, axis(3)});
    all.push_back({"TILE_channels" + type, Op::kTILE, {a}, {shape_of({1, 1, 1, 2})}, dtype, twice});
    all.push_back({"TILE_height" + type, Op::kTILE, {a}, {shape_of({1, 2, 1, 1})}, dtype, {1, 256, 128, 64}});
    for (const auto& perms :
         std::vector<std::vector<std::int64_t>>{{0, 2, 1, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {0, 1, 3, 2}, {0, 3, 2, 1}})
      all.push_back(transpose(type, dtype, kShape, perms));
    all.push_back(transpose(type, dtype, thin, {0, 3, 1, 2}));
    all.push_back(transpose(type, dtype, {1, 3, 512, 512}, {0, 2, 3, 1}));
    const auto index = dtype == DType::kINT64 ? DType::kINT64 : DType::kINT32;
    const Values indices{index, {1, 16384}, 0, 16383};
    all.push_back({"GATHER" + type, Op::kGATHER, {{dtype, rows}, indices}, {}, dtype, rows});
    const Values each{index, {1, 16384}, 0, 0, true};
    all.push_back({"SCATTER" + type, Op::kSCATTER, {{dtype, rows}, each, {dtype, rows}}, {}, dtype, rows});
  }
  return all;
}

const bool kRegistered = register_cases(cases());

}  // namespace
}  // namespace macaw::bench
