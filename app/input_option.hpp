#pragma once
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

/// Puts named tensors into the order of the ports, and into their types and shapes; unnamed ones fill the places that
/// are left, in their own order.
[[nodiscard]] Result<std::vector<Tensor>> order_inputs(std::vector<npu::NamedTensor> given,
                                                       const std::vector<InputPort>& ports, InputFit fit);

}  // namespace macaw::app
