#pragma once
#include <macaw/input_fit.hpp>
#include <macaw/npu/simulator.hpp>

#include <span>
#include <string>
#include <vector>

namespace macaw::npu {

/// Checks types and shapes of inputs against the network by the rules of <macaw/input_fit.hpp>. Names, counts and sizes
/// are left to the run, which checks them anyway. Returns a sentence for each input whose type could not be checked
/// because the file states none.
[[nodiscard]] Result<std::vector<std::string>> check_inputs(const Artifact& artifact,
                                                            std::span<const NamedTensor> inputs, InputFit allowed);

}  // namespace macaw::npu
