#include "app/findings_option.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace macaw::app {
namespace {

constexpr std::size_t kKept = 1000, kCounted = 100'000, kShown = 20;

}  // namespace

void add_findings_option(Command command, FindingPolicy& policy) {
  const std::vector<Choice> policies = {{"error", [&policy] { policy = FindingPolicy::kError; }},
                                        {"warn", [&policy] { policy = FindingPolicy::kWarn; }},
                                        {"off", [&policy] { policy = FindingPolicy::kOff; }}};
  command.add_choice("--findings", policies,
                     "what to do when a stream reads memory that nothing wrote, misses a wait, and the like: error, "
                     "warn (default) or off");
}

npu::FindingSink FindingList::sink() {
  if (policy_ == FindingPolicy::kOff) return {};
  return [this](const npu::Finding& finding) {
    // All steps of a sequence have the same findings.
    const Place place{finding.step, finding.command_index, finding.kind};
    std::tuple key{place, finding.message};
    if (seen_.contains(key)) return;
    if (findings_.size() == kKept) {
      if (dropped_.size() < kCounted) dropped_.insert(place);
      return;
    }
    findings_.push_back(finding);
    seen_.insert(std::move(key));
  };
}

std::string FindingList::more_than(std::size_t count) const {
  return fmt::format("{}{} more", dropped_.size() == kCounted ? "at least " : "",
                     findings_.size() + dropped_.size() - count);
}

std::string FindingList::to_text(const std::string& prefix) const {
  std::string text;
  for (std::size_t i = 0; i < std::min(findings_.size(), kShown); ++i)
    text += fmt::format("{}{}\n", prefix, io::valid_utf8(findings_[i].to_string()));
  if (findings_.size() > kShown) text += fmt::format("{}{} findings\n", prefix, more_than(kShown));
  return text;
}

Result<void> FindingList::verdict(const std::string& file) const {
  if (policy_ != FindingPolicy::kError || findings_.empty()) return {};
  auto message = findings_[0].to_string();
  if (findings_.size() > 1) message += fmt::format(" (and {})", more_than(1));
  return fail(ErrorCode::kUnpredictable, std::move(message), {.file = file});
}

}  // namespace macaw::app
