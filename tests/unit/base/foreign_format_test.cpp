#include "base/foreign_format.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

using macaw::io::foreign_format;

TEST_CASE("networks of other frameworks are named by suffix or first bytes") {
  const auto bytes_of = [](const std::string& text) {
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
  };
  CHECK(foreign_format(bytes_of("\x08\x07"), "net.onnx").find("ONNX") != std::string::npos);
  CHECK(foreign_format(bytes_of("PK\x03\x04"), "net.pt").find("PyTorch") != std::string::npos);
  CHECK(foreign_format(bytes_of("\x89HDF\r\n\x1a\n..."), "net").find("Keras") != std::string::npos);
  CHECK(foreign_format(bytes_of("PK\x03\x04"), "net.npz").empty());
  CHECK(foreign_format({}, "net.tflite").empty());
}

TEST_CASE("the format of another framework replaces the message about contents alone") {
  using macaw::ErrorCode;
  const auto message = [](macaw::Result<int> read, std::string_view name) {
    const auto result = macaw::io::or_foreign_format(std::move(read), {}, name);
    return result ? std::to_string(*result) : result.error().message;
  };
  CHECK(message(7, "net.onnx") == "7");
  CHECK(message(macaw::fail(ErrorCode::kInvalidFile, "odd"), "net.onnx").find("ONNX") != std::string::npos);
  CHECK(message(macaw::fail(ErrorCode::kInvalidFile, "odd"), "net.npz") == "odd");
  CHECK(message(macaw::fail(ErrorCode::kUnsupported, "odd"), "net.onnx") == "odd");
}
