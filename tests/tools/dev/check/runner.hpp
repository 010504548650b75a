#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tests/tools/dev/check/case.hpp"

namespace macaw::app::check {

struct Outcome {
  std::string name;
  std::optional<Error> error;
  std::string known_deviation;
  std::string apart;
  std::string verdict;
  double seconds = 0;
};

/// Cases whose fields hold every KEY=VALUE and no KEY!=VALUE of `filters`; one without '=' is looked for in the name.
[[nodiscard]] Cases select(Cases cases, const std::vector<std::string>& filters);

/// Runs the cases on `jobs` threads; outcomes are in the order of the cases. An exception that escapes a case is its
/// failure.
[[nodiscard]] std::vector<Outcome> run(const Cases& cases, unsigned jobs);

}  // namespace macaw::app::check
