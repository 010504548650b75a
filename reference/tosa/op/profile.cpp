#include <macaw/tosa/profile.hpp>

#include <algorithm>
#include <cctype>

namespace macaw::tosa {
namespace {

constexpr std::string_view kNames[] = {
#define MACAW_TOSA_PROFILE(name, spec_name) spec_name,
#include <macaw/tosa/profiles.def>
#undef MACAW_TOSA_PROFILE
};

}  // namespace

std::string_view to_string(Profile profile) { return kNames[static_cast<std::size_t>(profile)]; }

std::optional<Profile> profile_from_name(std::string_view name) {
  std::string plain(name);
  std::ranges::transform(plain, plain.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const std::string_view prefix : {"TOSA-", "PRO-", "EXT-"})
    if (plain.starts_with(prefix)) plain.erase(0, prefix.size());
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i].substr(4) == plain) return static_cast<Profile>(i);
  return std::nullopt;
}

std::string to_string(const Support& support) {
  std::string text;
  for (const auto set : support.any) {
    if (set == 0) continue;
    if (!text.empty()) text += " or ";
    bool first = true;
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
      if (!(set & mask(static_cast<Profile>(i)))) continue;
      if (!first) text += " and ";
      text += kNames[i];
      first = false;
    }
  }
  return text;
}

}  // namespace macaw::tosa
