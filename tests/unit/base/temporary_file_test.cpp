#include <macaw/temporary_file.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "base/file.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace macaw;
using test::checked;
namespace fs = std::filesystem;

namespace {

struct Folder {
  macaw::test::TemporaryFolder temporary;
  const fs::path& path = temporary.path();
  [[nodiscard]] auto files() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("files of a set get their names together, or leave nothing") {
  const Folder folder;
  {
    io::FileSet files;
    REQUIRE(files.add(folder.path / "a", "1"));
    REQUIRE(files.add(folder.path / "b", "2"));
    CHECK_FALSE(fs::exists(folder.path / "a"));
    CHECK_FALSE(files.add(folder.path / "missing" / "c", "3"));
  }
  CHECK(folder.files() == 0);
  io::FileSet files;
  REQUIRE(files.add(folder.path / "a", "1"));
  REQUIRE(files.add(folder.path / "b", "2"));
  REQUIRE(files.publish());
  CHECK(text_of(folder.path / "a") + text_of(folder.path / "b") == "12");
  CHECK(folder.files() == 2);
}

TEST_CASE("two writers of one file have temporary files of their own") {
  const Folder folder;
  auto first = checked(io::TemporaryFile::create(folder.path / "x")),
       second = checked(io::TemporaryFile::create(folder.path / "x"));
  CHECK(first.path() != second.path());
  CHECK(first.path().parent_path() == folder.path);
}

TEST_CASE("a file that came to be meanwhile is kept where files are") {
  const Folder folder;
  const auto set = [&](io::Existing existing, const char* text) {
    auto files = std::make_unique<io::FileSet>(existing);
    REQUIRE(files->add(folder.path / "a", text));
    REQUIRE(files->add(folder.path / "b", text));
    return files;
  };
  const auto first = set(io::Existing::kKept, "1"), second = set(io::Existing::kKept, "2"),
             third = set(io::Existing::kReplaced, "3");
  REQUIRE(first->publish());
  CHECK(second->publish().error().code == ErrorCode::kUsage);
  CHECK(text_of(folder.path / "a") + text_of(folder.path / "b") == "11");
  REQUIRE(third->publish());
  CHECK(text_of(folder.path / "a") + text_of(folder.path / "b") == "33");
}

TEST_CASE("of two sets for the same names one is there as a whole") {
  const Folder folder;
  constexpr int kFiles = 50;
  const auto run = [&](const char* text) {
    for (int i = 0; i < 20; ++i) {
      io::FileSet files;
      for (int file = 0; file < kFiles; ++file)
        if (!files.add(folder.path / std::to_string(file), text)) return;
      if (!files.publish()) return;
    }
  };
  std::thread(run, "1").join();
  std::thread other(run, "2");
  run("1");
  other.join();
  for (int file = 1; file < kFiles; ++file)
    CHECK(text_of(folder.path / std::to_string(file)) == text_of(folder.path / "0"));
}

TEST_CASE("a link is written through, also one that leads nowhere or in a circle") {
  const Folder folder;
  fs::create_symlink("real", folder.path / "link");
  REQUIRE(io::write_file(folder.path / "link", "new"));
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(text_of(folder.path / "real") == "new");
  fs::create_symlink("round", folder.path / "round");
  CHECK_FALSE(io::write_file(folder.path / "round", "new"));
  CHECK(folder.files() == 3);
}

TEST_CASE("a device is written in place and an error of it is one") {
  CHECK(io::is_written_in_place("/dev/null"));
  CHECK_FALSE(io::is_written_in_place("/tmp"));
  REQUIRE(io::write_file("/dev/null", "gone"));
  CHECK(fs::is_character_file("/dev/null"));
  const auto full = io::write_file("/dev/full", "too much");
  REQUIRE_FALSE(full);
  CHECK(full.error().to_string() == "/dev/full: cannot write: No space left on device");
}

TEST_CASE("a file that is replaced keeps its permissions") {
  const Folder folder;
  const auto file = folder.path / "x";
  for (const auto wanted : {fs::perms::owner_read | fs::perms::owner_write, fs::perms(0644), fs::perms(0755)}) {
    REQUIRE(io::write_file(file, std::string_view("1")));
    fs::permissions(file, wanted);
    REQUIRE(io::write_file(file, std::string_view("2")));
    CHECK(fs::status(file).permissions() == wanted);
    CHECK(text_of(file) == "2");
  }
  CHECK(folder.files() == 1);
}
