#pragma once
#include "sim/isa/register_reader.hpp"

#include <bit>

// Registers common to IFM, IFM2 and OFM; see block_registers.hpp.
namespace macaw::npu::fields {

struct FeatureMapFields {
  FieldRef region, type, precision, format, zero_point, base[4], stride_x, stride_y, stride_c, width0, height0, height1;
};
#define MACAW_FEATURE_MAP(fm)                                                                                        \
  FeatureMapFields {                                                                                                 \
    MACAW_REG_U65(fm "_REGION", "region"), MACAW_REG_U65(fm "_PRECISION", "activation_type"),                        \
        MACAW_REG_U65(fm "_PRECISION", "activation_precision"), MACAW_REG_U65(fm "_PRECISION", "activation_format"), \
        MACAW_REG_U65(fm "_ZERO_POINT", "zero_point"),                                                               \
        {MACAW_REG_U65(fm "_BASE0", "addr"), MACAW_REG_U65(fm "_BASE1", "addr"), MACAW_REG_U65(fm "_BASE2", "addr"), \
         MACAW_REG_U65(fm "_BASE3", "addr")},                                                                        \
        MACAW_REG_U65(fm "_STRIDE_X", "addr"), MACAW_REG_U65(fm "_STRIDE_Y", "addr"),                                \
        MACAW_REG_U65(fm "_STRIDE_C", "addr"), MACAW_REG_U65(fm "_WIDTH0_M1", "width_m1"),                           \
        MACAW_REG_U65(fm "_HEIGHT0_M1", "height_m1"), MACAW_REG_U65(fm "_HEIGHT1_M1", "height_m1")                   \
  }
inline constexpr FeatureMapFields kIfm = MACAW_FEATURE_MAP("IFM");
inline constexpr FeatureMapFields kIfm2 = MACAW_FEATURE_MAP("IFM2");
inline constexpr FeatureMapFields kOfm = MACAW_FEATURE_MAP("OFM");
#undef MACAW_FEATURE_MAP

/// The location of the elements. The zero point is the raw value of the register: its sign follows from the type.
template <class Io>
void place(Io& io, const FeatureMapFields& r, FeatureMap& fm) {
  io.number(r.region, fm.region);
  for (std::size_t i = 0; i < fm.base.size(); ++i) io.number(r.base[i], fm.base[i]);
  io.low_bits(r.height0, fm.height0, 1);
  io.low_bits(r.height1, fm.height1, 1);
  io.low_bits(r.width0, fm.width0, 1);
  io.signed_address(r.stride_y, fm.stride_y);
  io.signed_address(r.stride_x, fm.stride_x);
  io.signed_address(r.stride_c, fm.stride_c);
  io.low_bits(r.zero_point, fm.zero_point);
}

/// The part of the precision register that all maps have; place() must come before it.
template <class Io>
void element_type(Io& io, const FeatureMapFields& r, FeatureMap& fm) {
  int precision = std::countr_zero(static_cast<unsigned>(fm.bits / 8));
  io.code(r.type, fm.is_signed);
  io.code(r.precision, precision);
  io.code(r.format, fm.layout);
  fm.bits = 8 << precision;
  if (fm.is_signed) fm.zero_point = std::int32_t(sign_extend(static_cast<std::uint32_t>(fm.zero_point), 16));
}

}  // namespace macaw::npu::fields
