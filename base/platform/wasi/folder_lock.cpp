#include "base/folder_lock.hpp"

namespace macaw::io {

// The files of a module belong to it alone.
FolderLock::FolderLock(const std::filesystem::path&) : descriptor_(-1) {}
FolderLock::~FolderLock() = default;

}  // namespace macaw::io
