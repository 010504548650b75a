#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "workflow/compare/compare.hpp"
#include "workflow/compare/locate.hpp"

namespace macaw::compare {

/// One comparison of `macaw compare`.
struct ComparedRun {
  std::string inputs;  ///< "given" or "seed 7"
  std::vector<OutputComparison> outputs;
  std::optional<Location> location;  ///< if operators were looked at
  std::string reference = "tosa";    ///< Program::kind() of what computed the expected values

  [[nodiscard]] bool equal() const;
};

/// Compares the outputs for `tensors` (in the program's order), and the operators if outputs differ or if `matches`
/// asks for it. `inputs` becomes ComparedRun::inputs. Errors: those of compare_outputs() and locate().
[[nodiscard]] Result<ComparedRun> compare_run(const Program& program, const npu::Artifact& artifact,
                                              const npu::Accelerator& accelerator, std::string inputs,
                                              const std::vector<Tensor>& tensors, bool matches);

/// `block` is the program's, null if there is none.
[[nodiscard]] std::string compared_text(const ComparedRun& run, const tosa::Block* block, bool tensors);
[[nodiscard]] nlohmann::json compared_json(const std::vector<ComparedRun>& runs, const tosa::Block* block);

}  // namespace macaw::compare
