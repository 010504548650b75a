#include "sim/config/cpu_config.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/near_names.hpp"
#include "base/number_text.hpp"

namespace macaw::npu {
namespace {

constexpr double kMostCpuNumber = 1e12;

constexpr CpuField word(std::string_view name, std::string CpuConfig::*member, std::string_view text) {
  return {.name = name, .text = text, .word = member};
}
constexpr CpuField number(std::string_view name, double CpuConfig::*member, std::string_view text) {
  return {.name = name, .text = text, .number = member};
}

constexpr CpuField kCpuFields[] = {
    word("core", &CpuConfig::core, "the core, \"cortex-m55\""),
    number("clock_hz", &CpuConfig::clock_hz, "its clock in hertz"),
    word("library", &CpuConfig::library, "the kernel library, or the path of a table of costs"),
    word("compiler", &CpuConfig::compiler, "the library's compiler and level, \"gcc-O2\""),
    word("runtime", &CpuConfig::runtime, "the runtime, which takes time for each operator"),
    word("memory", &CpuConfig::memory, "where tensors are: tcm, sram, external, uncached"),
    word("cache", &CpuConfig::cache, "cache maintenance around an NPU job: none, by-address, whole"),
    word("copies", &CpuConfig::copies, "what the application copies: both, inputs, outputs, none"),
    word("ends", &CpuConfig::ends, "types that the application has: integer, float"),
    word("driver", &CpuConfig::driver, "what counts of the driver: job, hooks, none"),
    number("copy_low", &CpuConfig::copy_low, "least bytes per nanosecond of a copy"),
    number("copy_high", &CpuConfig::copy_high, "most bytes per nanosecond of a copy"),
    word("source", &CpuConfig::source, "where the values are from"),
};

}  // namespace

std::span<const CpuField> cpu_fields() { return kCpuFields; }

Result<void> set_cpu_field(CpuConfig& cpu, std::string_view name, std::string_view value) {
  const auto* field = std::ranges::find(kCpuFields, name, &CpuField::name);
  if (field == std::end(kCpuFields)) {
    std::vector<std::string> known;
    for (const auto& f : kCpuFields) known.emplace_back(f.name);
    return fail(ErrorCode::kUsage, "is not known" + io::near_names(name, known));
  }
  if (field->word != nullptr) {
    if (value.empty()) return fail(ErrorCode::kUsage, "must be a text");
    cpu.*field->word = std::string(value);
    return {};
  }
  const auto read = io::number_of<double>(value);
  if (!read || !std::isfinite(*read) || !(*read > 0) || *read > kMostCpuNumber)
    return fail(ErrorCode::kUsage, fmt::format("must be a number above 0 and at most {:.0e}", kMostCpuNumber));
  cpu.*field->number = *read;
  return {};
}

std::string_view contradiction(const CpuConfig& cpu) {
  if ((cpu.copy_low > 0) != (cpu.copy_high > 0)) return "copy_low and copy_high need each other";
  if (cpu.copy_low > cpu.copy_high) return "copy_low is greater than copy_high";
  return {};
}

}  // namespace macaw::npu
