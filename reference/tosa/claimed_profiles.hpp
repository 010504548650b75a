#pragma once
#include <macaw/error.hpp>
#include <macaw/tosa/profile.hpp>

#include <string>
#include <vector>

namespace macaw::tosa {

/// The set that names of profiles and of extensions claim (profile_from_name()), without either everything. kUsage for
/// a name that is none of its kind, and for extensions without a profile.
[[nodiscard]] Result<ProfileMask> claimed_profiles(const std::vector<std::string>& profiles,
                                                   const std::vector<std::string>& extensions);

}  // namespace macaw::tosa
