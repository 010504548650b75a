#pragma once
#include <macaw/error.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workflow/run/matrix.hpp"
#include "workflow/sequence/wiring.hpp"

namespace macaw::golden {

/// One network and what it is run on.
struct Network : run::Axes {
  std::string name;                           ///< unique in the manifest
  std::filesystem::path artifact;             ///< relative to the manifest's folder; may contain * and ?
  std::vector<std::filesystem::path> inputs;  ///< .npy files in the network's order; empty: random ones of `seed`
  std::uint32_t seed = 0;
  std::size_t steps = 0;      ///< steps of a sequence, whose inputs have them along their first axis; 0: a single run
  sequence::Options joining;  ///< of the steps
  bool keep_tensors = false;  ///< record contents of outputs and operations, not only their CRC-32
};

/// Contents of golden.toml: networks x accelerators x systems, and the tolerance of a number (a share of the golden
/// value; 0 unless stated) by field: "cycles" (and the time of the whole inference), "operation_cycles", "pmu", or one
/// event by its name.
struct Manifest {
  std::vector<Network> networks;
  std::map<std::string, double, std::less<>> tolerances;
};

/// Expands glob patterns: one Network per matching file, named after it. A pattern without matches is kept unchanged.
[[nodiscard]] std::vector<Network> expand(const std::vector<Network>& networks, const std::filesystem::path& folder);

/// Errors: kInvalidFile for TOML that cannot be parsed, unknown keys, wrong types, a name given twice.
[[nodiscard]] Result<Manifest> parse_manifest(std::string_view toml, const std::string& file);

}  // namespace macaw::golden
