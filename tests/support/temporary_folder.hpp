#pragma once
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace macaw::test {

/// A new folder with a name that no other has, so that tests can run beside each other and beside themselves; it goes
/// with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto name = (std::filesystem::temp_directory_path() / "macaw_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) FAIL("no folder like " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code left;
    std::filesystem::remove_all(path_, left);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace macaw::test
