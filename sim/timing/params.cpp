#include "sim/timing/params.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace macaw::npu {
namespace {

constexpr double NA = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kColumns = 11;
using Values = std::array<double, kColumns>;

constexpr Values ALL(double v) { return {v, v, v, v, v, v, v, v, v, v, v}; }
constexpr Values FAMILY(double u55, double u65, double u85) {
  return {u55, u55, u55, u55, u65, u65, u85, u85, u85, u85, u85};
}
template <class... T>
constexpr Values EACH(T... v) {
  static_assert(sizeof...(v) == kColumns);
  return {static_cast<double>(v)...};
}

constexpr std::array<std::string_view, kColumns> kAccelerators = {
    "ethos-u55-32",  "ethos-u55-64",  "ethos-u55-128", "ethos-u55-256",  "ethos-u65-256", "ethos-u65-512",
    "ethos-u85-128", "ethos-u85-256", "ethos-u85-512", "ethos-u85-1024", "ethos-u85-2048"};

constexpr Values kValues[] = {
#define MACAW_PARAM(name, unit, values, source, confidence, text) values,
#include "sim/timing/params.def"
#undef MACAW_PARAM
};

constexpr ParamInfo kInfo[] = {
#define MACAW_PARAM(name, unit, values, source, confidence, text) \
  {#name, unit, source, text, Confidence::confidence, &Params::name},
#include "sim/timing/params.def"
#undef MACAW_PARAM
};

#define MACAW_PARAM(name, unit, values, source, confidence, text)
constexpr FreeParam kFree[] = {
#define MACAW_FREE_PARAM(name, least, most) {#name, least, most},
#include "sim/timing/params.def"
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
  if (info == nullptr) return fail(ErrorCode::kUsage, "no timing parameter is called '" + std::string(name) + "'");
  if (!std::isfinite(value) || value < 0)
    return fail(ErrorCode::kUsage, "timing parameter " + std::string(name) + " must be a finite number of 0 or more");
  this->*info->member = value;
  return {};
}

Params default_params(const Accelerator& accelerator) {
  Params params;
  for (std::size_t column = 0; column < kColumns; ++column)
    if (kAccelerators[column] == accelerator.name)
      for (std::size_t row = 0; row < std::size(kInfo); ++row) params.*kInfo[row].member = kValues[row][column];
  return params;
}

}  // namespace macaw::npu
