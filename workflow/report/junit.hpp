#pragma once
#include <string>
#include <vector>

namespace macaw::report {

/// One test case of a JUnit file. An empty `failure` is a pass unless `skipped` says why it was left out.
struct JunitCase {
  std::string classname, name;
  std::string failure;
  std::string skipped;
};

/// The XML that CI systems read; no times or host names, so that equal results give equal bytes.
[[nodiscard]] std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases);

}  // namespace macaw::report
