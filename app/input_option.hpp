#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <macaw/input_fit.hpp>
#include <macaw/npu/simulator.hpp>

#include "app/options.hpp"

namespace macaw::app {

/// --reshape and --reinterpret.
void add_fit_options(Command& command, InputFit& fit);

/// Reads the files of "--input [NAME=]FILE.npy ...". A prefix before '=' is a name only if no file has the whole text
/// as its path.
[[nodiscard]] Result<std::vector<npu::NamedTensor>> read_named_inputs(const std::vector<std::string>& texts);

/// The files of --input for a compiled network, or without any, random bytes of a seed, `ranges` as --range has them.
/// kMismatch if there is neither, with what to do about it.
[[nodiscard]] Result<std::vector<npu::NamedTensor>> read_inputs_of(const npu::Artifact& artifact,
                                                                   const std::vector<std::string>& texts,
                                                                   std::optional<std::uint64_t> seed,
                                                                   const std::vector<std::string>& ranges = {});

/// Puts named tensors into the order of the ports, and into their types and shapes; unnamed ones fill the places that
/// are left, in their own order.
[[nodiscard]] Result<std::vector<Tensor>> order_inputs(std::vector<npu::NamedTensor> given,
                                                       const std::vector<InputPort>& ports, InputFit fit);

}  // namespace macaw::app
