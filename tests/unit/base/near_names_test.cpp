#include "base/near_names.hpp"

#include <catch2/catch.hpp>
#include <vector>

using macaw::io::near_names;

TEST_CASE("near names: few letters apart, or containing the name") {
  const std::vector<std::string> known = {"alpha", "alphabet", "beta", "gamma"};
  CHECK(near_names("alhpa", known) == "; near: 'alpha'");
  CHECK(near_names("zulu", known) == "; known: 'alpha', 'alphabet', 'beta', 'gamma'");
  CHECK(near_names("alpa", known) == "; near: 'alpha'");
  CHECK(near_names("BETA", known) == "; near: 'beta'");
  CHECK(near_names("lphab", known) == "; near: 'alpha', 'alphabet'");
  CHECK(near_names("", known) == "; known: 'alpha', 'alphabet', 'beta', 'gamma'");
  CHECK(near_names("x", {}).empty());
  CHECK(near_names(std::string(100000, 'a'), std::vector<std::string>(100, "b")).empty());
}
