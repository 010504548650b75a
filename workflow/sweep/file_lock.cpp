#include "workflow/sweep/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace macaw::sweep {

FileLock::FileLock(const std::filesystem::path& file, Kind kind)
    : descriptor_(::open(file.c_str(), O_RDWR | O_CREAT, 0666)) {
  if (descriptor_ >= 0) (void)::flock(descriptor_, kind == Kind::kShared ? LOCK_SH : LOCK_EX);
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool FileLock::take_alone() const { return descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }

void FileLock::share() const { (void)::flock(descriptor_, LOCK_SH); }

}  // namespace macaw::sweep
