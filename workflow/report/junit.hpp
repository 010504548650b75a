#pragma once
#include <string>
#include <vector>

namespace macaw::report {

struct JunitCase {
  std::string classname, name;
  std::string failure;  ///< a summary in its first line; empty: passed
  std::string skipped;  ///< why a case that did not fail does not count
  double seconds = 0;
};

struct JunitSuite {
  std::string name;
  std::vector<JunitCase> cases;
  std::string output = {};  ///< what is said of all cases together
};

/// A JUnit file, as CI servers read it: the first line of a failure as its message, all of it as its text.
[[nodiscard]] std::string junit_xml(const std::vector<JunitSuite>& suites);

}  // namespace macaw::report
