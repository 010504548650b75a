#include "workflow/report/progress.hpp"

#include <catch2/catch.hpp>
#include <memory>

using namespace std::chrono_literals;
using macaw::report::ProgressLine;

namespace {

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  for (int c = 0; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  return text;
}

}  // namespace

TEST_CASE("progress is silent for a second, then shows one line, and leaves none") {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  REQUIRE(file);
  {
    ProgressLine line(file.get(), "check", "cases", 40);
    line.show(3, 999ms);
    CHECK(contents(file.get()).empty());
    line.show(12, 3400ms);
    CHECK(contents(file.get()) == "\r\x1b[Kmacaw: check: 12 of 40 cases, 3 s");
  }
  CHECK(contents(file.get()) == "\r\x1b[Kmacaw: check: 12 of 40 cases, 3 s\r\x1b[K");
}

TEST_CASE("progress over what ends within a second writes nothing") {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  REQUIRE(file);
  { ProgressLine(file.get(), "sim", "operations", 0).show(3, 500ms); }
  CHECK(contents(file.get()).empty());
}
