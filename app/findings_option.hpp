#pragma once
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <macaw/npu/finding.hpp>

#include <macaw/error.hpp>

#include "app/options.hpp"

namespace macaw::app {

/// The values of --findings: findings are errors, are reported, or are not searched.
enum class FindingPolicy { kError, kWarn, kOff };

void add_findings_option(Command command, FindingPolicy& policy);

/// Collects the findings of a run, each once.
class FindingList {
 public:
  explicit FindingList(FindingPolicy policy) : policy_(policy) {}

  /// Empty if findings are not searched. The list must outlive the run.
  [[nodiscard]] npu::FindingSink sink();
  [[nodiscard]] const std::vector<npu::Finding>& findings() const { return findings_; }
  /// One line per finding, after `prefix`; a long list is cut short.
  [[nodiscard]] std::string to_text(const std::string& prefix) const;
  /// A kUnpredictable error with the first finding, if findings are errors and there are any.
  [[nodiscard]] Result<void> verdict(const std::string& file) const;

 private:
  using Place = std::tuple<std::size_t, std::uint32_t, npu::FindingKind>;

  /// "12 more" beyond `count`; "at least 12" once findings are no longer counted.
  [[nodiscard]] std::string more_than(std::size_t count) const;

  FindingPolicy policy_;
  std::set<std::tuple<Place, std::string>> seen_;  ///< of the findings that are kept
  std::set<Place> dropped_;                        ///< of the findings that are only counted
  std::vector<npu::Finding> findings_;
};

}  // namespace macaw::app
