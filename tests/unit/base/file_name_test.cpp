#include "base/file_name.hpp"

#include <catch2/catch.hpp>

using macaw::io::file_name_of;

TEST_CASE("file_name: what no file can be called") {
  CHECK(file_name_of("dense/BiasAdd:0") == "dense_BiasAdd:0");
  CHECK(file_name_of(std::string("a\\b\0c", 5)) == "a_b_c");
  CHECK(file_name_of("").empty());
  CHECK(file_name_of(std::string(180, 'x')) == std::string(180, 'x'));
}

TEST_CASE("file_name: long names are cut, and stay different") {
  const std::string fused(1000, 'x');
  const auto name = file_name_of(fused + "/a");
  CHECK(name.size() == 180);
  CHECK(name.starts_with("xxxx"));
  CHECK(name == file_name_of(fused + "/a"));
  CHECK(name != file_name_of(fused + "/b"));
  CHECK(name != file_name_of(fused + "_a"));
  std::string letters;
  while (letters.size() < 400) letters += "\xe2\x82\xac";  // three bytes each
  CHECK(file_name_of("a" + letters).find("\xe2~") == std::string::npos);
  CHECK(file_name_of("aa" + letters).find("\x82~") == std::string::npos);
}
