#include "base/near_names.hpp"

#include <catch2/catch.hpp>
#include <vector>

using macaw::io::near_names;

TEST_CASE("near names: few letters apart, or containing the name") {
  const std::vector<std::string> known = {"alpha", "alphabet", "beta", "gamma"};
  CHECK(near_names("alhpa", known) == "; did you mean 'alpha'?");
  CHECK(near_names("smi", std::vector<std::string>{"sim", "fit"}) == "; did you mean 'sim'?");
  CHECK(near_names("zulu", known) == "; available: 'alpha', 'alphabet', 'beta', 'gamma'");
  CHECK(near_names("alpa", known) == "; did you mean 'alpha'?");
  CHECK(near_names("BETA", known) == "; did you mean 'beta'?");
  CHECK(near_names("lphab", known) == "; did you mean 'alpha' or 'alphabet'?");
  CHECK(near_names("", known) == "; available: 'alpha', 'alphabet', 'beta', 'gamma'");
  CHECK(near_names("x", {}).empty());
  CHECK(near_names(std::string(100000, 'a'), std::vector<std::string>(100, "b")).empty());
}
