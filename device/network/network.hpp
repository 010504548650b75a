#pragma once
#include <macaw/network.h>
#include <macaw/npu/prepared_network.hpp>

#include "device/c_call.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

struct macaw_network {
  static macaw::Result<std::unique_ptr<macaw_network>> create(macaw::npu::Artifact artifact, const char* accelerator);

  explicit macaw_network(macaw::npu::PreparedNetwork network) : prepared(std::move(network)) {}
  [[nodiscard]] const macaw::npu::Artifact& artifact() const { return prepared.artifact(); }

  /// Runs the network on the caller's buffers. If `state` is not empty, it replaces the initial contents of the
  /// variables. Returns the variables after the run.
  [[nodiscard]] macaw::Result<std::vector<macaw::Tensor>> run(const void* const* inputs, std::size_t input_count,
                                                              void* const* outputs, std::size_t output_count,
                                                              int threads,
                                                              const std::vector<macaw::Tensor>& state) const;

  macaw::npu::PreparedNetwork prepared;
  std::vector<std::size_t> input_sizes, output_sizes, state_sizes;  ///< bytes
};

namespace macaw::network_library {

[[nodiscard]] macaw_network_status status_of(ErrorCode code);

template <class Body>
macaw_network_status guarded(Body&& body) {
  return c_call::guarded(status_of, MACAW_NETWORK_INTERNAL, std::forward<Body>(body));
}

/// Describes a tensor for a caller. `kind` is used in messages: "input".
[[nodiscard]] Result<void> describe(const char* kind, const std::vector<npu::TensorBinding>& bindings,
                                    const std::vector<std::size_t>& sizes, std::size_t index,
                                    macaw_network_tensor& tensor);

}  // namespace macaw::network_library
