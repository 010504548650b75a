#include "workflow/reduce/check.hpp"

#include <catch2/catch.hpp>

#include <chrono>

#include "tests/support/checked.hpp"

using namespace macaw;
using macaw::test::checked;
using namespace std::chrono_literals;

TEST_CASE("a command has its exit code and both outputs") {
  const auto done = checked(reduce::run_command("echo out; echo err >&2; exit 7", 10s));
  CHECK(done.exit_code == 7);
  CHECK(done.output == "out\nerr\n");
  CHECK_FALSE(done.timed_out);
  CHECK(checked(reduce::run_command("kill -SEGV $$", 10s)).exit_code == 128 + 11);
  CHECK(checked(reduce::run_command("cat", 10s)).exit_code == 0);  // no standard input
}

TEST_CASE("a command that takes too long is ended with what it started") {
  const auto start = std::chrono::steady_clock::now();
  const auto done = checked(reduce::run_command("sleep 60 & sleep 60", 200ms));
  CHECK(done.timed_out);
  const auto cancelled = checked(reduce::run_command("sleep 60", 60s, [] { return true; }));
  CHECK(cancelled.cancelled);
  // A process that keeps the output open does not keep the command.
  CHECK(checked(reduce::run_command("sleep 60 & exit 3", 30s)).exit_code == 3);
  CHECK(std::chrono::steady_clock::now() - start < 20s);
}

TEST_CASE("of a long output the beginning and the end are kept") {
  const auto done = checked(reduce::run_command("echo first; head -c 20000000 /dev/zero; echo last", 60s));
  CHECK(done.output.starts_with("first\n"));
  CHECK(done.output.ends_with("last\n"));
  CHECK(done.output.size() < 5'000'000);
}

TEST_CASE("names of files are one word for the shell") {
  const std::string name = "a b'; exit 9; '$(exit 9)`exit 9`\"\\\n*";
  CHECK(checked(reduce::run_command("printf %s " + reduce::shell_quoted(name), 10s)).output == name);
  CHECK(reduce::command_for("test -e {} && cp {} {}.copy", "x") == "test -e 'x' && cp 'x' 'x'.copy");
  CHECK(reduce::command_for("true", "x") == "true");
}
