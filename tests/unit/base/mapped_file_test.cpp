#include "base/mapped_file.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <vector>

#include "base/file.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace macaw;
using test::checked;

TEST_CASE("files have the same contents mapped and read") {
  const macaw::test::TemporaryFolder folder;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1000}, std::size_t{1} << 18, (std::size_t{1} << 20) + 17}) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * i / 7);
    auto temporary = checked(io::TemporaryFile::create(folder / "mapped"));
    REQUIRE(temporary.write(std::span(bytes).first(size / 3), std::span(bytes).subspan(size / 3)));
    const auto contents = checked(io::map_file(temporary.path()));
    CHECK(std::ranges::equal(contents.bytes, bytes));
    CHECK(checked(io::read_file(temporary.path())) == bytes);
  }
}

TEST_CASE("a file is open no longer than it takes to map it") {
  const auto open = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const macaw::test::TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{16}, std::size_t{1} << 20}) {
    REQUIRE(io::write_file(folder / "mapped", std::vector<std::byte>(size)));
    const auto before = open();
    const auto contents = checked(io::map_file((folder / "mapped").string()));
    CHECK(open() == before);
  }
}

TEST_CASE("a path that is not a file, or does not exist, is an error or empty as if it were read") {
  CHECK(io::map_file("/nowhere/at/all").error().code == ErrorCode::kIo);
  CHECK(io::map_file("/tmp").error().code == ErrorCode::kIo);
  CHECK(checked(io::map_file("/dev/null")).bytes.empty());
}
