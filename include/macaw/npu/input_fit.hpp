#pragma once
#include <macaw/input_fit.hpp>
#include <macaw/npu/simulator.hpp>

#include <span>
#include <string>
#include <vector>

namespace macaw::npu {

/// Whether inputs have the types and the arrangement that the network states, as <macaw/input_fit.hpp> judges it. What
/// a run refuses anyway (unknown names, counts, sizes) is left to it. Returns a sentence for each input whose type had
/// to be taken on trust, because the file states none.
[[nodiscard]] Result<std::vector<std::string>> check_inputs(const Artifact& artifact,
                                                            std::span<const NamedTensor> inputs, InputFit allowed);

}  // namespace macaw::npu
