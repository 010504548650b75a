#pragma once
#include <string>
#include <utility>
#include <vector>

#include <macaw/tosa/verify.hpp>

#include "reference/tosa/description.hpp"
#include "tests/tools/dev/check/case.hpp"

namespace macaw::app::check {

/// Why results that no compliance mode judges are counted apart.
inline constexpr const char* kByTolerance = "graphs without a compliance mode, judged by tolerance";

/// For outputs without a mode of their own: integers and block-scaled tensors are equal; of floating point, close to
/// the double precision run is all that can be asked of a graph of several operators.
[[nodiscard]] Result<tosa::Compliance> default_compliance(DType dtype);

/// Outputs by name, in the order of a description; none unless the verdict is VALID.
struct NamedOutputs {
  std::vector<std::pair<std::string, Tensor>> outputs;
};

/// Runs the graph of a description; kMismatch that names the rule if its verdict is not the expected one.
[[nodiscard]] Result<NamedOutputs> run_to_verdict(const tosa::TestDescription& description,
                                                  const std::string& expected);

}  // namespace macaw::app::check
