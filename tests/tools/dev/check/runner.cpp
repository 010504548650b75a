#include "tests/tools/dev/check/runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <new>

#include "base/threads.hpp"
#include "workflow/report/progress.hpp"

namespace macaw::app::check {
namespace {

bool matches(const Case& c, const std::string& filter) {
  const auto equals = filter.find('=');
  if (equals == std::string::npos) return c.name.find(filter) != std::string::npos;
  const bool negated = equals > 0 && filter[equals - 1] == '!';
  const auto field = c.fields.find(filter.substr(0, equals - (negated ? 1 : 0)));
  return (field != c.fields.end() && field->second == filter.substr(equals + 1)) != negated;
}

Outcome run_one(const Case& c) {
  Outcome outcome{c.name, std::nullopt, c.known_deviation, c.apart, c.verdict, 0};
  const auto start = std::chrono::steady_clock::now();
  try {
    if (auto result = c.run(); !result) outcome.error = std::move(result.error());
  } catch (const std::bad_alloc&) {
    outcome.error = Error{ErrorCode::kUnsupported, "not enough memory", {}};
  } catch (const std::exception& e) {
    outcome.error = Error{ErrorCode::kInvalidFile, std::string("internal error: ") + e.what(), {}};
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace

Cases select(Cases cases, const std::vector<std::string>& filters) {
  std::erase_if(cases, [&](const Case& c) {
    return !std::all_of(filters.begin(), filters.end(), [&](const std::string& filter) { return matches(c, filter); });
  });
  return cases;
}

std::vector<Outcome> run(const Cases& cases, unsigned jobs) {
  std::vector<Outcome> outcomes(cases.size());
  std::atomic<std::size_t> next{0};
  report::Progress progress("check", "cases", cases.size());
  const auto work = [&] {
    for (auto i = next++; i < cases.size(); i = next++) {
      outcomes[i] = run_one(cases[i]);
      progress.add();
    }
  };
  {
    const auto most = std::min<std::size_t>(jobs, cases.size());
    const auto others = start_threads(std::max<std::size_t>(most, 1) - 1, work);
    work();
  }
  return outcomes;
}

}  // namespace macaw::app::check
