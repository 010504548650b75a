#include <macaw/temporary_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/platform/files.hpp"

namespace macaw::io {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as Linux

/// One path for a signal handler to remove. Entries are used again and never freed, so that the handler can follow the
/// list at any time.
struct Entry {
  std::atomic<char*> path = nullptr;
  Entry* next = nullptr;
};
std::atomic<Entry*> entries = nullptr;

/// Entries without a path, which handlers leave alone.
struct FreeEntries {
  std::mutex mutex;
  std::vector<Entry*> list;
};

/// Never destroyed: files are removed until the program has ended.
FreeEntries& free_entries() {
  static auto* const all = new FreeEntries;
  return *all;
}

Entry* enter(const fs::path& path) {
  // A program that ends in the middle of its work leaves none either.
  [[maybe_unused]] static const int registered = std::atexit(remove_temporaries);
  char* copy = ::strdup(path.c_str());
  if (copy == nullptr) return nullptr;
  {
    auto& free = free_entries();
    const std::lock_guard lock(free.mutex);
    if (!free.list.empty()) {
      Entry* const again = free.list.back();
      free.list.pop_back();
      again->path = copy;
      return again;
    }
  }
  auto* added = new Entry{copy, entries};
  while (!entries.compare_exchange_weak(added->next, added)) {
  }
  return added;
}

extern "C" void remove_and_end(int signal) {
  remove_temporaries();
  platform::end_by_signal(signal);
}

tl::unexpected<Error> write_error(const fs::path& file, int code) {
  return fail(ErrorCode::kIo, fmt::format("cannot write: {}", code ? std::strerror(code) : "unknown cause"),
              {.file = file.string()});
}

std::uint64_t random_bits() {
  if (const auto bits = platform::random_bits()) return *bits;
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

/// The path behind symbolic links, whether something is there or not.
Result<fs::path> behind_links(const fs::path& file) {
  fs::path at = file;
  std::error_code error;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (!fs::is_symlink(fs::symlink_status(at, error))) return at;
    const auto next = fs::read_symlink(at, error);
    if (error) return write_error(file, error.value());
    at = at.parent_path() / next;
  }
  return write_error(file, ELOOP);
}

Result<void> write_all(int descriptor, std::span<const std::byte> bytes, const fs::path& file) {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return write_error(file, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

}  // namespace

bool is_written_in_place(const fs::path& file) {
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  if (!fs::exists(status) || fs::is_directory(status)) return false;
  if (!fs::is_regular_file(status)) return true;
  // An open descriptor of a regular file: renaming over the file would leave the descriptor behind.
  for (fs::path at = file; fs::is_symlink(fs::symlink_status(at, ignored));
       at = at.parent_path() / fs::read_symlink(at, ignored))
    if (fs::weakly_canonical(at.parent_path(), ignored).string().starts_with("/proc/")) return true;
  return false;
}

Result<void> check_inside(const fs::path& folder, const fs::path& file) {
  MACAW_ASSIGN(const auto target, behind_links(file));
  const auto real = [](const fs::path& path, std::error_code& error) {
    return fs::weakly_canonical(fs::absolute(path.empty() ? fs::path(".") : path), error);
  };
  std::error_code error;
  const auto root = real(folder, error);
  const auto parent = error ? fs::path() : real(target.parent_path(), error);
  if (error) return write_error(file, error.value());
  const auto [end, ignored] = std::mismatch(root.begin(), root.end(), parent.begin(), parent.end());
  if (end == root.end()) return {};
  return fail(ErrorCode::kInvalidFile,
              fmt::format("leads out of the output folder '{}' to '{}'", folder.string(), target.string()),
              {.file = file.string()});
}

Result<TemporaryFile> TemporaryFile::create(const fs::path& target) {
  MACAW_CHECK(check_name(target));
  TemporaryFile file;
  file.given_ = target;
  file.in_place_ = is_written_in_place(target);
  MACAW_ASSIGN(file.target_, behind_links(target));
  std::error_code error;
  const auto status = fs::status(file.target_, error);
  if (fs::is_directory(status)) return write_error(target, EISDIR);
  const auto folder = file.in_place_ ? fs::temp_directory_path(error) : file.target_.parent_path();
  for (int tries = 0; tries < 100; ++tries) {
    const auto unique = fmt::format("{:016x}", random_bits());
    file.path_ = folder / fmt::format(".macaw-{}.part", unique);
    file.slot_ = enter(file.path_);
    const int number = ::open(file.path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0) {
      // A file that is replaced keeps its permissions.
      if (!file.in_place_ && fs::is_regular_file(status)) platform::set_permissions(number, status.permissions());
      ::close(number);
      return file;
    }
    const int code = errno;
    file.forget();
    if (code != EEXIST) return write_error(target, code);
  }
  return write_error(target, EEXIST);
}

TemporaryFile TemporaryFile::adopt(const fs::path& file) {
  TemporaryFile adopted;
  adopted.given_ = adopted.target_ = adopted.path_ = file;
  adopted.slot_ = enter(file);
  return adopted;
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : given_(std::move(other.given_)),
      target_(std::move(other.target_)),
      path_(std::exchange(other.path_, {})),
      slot_(std::exchange(other.slot_, nullptr)),
      in_place_(other.in_place_) {}

TemporaryFile::~TemporaryFile() {
  if (path_.empty()) return;
  ::unlink(path_.c_str());
  forget();
}

void TemporaryFile::forget() {
  if (auto* const entry = static_cast<Entry*>(std::exchange(slot_, nullptr))) {
    std::free(entry->path.exchange(nullptr));
    auto& free = free_entries();
    const std::lock_guard lock(free.mutex);
    free.list.push_back(entry);
  }
  path_.clear();
}

Result<void> TemporaryFile::write(std::span<const std::byte> bytes, std::span<const std::byte> more) const {
  Descriptor out(::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (out.number() < 0) return write_error(given_, errno);
  MACAW_CHECK(write_all(out.number(), bytes, given_));
  MACAW_CHECK(write_all(out.number(), more, given_));
  if (!out.close()) return write_error(given_, errno);
  return {};
}

Result<void> TemporaryFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
  Descriptor out(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  if (out.number() < 0 || ::lseek(out.number(), static_cast<off_t>(offset), SEEK_SET) < 0)
    return write_error(given_, errno);
  MACAW_CHECK(write_all(out.number(), bytes, given_));
  if (!out.close()) return write_error(given_, errno);
  return {};
}

Result<void> TemporaryFile::copy_to_target() const {
  MACAW_ASSIGN(const auto bytes, read_file(path_));
  Descriptor out(::open(given_.c_str(), O_WRONLY | O_CLOEXEC));
  if (out.number() < 0) return write_error(given_, errno);
  MACAW_CHECK(write_all(out.number(), bytes, given_));
  if (!out.close()) return write_error(given_, errno);
  return {};
}

Result<void> TemporaryFile::publish(Existing existing) {
  if (in_place_) return copy_to_target();
  bool is_renamed = false;
  if (existing == Existing::kKept) {
    const int code = platform::rename_to_new(path_.c_str(), target_.c_str());
    is_renamed = code == 0;
    if (code == EEXIST)
      return fail(ErrorCode::kUsage, "the file exists, since another program has made it; --force overwrites it",
                  {.file = given_.string()});
  }
  // Some file systems cannot keep what is there.
  if (!is_renamed && ::rename(path_.c_str(), target_.c_str()) != 0) return write_error(given_, errno);
  forget();
  return {};
}

void remove_temporaries() {
  for (Entry* e = entries; e != nullptr; e = e->next)
    if (const char* path = e->path.exchange(nullptr)) ::unlink(path);
}

void remove_temporaries_on_signals() { platform::handle_ending_signals(remove_and_end); }

}  // namespace macaw::io
