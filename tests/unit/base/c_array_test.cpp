#include "base/c_array.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

#include "base/file.hpp"

using namespace macaw;

namespace {

std::vector<int> array(std::string_view source) {
  const auto bytes = io::c_array(source);
  std::vector<int> values;
  if (bytes)
    for (const auto byte : *bytes) values.push_back(std::to_integer<int>(byte));
  return values;
}

}  // namespace

TEST_CASE("arrays of bytes are read as generators of C sources write them") {
  // xxd -i; tflite-micro's generate_cc_arrays.py; a vendor's header with attributes.
  CHECK(array("unsigned char net[] = {\n  0x1c, 0x00, 0x0a\n};\nunsigned int net_len = 3;\n") ==
        std::vector{0x1c, 0, 0x0a});
  CHECK(array("#include <cstdint>\n#include \"net.h\"\nconst unsigned int g_size = 2;\n"
              "alignas(16) const unsigned char g_model[] = {28,0,};\n") == std::vector{28, 0});
  CHECK(
      array("static const uint8_t a[4] __attribute__((aligned(16), section(\"= {1, 2, 3}\"))) = /* x */ { 0X1Cu, 010, "
            "255UL, 0 // }\n };") == std::vector{0x1c, 8, 255, 0});
  CHECK(array("const int8_t w[] = { -1, -128, 127 };") == std::vector{255, 128, 127});
}

TEST_CASE("the longest array of bytes is the network") {
  CHECK(array("char a[] = {1}; const int b[] = {1, 2, 3, 1000}; char c[] = {7, 8}; float d[] = {1.0, 2.0, 3.0};") ==
        std::vector{7, 8});
}

TEST_CASE("sources without an array of bytes have none") {
  for (const std::string_view source :
       {"", "int main() { return 0; }", "char a[] = {", "char a[] = {1, 2", "char a[] = {1 2};", "char a[] = {256};",
        "char a[] = {-129};", "char a[] = {x};", "char a[] = {};", "// = {1}", "\"= {1}\"", "char a[] = {--1};"}) {
    INFO(source);
    CHECK_FALSE(io::c_array(source).has_value());
  }
}

TEST_CASE("a file is read by its name as a C source or as it is") {
  const auto source = std::filesystem::temp_directory_path() / "macaw_c_array_test.cc";
  const auto other = std::filesystem::temp_directory_path() / "macaw_c_array_test.bin";
  REQUIRE(io::write_file(source, "char a[] = {1, 2};"));
  REQUIRE(io::write_file(other, "char a[] = {1, 2};"));
  CHECK(io::read_network_file(source)->size() == 2);
  CHECK(io::read_network_file(other)->size() == 18);
  REQUIRE(io::write_file(source, "int main() {}"));
  const auto none = io::read_network_file(source);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kInvalidFile);
  std::filesystem::remove(source);
  std::filesystem::remove(other);
}
