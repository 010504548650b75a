#pragma once
#include <string>

#include <macaw/error.hpp>
#include <macaw/npy.hpp>

namespace macaw::compare {

/// Decodes the weight stream `<stem>|enc` of an archive and compares it with the values `<stem>|dec`, which must also
/// survive an encoder round trip. kMismatch: they differ; kInvalidFile: a member is missing or has the wrong type.
[[nodiscard]] Result<void> check_weight_stream(const Npz& npz, const std::string& stem);

/// Decodes the fast stream `<stem>|enc` (U85), which comes without values: its weights must survive an encoder round
/// trip. Errors as for check_weight_stream().
[[nodiscard]] Result<void> check_fast_weight_stream(const Npz& npz, const std::string& stem);

}  // namespace macaw::compare
