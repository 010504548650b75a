#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace macaw::tosa {

/// Profiles and extensions; rows in profiles.def.
enum class Profile : std::uint8_t {
#define MACAW_TOSA_PROFILE(name, spec_name) k##name,
#include <macaw/tosa/profiles.def>
#undef MACAW_TOSA_PROFILE
};
[[nodiscard]] std::string_view to_string(Profile profile);
/// By the specification's name in any case, with or without "PRO-", "EXT-" or "tosa-" in front ("pro-int", "EXT-BF16",
/// "bf16").
[[nodiscard]] std::optional<Profile> profile_from_name(std::string_view name);

/// A set of profiles.
using ProfileMask = std::uint32_t;
constexpr ProfileMask mask(Profile profile) { return ProfileMask{1} << static_cast<unsigned>(profile); }
inline constexpr ProfileMask kAllProfiles = 0
#define MACAW_TOSA_PROFILE(name, spec_name) | mask(Profile::k##name)
#include <macaw/tosa/profiles.def>
#undef MACAW_TOSA_PROFILE
    ;

/// Requirements of a type row: all members of any one of the sets.
struct Support {
  std::array<ProfileMask, 2> any{};  ///< 0: not used

  [[nodiscard]] constexpr bool in(ProfileMask have) const {
    for (const auto set : any)
      if (set != 0 && (set & have) == set) return true;
    return false;
  }
};
template <class... P>
constexpr Support all_of(P... profiles) {
  return {{(mask(profiles) | ...), 0}};
}
constexpr Support either(Profile a, Profile b) { return {{mask(a), mask(b)}}; }

/// "PRO-INT or PRO-FP", "EXT-BF16 and EXT-INT64"
[[nodiscard]] std::string to_string(const Support& support);

/// Limits of a level (tosa.xml, element "levels").
struct Level {
  std::string_view name;
  std::int64_t max_rank, max_kernel, max_stride, max_scale, max_log2_size, max_nesting, max_tensor_list_size,
      max_shape_len;
};
inline constexpr Level kLevelNone{"NONE", 32, 2147483647, 2147483647, 2048, 63, 256, 256, 64};
inline constexpr Level kLevel8K{"8K", 6, 8192, 8192, 256, 31, 6, 64, 16};

}  // namespace macaw::tosa
