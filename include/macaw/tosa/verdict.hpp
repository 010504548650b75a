#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::tosa {

/// The specification's verdict on a graph and its inputs.
enum class Status : std::uint8_t {
  kValid,
  kUnpredictable,  ///< a REQUIRE does not hold: any result would be right
  kError,          ///< an ERROR_IF holds or a level is exceeded: the graph must be rejected
};
/// "VALID", "UNPREDICTABLE" or "ERROR"
[[nodiscard]] std::string_view to_string(Status status);

/// A rule that does not hold, and where.
struct BrokenRule {
  Status status = Status::kError;  ///< kValid: a warning only
  std::string place;               ///< "operator 3 (CONV2D)", or "block body: operator 0 (ADD)"
  std::string argument;            ///< argument of the operator; may be empty
  std::string rule;                ///< id: "CONV2D.3", "graph.ssa", "types", ...
  std::string text;                ///< what must hold

  [[nodiscard]] std::string to_string() const;
};

/// The worst status of the findings, all in the order they were found.
struct Verdict {
  std::vector<BrokenRule> findings;

  [[nodiscard]] Status status() const;
  /// First finding of that worst status; null if the graph is valid.
  [[nodiscard]] const BrokenRule* first() const;
};

}  // namespace macaw::tosa
