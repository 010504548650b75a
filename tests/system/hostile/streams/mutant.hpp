#pragma once
#include <macaw/npu/accelerator.hpp>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace macaw::hostile {

/// A command stream with one to four edits in its own terms: a field set to a value of its enumeration, to a bound, to
/// what another command of its kind has or to anything that fits; commands deleted, doubled, swapped, inserted. The
/// result is made of well-formed commands; what they say together is another matter.
[[nodiscard]] std::vector<std::uint32_t> mutant(npu::Family family, std::span<const std::uint32_t> words,
                                                std::mt19937& random);

}  // namespace macaw::hostile
