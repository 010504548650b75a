#include "workflow/report/junit.hpp"

#include <fmt/format.h>

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

/// The first line, cut where it is long.
std::string message_of(const std::string& text) {
  constexpr std::size_t kMost = 160;
  auto line = text.substr(0, text.find('\n'));
  if (line.size() <= kMost) return line;
  auto end = kMost;
  while ((static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;  // not within a character
  return line.substr(0, end) + "...";
}

std::string case_xml(const JunitCase& c) {
  auto xml = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", escape(c.classname),
                         escape(c.name), c.seconds);
  if (!c.failure.empty())
    return xml + fmt::format("><failure message=\"{}\">{}</failure></testcase>\n", escape(message_of(c.failure)),
                             escape(c.failure));
  if (!c.skipped.empty())
    return xml + fmt::format("><skipped message=\"{}\"/></testcase>\n", escape(message_of(c.skipped)));
  return xml + "/>\n";
}

/// The attributes that suites have, and the list of them has for all.
struct Totals {
  std::size_t tests = 0, failures = 0, skipped = 0;
  double seconds = 0;

  void add(const JunitCase& c) {
    ++tests;
    failures += !c.failure.empty();
    skipped += c.failure.empty() && !c.skipped.empty();
    seconds += c.seconds;
  }
  [[nodiscard]] std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\"", tests, failures,
                       skipped, seconds);
  }
};

}  // namespace

std::string junit_xml(const std::vector<JunitSuite>& suites) {
  Totals all;
  std::string body;
  for (const auto& suite : suites) {
    Totals mine;
    std::string cases;
    for (const auto& c : suite.cases) {
      mine.add(c);
      all.add(c);
      cases += case_xml(c);
    }
    if (!suite.output.empty()) cases += fmt::format("    <system-out>{}</system-out>\n", escape(suite.output));
    body +=
        fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", escape(suite.name), mine.attributes(), cases);
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n{}</testsuites>\n", all.attributes(),
                     body);
}

}  // namespace macaw::report
