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

/// The files of --input for a compiled network, or without any, random bytes from a seed, within the `ranges` of
/// --range. kMismatch if neither is given; the message says what to do.
[[nodiscard]] Result<std::vector<npu::NamedTensor>> read_inputs_of(const npu::Artifact& artifact,
                                                                   const std::vector<std::string>& texts,
                                                                   std::optional<std::uint64_t> seed,
                                                                   const std::vector<std::string>& ranges = {});

/// Puts named tensors into the order, types and shapes of the ports; unnamed ones fill the remaining ports in their
/// order.
[[nodiscard]] Result<std::vector<Tensor>> order_inputs(std::vector<npu::NamedTensor> given,
                                                       const std::vector<InputPort>& ports, InputFit fit);

}  // namespace macaw::app
