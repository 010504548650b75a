#pragma once
#include <macaw/npu/run.hpp>

#include <optional>
#include <string>
#include <vector>

#include "app/options.hpp"

namespace macaw::app {

/// --npu-only, --cpu, --before, --after: the time of a whole inference.
struct InferenceOptions {
  bool npu_only = false;
  std::vector<std::string> cpu;
  std::string before, after;  ///< milliseconds

  void add_to(Command command);
  /// The options in the form of a call.
  [[nodiscard]] std::vector<std::string> arguments() const;
  /// Checks the options that do not need a network. Errors: kUsage.
  [[nodiscard]] Result<void> check() const;
  /// Absent with --npu-only.
  [[nodiscard]] Result<std::optional<npu::Inference>> predict(const npu::RunSpec& spec,
                                                              const npu::RunRecord& record) const;
};

}  // namespace macaw::app
