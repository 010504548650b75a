#include <catch2/catch.hpp>

#include <filesystem>

#include <macaw/npy.hpp>
#include <macaw/tosa/verify.hpp>

#include "base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace macaw;
using namespace macaw::tosa;

namespace {

class File {
 public:
  explicit File(const std::string& descr, std::size_t width) {
    REQUIRE(io::write_file(path(), format_npy({descr, {1}, std::vector<std::byte>(width)})));
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "x.npy"; }

 private:
  macaw::test::TemporaryFolder folder_;
};

bool reads(const std::string& descr, std::size_t width, DType dtype) {
  const File file(descr, width);
  const auto tensor = read_judged(file.path(), dtype);
  if (!tensor) CHECK(tensor.error().code == ErrorCode::kMismatch);
  if (tensor) CHECK(tensor->dtype() == dtype);
  return tensor.has_value();
}

}  // namespace

TEST_CASE("a file to be judged must say its type", "[verify]") {
  CHECK(reads("<f4", 4, DType::kFP32));
  CHECK_FALSE(reads("<i4", 4, DType::kFP32));
  CHECK_FALSE(reads("<f8", 8, DType::kFP32));
  CHECK(reads("<f8", 8, DType::kFP64));
  CHECK_FALSE(reads("<i8", 8, DType::kFP64));
  CHECK(reads("<V2", 2, DType::kBF16));
  CHECK(reads("|V2", 2, DType::kBF16));
  CHECK_FALSE(reads("<f2", 2, DType::kBF16));
  CHECK_FALSE(reads("<V2", 2, DType::kFP16));
  for (const auto dtype : {DType::kFP8E4M3, DType::kFP8E5M2}) {
    CHECK(reads("|V1", 1, dtype));
    CHECK(reads("|u1", 1, dtype));
    CHECK_FALSE(reads("|i1", 1, dtype));
  }
  CHECK(reads("|i1", 1, DType::kINT4));
  CHECK(reads("<i1", 1, DType::kINT8));
  CHECK_FALSE(reads("|u1", 1, DType::kINT8));
  CHECK(reads("<i8", 8, DType::kINT48));
  CHECK(reads("|b1", 1, DType::kBOOL));
  CHECK_FALSE(reads("|i1", 1, DType::kBOOL));
}

TEST_CASE("a file that is not there is no mismatch", "[verify]") {
  CHECK(read_judged("/nonexistent/x.npy", DType::kFP32).error().code == ErrorCode::kIo);
}
