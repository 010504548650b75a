#include "app/fvp/platform.hpp"

#include <algorithm>
#include <cctype>

namespace macaw::app::fvp {
namespace {

bool drop_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// The programs after "FVP_" or "VHT_", and "MPS3_" if a name has it: Arm Virtual Hardware, "Using Arm Fixed Virtual
/// Platforms" (ARM-software/AVH, DoxyGen/simulation/src), with the numbers of MACs in their parameter lists.
struct Row {
  std::string_view program, platform, npu;
};
constexpr Row kPrograms[] = {
    {"SSE-300", "sse-300", "ethos-u55-128"},           {"SSE-300_Ethos-U55", "sse-300", "ethos-u55-128"},
    {"SSE-300_Ethos-U65", "sse-300", "ethos-u65-256"}, {"SSE-310", "sse-310", "ethos-u55-256"},
    {"SSE-310_Ethos-U55", "sse-310", "ethos-u55-256"}, {"SSE-310_Ethos-U65", "sse-310", "ethos-u65-256"},
    {"SSE-315", "sse-315", "ethos-u65-256"},           {"SSE-320", "sse-320", "ethos-u85-256"}};

}  // namespace

const Platform* find_platform(std::string_view name) {
  const auto* const found = std::ranges::find(kPlatforms, name, &Platform::name);
  return found == std::end(kPlatforms) ? nullptr : found;
}

std::string title(const Platform& platform) {
  std::string text(platform.name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::optional<ArmProgram> find_arm_program(std::string_view name) {
  if (!drop_prefix(name, "FVP_") && !drop_prefix(name, "VHT_")) return {};
  drop_prefix(name, "MPS3_");
  if (!drop_prefix(name, "Corstone_")) return {};
  const auto* const found = std::ranges::find(kPrograms, name, &Row::program);
  if (found == std::end(kPrograms)) return {};
  return ArmProgram{find_platform(found->platform), found->npu};
}

}  // namespace macaw::app::fvp
