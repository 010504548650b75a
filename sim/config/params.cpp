#include "sim/config/params.hpp"

#include "sim/isa/accelerator_table.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace macaw::npu {
namespace {

constexpr double NA = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kColumns = std::size(detail::kAccelerators);
using Values = std::array<double, kColumns>;

[[maybe_unused]] constexpr Values ALL(double v) {
  Values values{};
  for (double& value : values) value = v;
  return values;
}
template <class... T>
constexpr Values FAMILY(T... v) {
  static_assert(sizeof...(v) == std::size(detail::kFamilies));
  const double by_family[] = {static_cast<double>(v)...};
  Values values{};
  for (std::size_t i = 0; i < kColumns; ++i)
    values[i] = by_family[static_cast<std::size_t>(detail::kAccelerators[i].family)];
  return values;
}
template <class... T>
constexpr Values EACH(T... v) {
  static_assert(sizeof...(v) == kColumns);
  return {static_cast<double>(v)...};
}

constexpr Values kValues[] = {
#define MACAW_PARAM(name, unit, values, source, confidence, text) values,
#include "sim/config/params.def"
#undef MACAW_PARAM
};

constexpr ParamInfo kInfo[] = {
#define MACAW_PARAM(name, unit, values, source, confidence, text) \
  {#name, unit, source, text, Confidence::confidence, &Params::name},
#include "sim/config/params.def"
#undef MACAW_PARAM
};

#define MACAW_PARAM(name, unit, values, source, confidence, text)
constexpr FreeParam kFree[] = {
#define MACAW_FREE_PARAM(name, least, most) {#name, least, most},
#include "sim/config/params.def"
#undef MACAW_FREE_PARAM
};
#undef MACAW_PARAM

const ParamInfo* find(std::string_view name) {
  for (const auto& info : kInfo)
    if (info.name == name) return &info;
  return nullptr;
}

}  // namespace

std::string_view to_string(Confidence confidence) {
  switch (confidence) {
    case Confidence::kExact: return "exact";
    case Confidence::kSourced: return "sourced";
    case Confidence::kFitted: return "fitted";
    case Confidence::kAssumed: return "assumed";
  }
  return "";
}

std::span<const ParamInfo> all_params() { return kInfo; }
std::span<const FreeParam> free_params() { return kFree; }

std::optional<double> Params::get(std::string_view name) const {
  const auto* info = find(name);
  if (info == nullptr) return {};
  return this->*info->member;
}

Result<void> Params::set(std::string_view name, double value) {
  const auto* info = find(name);
  if (info == nullptr) return fail(ErrorCode::kUsage, "unknown timing parameter '" + std::string(name) + "'");
  if (!std::isfinite(value) || value < 0)
    return fail(ErrorCode::kUsage, "timing parameter " + std::string(name) + " must be a finite number of 0 or more");
  this->*info->member = value;
  return {};
}

Params default_params(const Accelerator& accelerator) {
  Params params;
  for (std::size_t column = 0; column < kColumns; ++column)
    if (detail::kAccelerators[column].name == accelerator.name)
      for (std::size_t row = 0; row < std::size(kInfo); ++row) params.*kInfo[row].member = kValues[row][column];
  return params;
}

}  // namespace macaw::npu
