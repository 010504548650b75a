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
