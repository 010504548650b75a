#include "workflow/report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace macaw::report {
namespace {

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      // XML 1.0 has no other control characters.
      default: out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

}  // namespace

std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases) {
  const auto count = [&](auto member) {
    return std::count_if(cases.begin(), cases.end(), [&](const JunitCase& c) { return !(c.*member).empty(); });
  };
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  xml += fmt::format("<testsuites><testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n", escape(suite),
                     cases.size(), count(&JunitCase::failure), count(&JunitCase::skipped));
  for (const auto& c : cases) {
    xml += fmt::format("  <testcase classname=\"{}\" name=\"{}\"", escape(c.classname), escape(c.name));
    if (!c.failure.empty()) xml += fmt::format("><failure message=\"{}\"/></testcase>\n", escape(c.failure));
    else if (!c.skipped.empty()) xml += fmt::format("><skipped message=\"{}\"/></testcase>\n", escape(c.skipped));
    else xml += "/>\n";
  }
  return xml + "</testsuite></testsuites>\n";
}

}  // namespace macaw::report
