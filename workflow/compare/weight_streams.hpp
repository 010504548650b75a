#pragma once
#include <string>

#include <macaw/error.hpp>
#include <macaw/npy.hpp>

namespace macaw::compare {

/// Decodes the weight stream `<stem>|enc` of an archive and compares it with the values `<stem>|dec`, which must
/// survive Macaw's own encoder as well. kMismatch: they differ; kInvalidFile: a member is missing or of another type.
[[nodiscard]] Result<void> check_weight_stream(const Npz& npz, const std::string& stem);

/// Decodes the fast stream `<stem>|enc` (U85), which comes without values: what it holds must survive Macaw's own
/// encoder. Errors as of check_weight_stream().
[[nodiscard]] Result<void> check_fast_weight_stream(const Npz& npz, const std::string& stem);

}  // namespace macaw::compare
