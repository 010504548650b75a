#include "reference/tosa/claimed_profiles.hpp"

#include <fmt/format.h>

namespace macaw::tosa {

Result<ProfileMask> claimed_profiles(const std::vector<std::string>& profiles,
                                     const std::vector<std::string>& extensions) {
  if (profiles.empty() && extensions.empty()) return kAllProfiles;
  if (profiles.empty()) return fail(ErrorCode::kUsage, "an extension is claimed without a profile");
  ProfileMask claimed = 0;
  const auto add = [&](const std::string& name, bool profile) -> Result<void> {
    const auto found = profile_from_name(name);
    if (!found || to_string(*found).starts_with("PRO-") != profile)
      return fail(ErrorCode::kUsage, fmt::format("{} \"{}\" does not exist", profile ? "profile" : "extension", name));
    claimed |= mask(*found);
    return {};
  };
  for (const auto& name : profiles) MACAW_CHECK(add(name, true));
  for (const auto& name : extensions) MACAW_CHECK(add(name, false));
  return claimed;
}

}  // namespace macaw::tosa
