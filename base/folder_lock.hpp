#pragma once
#include <filesystem>

namespace macaw::io {

/// Held while files of a folder get their names, or one of them is read to be changed. Who waits for long, as the
/// holder was stopped, goes on without it, and so does who can have none.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_;
};

}  // namespace macaw::io
