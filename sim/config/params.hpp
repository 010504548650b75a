#pragma once
#include <macaw/error.hpp>
#include <macaw/npu/accelerator.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace macaw::npu {

/// How far a timing constant can be trusted.
enum class Confidence : std::uint8_t { kExact, kSourced, kFitted, kAssumed };
[[nodiscard]] std::string_view to_string(Confidence confidence);

/// Timing constants of one accelerator; rows, units and sources in params.def. NaN: the row does not apply to it.
struct Params {
#define MACAW_PARAM(name, unit, values, source, confidence, text) double name = 0;
#include "sim/config/params.def"
#undef MACAW_PARAM

  [[nodiscard]] std::optional<double> get(std::string_view name) const;
  /// `-C name=value`. kUsage: no such name, or the value is negative or not finite.
  [[nodiscard]] Result<void> set(std::string_view name, double value);
};
[[nodiscard]] Params default_params(const Accelerator& accelerator);

struct ParamInfo {
  std::string_view name, unit, source, text;
  Confidence confidence;
  double Params::*member;
};
[[nodiscard]] std::span<const ParamInfo> all_params();

/// A constant that calibration may change, by a factor within limits.
struct FreeParam {
  std::string_view name;
  double least, most;
};
[[nodiscard]] std::span<const FreeParam> free_params();

}  // namespace macaw::npu
