#include <macaw/tosa/verdict.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace macaw::tosa {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::kValid: return "VALID";
    case Status::kUnpredictable: return "UNPREDICTABLE";
    case Status::kError: return "ERROR";
  }
  return "ERROR";
}

std::string BrokenRule::to_string() const {
  std::string out = status == Status::kValid ? "warning" : std::string(tosa::to_string(status));
  if (!place.empty()) out += ": " + place;
  if (!argument.empty()) out += ": " + argument;
  out += ": " + text;
  if (!rule.empty()) out += fmt::format(" [{}]", rule);
  return out;
}

Status Verdict::status() const {
  Status worst = Status::kValid;
  for (const auto& finding : findings) worst = std::max(worst, finding.status);
  return worst;
}

const BrokenRule* Verdict::first() const {
  const Status worst = status();
  if (worst == Status::kValid) return nullptr;
  const auto it = std::ranges::find(findings, worst, &BrokenRule::status);
  return it == findings.end() ? nullptr : &*it;
}

}  // namespace macaw::tosa
