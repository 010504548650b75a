#include <catch2/catch.hpp>

#include "base/json_text.hpp"

using namespace macaw;

TEST_CASE("a name that is not UTF-8 is shown with replacement characters") {
  CHECK(io::valid_utf8("gr\xfcn") == "gr\xef\xbf\xbdn");
  CHECK(io::valid_utf8("gr\xc3\xbcn") == "gr\xc3\xbcn");
  CHECK(io::valid_utf8("a\x1b[2J\r\x7f\xc2\x9b"
                       "b\n\t\xc2\xa0") ==
        "a\xef\xbf\xbd[2J\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
        "b\n\t\xc2\xa0");
  CHECK(io::json_text(nlohmann::json{{"name", "\xff"}}) == "{\"name\":\"\xef\xbf\xbd\"}");
}

TEST_CASE("a message keeps the beginning and the end of a long word and of a long line") {
  const auto word = [](std::size_t bytes) { return "a" + std::string(bytes - 2, 'b') + "c"; };
  CHECK(io::readable("x " + word(400) + "\ny") == "x " + word(400) + "\ny");
  CHECK(io::readable("x " + word(5000) + "\ny") ==
        "x a" + std::string(299, 'b') + "[... 4650 bytes ...]" + std::string(49, 'b') + "c\ny");
  std::string line;
  for (int i = 0; i < 1000; ++i) line += "b ";
  CHECK(io::readable(line) == line);
  const auto shown = io::readable("first\n" + line + "c\nlast");
  CHECK(shown == "first\n" + line.substr(0, 1500) + "[... 251 bytes ...]" + line.substr(1751) + "c\nlast");
  std::string umlauts;
  for (int i = 0; i < 1000; ++i) umlauts += "\xc3\xbc";
  for (const auto* before : {"", "a"})
    CHECK(io::readable(before + umlauts) == io::valid_utf8(io::readable(before + umlauts)));
}
