#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/unit/reference/tosa/rules/trip.hpp"

// Coverage of the specification's ERROR_IF and REQUIRE statements: MACAW_TOSA_XML names tosa.xml, beside which the
// folder pseudocode lies.

using namespace macaw;
using namespace macaw::test;

namespace {

struct Statements {
  std::vector<std::string> error_if, require;
};

std::string without_comment(const std::string& line) { return line.substr(0, line.find("//")); }

/// Names the ERROR_IF and REQUIRE statements of a file "FILE:1", "FILE:2", ... in their order.
void read_statements(const std::filesystem::path& file, Statements& statements) {
  std::ifstream in(file);
  int ordinal = 0;
  for (std::string line; std::getline(in, line);) {
    const auto code = without_comment(line);
    for (std::size_t at = 0; at < code.size(); ++at) {
      const bool error_if = code.compare(at, 9, "ERROR_IF(") == 0, require = code.compare(at, 8, "REQUIRE(") == 0;
      if (!error_if && !require) continue;
      const auto name = fmt::format("{}:{}", file.stem().string(), ++ordinal);
      (error_if ? statements.error_if : statements.require).push_back(name);
    }
  }
}

Statements read_specification(const std::filesystem::path& pseudocode) {
  Statements statements;
  for (const char* folder : {"operators", "library"}) {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(pseudocode / folder))
      if (entry.path().extension() == ".tosac") files.insert(entry.path());
    for (const auto& file : files) read_statements(file, statements);
  }
  return statements;
}

/// Lines "NAME NAME ... | reason".
std::map<std::string, std::string> read_exceptions(const std::filesystem::path& file) {
  std::map<std::string, std::string> exceptions;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto bar = line.find('|');
    if (line.starts_with('#') || bar == std::string::npos) continue;
    std::istringstream names(line.substr(0, bar));
    for (std::string name; names >> name;) exceptions[name] = line.substr(bar + 2);
  }
  return exceptions;
}

void report(const char* kind, const std::vector<std::string>& statements, const std::set<std::string>& tripped,
            const std::map<std::string, std::string>& exceptions) {
  std::size_t covered = 0;
  std::map<std::string, std::vector<std::string>> excused;
  for (const auto& name : statements) {
    const auto exception = exceptions.find(name);
    if (tripped.contains(name)) ++covered;
    else if (exception != exceptions.end()) excused[exception->second].push_back(name);
    else FAIL_CHECK(kind << " " << name << " is broken by no test");
    if (tripped.contains(name) && exception != exceptions.end()) FAIL_CHECK(name << " is not an exception");
  }
  fmt::print("{}: {} of {} broken by a test ({:.1f} %)\n", kind, covered, statements.size(),
             100.0 * static_cast<double>(covered) / static_cast<double>(statements.size()));
  for (const auto& [reason, names] : excused)
    fmt::print("  {} excepted ({}): {}\n", names.size(), fmt::join(names, " "), reason);
}

}  // namespace

TEST_CASE("every ERROR_IF and REQUIRE of the specification is broken by a test") {
  const char* xml = std::getenv("MACAW_TOSA_XML");
  if (!xml || !*xml) {
    fmt::print("skipped: MACAW_TOSA_XML does not name the specification's tosa.xml\n");
    return;
  }
  const auto statements = read_specification(std::filesystem::path(xml).parent_path() / "pseudocode");
  REQUIRE(statements.error_if.size() > 200);
  REQUIRE(statements.require.size() > 50);
  const auto exceptions = read_exceptions("tests/tools/coverage/statement_exceptions.txt");
  std::set<std::string> tripped, known;
  known.insert(statements.error_if.begin(), statements.error_if.end());
  known.insert(statements.require.begin(), statements.require.end());
  for (const auto& trip : all_trips())
    for (const auto& name : trip.statements) {
      tripped.insert(name);
      if (!known.contains(name)) FAIL_CHECK("the specification has no statement " << name);
    }
  for (const auto& [name, reason] : exceptions)
    if (!known.contains(name)) FAIL_CHECK("the specification has no statement " << name << ", an exception");
  report("ERROR_IF", statements.error_if, tripped, exceptions);
  report("REQUIRE", statements.require, tripped, exceptions);
}
