#include <catch2/catch.hpp>

#include <unistd.h>

#include <csignal>
#include <map>
#include <string>

#include "workflow/run/processes.hpp"

using namespace macaw;
using run::ProcessEnd;
using run::run_in_processes;

TEST_CASE("work is spread over processes, and what dies of it dies alone") {
  const unsigned jobs = GENERATE(2U, 3U, 8U);
  CAPTURE(jobs);
  const auto work = [](std::size_t i) -> std::string {
    if (i == 3 || i == 11) std::raise(SIGKILL);
    return std::string(i * 20'000, static_cast<char>('a' + i));
  };
  std::map<std::size_t, ProcessEnd> ends;
  REQUIRE(run_in_processes(12, {.jobs = jobs}, work, [&](std::size_t i, const ProcessEnd& end) -> Result<void> {
    CHECK(ends.emplace(i, end).second);
    return {};
  }));
  REQUIRE(ends.size() == 12);
  for (const auto& [i, end] : ends) {
    CAPTURE(i);
    CHECK((end.error == "ended by signal 9 (Killed)") == (i == 3 || i == 11));
    if (end.error.empty()) CHECK(end.answer == work(i));
  }
}

TEST_CASE("one job needs no other process, unless it has limits") {
  for (const bool limited : {false, true}) {
    int calls = 0, ended = 0;
    REQUIRE(run_in_processes(
        3, {.limits = limited ? std::optional(run::ProcessLimits{}) : std::nullopt},
        [&](std::size_t) { return std::to_string(++calls); },
        [&](std::size_t i, const ProcessEnd& end) -> Result<void> {
          CHECK(end.answer == (limited ? "1" : std::to_string(i + 1)));
          ++ended;
          return {};
        }));
    CHECK(calls == (limited ? 0 : 3));
    CHECK(ended == 3);
  }
}

TEST_CASE("a process that takes too long is ended, and after an error nothing more is started") {
  std::size_t ended = 0;
  const auto result = run_in_processes(
      5, {.jobs = 1, .limits = run::ProcessLimits{.seconds = 0.05}},
      [](std::size_t) -> std::string {
        for (;;) ::pause();
      },
      [&](std::size_t, const ProcessEnd& end) -> Result<void> {
        CHECK(end.error == "took more than 0.05 s");
        ++ended;
        return fail(ErrorCode::kIo, "stop");
      });
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "stop");
  CHECK(ended == 1);
}
