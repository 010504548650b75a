#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

namespace macaw::hostile {

/// Random mutants per seed: MACAW_HOSTILE_RUNS, or a number that suits the default tests.
[[nodiscard]] unsigned runs_per_seed();

/// The bundled file, and those of the corpus where there is one.
[[nodiscard]] std::vector<std::filesystem::path> artifact_seeds();
[[nodiscard]] std::vector<std::filesystem::path> graph_seeds();

/// Flips, overwrites, cuts, duplicates or moves a few bytes.
void mutate(std::vector<std::byte>& bytes, std::mt19937& random);

}  // namespace macaw::hostile
