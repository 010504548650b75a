#pragma once
#include <macaw/npu/simulator.hpp>

#include <span>
#include <string>
#include <vector>

namespace macaw::npu {

/// What a caller allows although it is probably a mistake.
struct InputFit {
  bool reshape = false;      ///< the right number of elements in another arrangement
  bool reinterpret = false;  ///< elements of another type of the right size
};

/// Whether inputs have the types and the arrangement that the network states; extents of 1 more or less and flattened
/// tensors do. kMismatch names both sides. What a run refuses anyway (unknown names, counts, sizes) is left to it.
/// Returns a sentence for each input whose type had to be taken on trust, because the file states none.
[[nodiscard]] Result<std::vector<std::string>> check_inputs(const Artifact& artifact,
                                                            std::span<const NamedTensor> inputs, InputFit allowed);

}  // namespace macaw::npu
