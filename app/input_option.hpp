#pragma once
#include <string>
#include <vector>

#include <macaw/npu/simulator.hpp>

namespace macaw::app {

/// Reads the files of "--input [NAME=]FILE.npy ...". A prefix before '=' is a name only if no file has the whole text
/// as its path.
[[nodiscard]] Result<std::vector<npu::NamedTensor>> read_named_inputs(const std::vector<std::string>& texts);

/// Puts named tensors into the order of `names`; unnamed ones fill the places that are left, in their own order.
[[nodiscard]] Result<std::vector<Tensor>> order_inputs(std::vector<npu::NamedTensor> given,
                                                       const std::vector<std::string>& names);

}  // namespace macaw::app
