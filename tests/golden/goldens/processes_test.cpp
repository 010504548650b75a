#include <catch2/catch.hpp>

#include <csignal>
#include <map>
#include <string>

#include "workflow/golden/processes.hpp"

using macaw::golden::in_processes;

TEST_CASE("work is spread over processes, and what dies of it dies alone") {
  const unsigned jobs = GENERATE(2U, 3U, 8U);
  CAPTURE(jobs);
  const auto work = [](std::size_t i) -> std::string {
    if (i == 3 || i == 11) std::raise(SIGKILL);
    return std::string(i * 20'000, static_cast<char>('a' + i));
  };
  std::map<std::size_t, std::optional<std::string>> answers;
  in_processes(12, jobs, work, [&](std::size_t i, std::optional<std::string> answer) {
    CHECK(answers.emplace(i, std::move(answer)).second);
  });
  REQUIRE(answers.size() == 12);
  for (const auto& [i, answer] : answers) {
    CAPTURE(i);
    CHECK(answer.has_value() == (i != 3 && i != 11));
    if (answer) CHECK(*answer == work(i));
  }
}

TEST_CASE("one job needs no other process") {
  int calls = 0;
  in_processes(
      3, 1, [&](std::size_t) { return std::to_string(++calls); },
      [&](std::size_t i, const std::optional<std::string>& answer) { CHECK(answer == std::to_string(i + 1)); });
  CHECK(calls == 3);
}
