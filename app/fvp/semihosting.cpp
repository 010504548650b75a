#include "app/fvp/semihosting.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/number_text.hpp"

namespace macaw::app::fvp {
namespace {

constexpr std::uint32_t kConsoleInput = 0, kFirstFile = 3;  // 1 and 2 are the console's outputs
constexpr std::size_t kMostFiles = 64, kChunk = 4096;
constexpr std::uint64_t kMostWritten = std::uint64_t{1} << 30;

// Numbers of the File-I/O protocol (GDB manual, "Constants").
constexpr std::pair<std::uint32_t, int> kFlags[] = {{0x1, O_WRONLY},  {0x2, O_RDWR},    {0x8, O_APPEND},
                                                    {0x200, O_CREAT}, {0x400, O_TRUNC}, {0x800, O_EXCL}};
constexpr int kSeeks[] = {SEEK_SET, SEEK_CUR, SEEK_END};
constexpr unsigned kNameTooLong = 91, kUnknown = 9999;

unsigned gdb_errno(int error) {
  constexpr std::array kSame = {EPERM,   ENOENT, EINTR,  EBADF,  EACCES, EFAULT, EBUSY,  EEXIST, ENODEV,
                                ENOTDIR, EISDIR, EINVAL, ENFILE, EMFILE, EFBIG,  ENOSPC, ESPIPE, EROFS};
  if (error == ENAMETOOLONG) return kNameTooLong;
  return std::ranges::find(kSame, error) != kSame.end() ? static_cast<unsigned>(error) : kUnknown;
}

/// A number of a request; excess digits are ignored.
std::uint32_t number(std::string_view text) {
  const auto value = io::number_of<std::uint64_t>(text, 16);
  return static_cast<std::uint32_t>(value.value_or(0));
}

void put_big_endian(std::span<std::uint8_t> bytes, std::uint64_t value) {
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, value >>= 8) *byte = static_cast<std::uint8_t>(value);
}

bool read_text(GdbClient& guest, std::uint32_t address, std::span<char> text) {
  return guest.read_memory(address, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()}).has_value();
}

}  // namespace

/// A parsed request: "Fopen,1e8/7,0,1a4". Missing arguments are 0.
struct Semihosting::Call {
  std::string_view name;
  std::array<std::uint32_t, 4> arguments{}, lengths{};  ///< `lengths`: of strings, with their terminating zero

  explicit Call(std::string_view request) {
    std::size_t count = 0;
    for (std::size_t at = 1; at <= request.size() && count <= arguments.size(); ++count) {
      const std::size_t end = std::min(request.find(',', at), request.size());
      const std::string_view word = request.substr(at, end - at);
      const std::size_t slash = std::min(word.find('/'), word.size());
      if (count == 0) name = word;
      else {
        arguments[count - 1] = number(word.substr(0, slash));
        if (slash < word.size()) lengths[count - 1] = number(word.substr(slash + 1));
      }
      at = end + 1;
    }
  }

  /// The string that an argument points to. EFAULT: no memory there.
  [[nodiscard]] tl::expected<std::string, int> text(std::size_t argument, GdbClient& guest) const {
    if (lengths[argument] == 0) return tl::unexpected(ENOENT);
    if (lengths[argument] > kChunk) return tl::unexpected(ENAMETOOLONG);
    std::string text(lengths[argument] - 1, ' ');
    if (!read_text(guest, arguments[argument], text)) return tl::unexpected(EFAULT);
    return text;
  }
};

int Semihosting::file(std::uint32_t number) const {
  return number >= kFirstFile && number - kFirstFile < files_.size() ? files_[number - kFirstFile].get() : -1;
}

Semihosting::Outcome Semihosting::open(std::string_view path, std::uint32_t flags) {
  int host_flags = 0;
  for (const auto& [flag, host_flag] : kFlags)
    if (flags & flag) host_flags |= host_flag;
  auto place = std::ranges::find_if(files_, [](const Descriptor& one) { return !one.is_open(); });
  if (place == files_.end() && files_.size() == kMostFiles) return tl::unexpected(EMFILE);
  auto opened = folder_.open_file(path, host_flags);
  if (!opened) return tl::unexpected(opened.error());
  if (place == files_.end()) place = files_.emplace(place);
  *place = *std::move(opened);
  return kFirstFile + static_cast<std::uint32_t>(place - files_.begin());
}

/// At least one byte, or none at the end of standard input.
Result<Semihosting::Outcome> Semihosting::read_console(std::span<char> bytes) {
  for (;;) {
    pollfd wait{STDIN_FILENO, POLLIN, 0};
    static_cast<void>(::poll(&wait, 1, kTickMs));
    if (wait.revents != 0) break;
    MACAW_CHECK(go_on_());
  }
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got < 0) return Outcome(tl::unexpected(errno));
  return Outcome(static_cast<std::uint32_t>(got));
}

Result<Semihosting::Outcome> Semihosting::read(const Call& call, GdbClient& guest) {
  const auto [from, address, count, unused] = call.arguments;
  std::uint32_t done = 0;
  while (done < count) {
    char chunk[kChunk];
    const std::span<char> part(chunk, std::min<std::size_t>(kChunk, count - done));
    std::uint32_t got = 0;
    if (from == kConsoleInput) {
      MACAW_ASSIGN(const Outcome read, read_console(part));
      if (!read) return read;
      got = *read;
    } else {
      const ssize_t read = ::read(file(from), part.data(), part.size());
      if (read < 0) return Outcome(tl::unexpected(errno));
      got = static_cast<std::uint32_t>(read);
    }
    if (!guest.write_memory(address + done, {reinterpret_cast<const std::uint8_t*>(chunk), got}))
      return Outcome(tl::unexpected(EFAULT));
    done += got;
    if (got < part.size() || from == kConsoleInput) break;
    MACAW_CHECK(go_on_());
  }
  return Outcome(done);
}

Result<Semihosting::Outcome> Semihosting::write(const Call& call, GdbClient& guest) {
  const auto [to, address, count, unused] = call.arguments;
  const bool to_console = to != kConsoleInput && to < kFirstFile;
  if (!to_console && file(to) < 0) return Outcome(tl::unexpected(EBADF));
  std::uint32_t done = 0;
  while (done < count) {
    char chunk[kChunk];
    const std::span<char> part(chunk, std::min<std::size_t>(kChunk, count - done));
    if (!read_text(guest, address + done, part)) return Outcome(tl::unexpected(EFAULT));
    if (to_console) {
      print_({part.data(), part.size()});
    } else {
      if (written_ + part.size() > kMostWritten) return Outcome(tl::unexpected(ENOSPC));
      const ssize_t written = ::write(file(to), part.data(), part.size());
      if (written < 0) return Outcome(tl::unexpected(errno));
      written_ += static_cast<std::uint64_t>(written);
      if (static_cast<std::size_t>(written) < part.size()) return Outcome(done + static_cast<std::uint32_t>(written));
    }
    done += static_cast<std::uint32_t>(part.size());
    MACAW_CHECK(go_on_());
  }
  return Outcome(done);
}

/// The protocol's struct stat: 64 bytes, big-endian; the mode at 8, the size at 28. QEMU 7.2 takes SYS_FLEN for failed
/// unless the result is the size as well; later ones look at the bytes alone.
Semihosting::Outcome Semihosting::status(const Call& call, GdbClient& guest) const {
  struct stat status = {};
  if (::fstat(file(call.arguments[0]), &status) != 0) return tl::unexpected(errno);
  std::array<std::uint8_t, 64> bytes{};
  put_big_endian(std::span(bytes).subspan(8, 4), status.st_mode);
  put_big_endian(std::span(bytes).subspan(28, 8), static_cast<std::uint64_t>(status.st_size));
  if (!guest.write_memory(call.arguments[1], bytes)) return tl::unexpected(EFAULT);
  return static_cast<std::uint32_t>(status.st_size);
}

Result<Semihosting::Outcome> Semihosting::call(const Call& call, GdbClient& guest) {
  const auto& arguments = call.arguments;
  const std::string_view name = call.name;
  if (name == "read") return read(call, guest);
  if (name == "write") return write(call, guest);
  if (name == "fstat") return status(call, guest);
  if (name == "isatty") return Outcome(arguments[0] < kFirstFile ? 1 : 0);
  if (name == "close") {
    if (file(arguments[0]) >= 0) files_[arguments[0] - kFirstFile] = Descriptor();
    else if (arguments[0] >= kFirstFile) return Outcome(tl::unexpected(EBADF));
    return Outcome(0);
  }
  if (name == "lseek") {
    if (arguments[2] >= std::size(kSeeks)) return Outcome(tl::unexpected(EINVAL));
    const off_t offset = arguments[2] == 0 ? off_t{arguments[1]} : static_cast<std::int32_t>(arguments[1]);
    const off_t at = ::lseek(file(arguments[0]), offset, kSeeks[arguments[2]]);
    return at < 0 ? Outcome(tl::unexpected(errno)) : Outcome(static_cast<std::uint32_t>(at));
  }
  if (name != "open" && name != "unlink" && name != "rename") return Outcome(tl::unexpected(EPERM));
  const auto path = call.text(0, guest);
  if (!path) return Outcome(tl::unexpected(path.error()));
  if (name == "open") return open(*path, arguments[1]);
  tl::expected<void, int> done;
  if (name == "unlink") {
    done = folder_.remove(*path);
  } else {
    const auto target = call.text(1, guest);
    if (!target) return Outcome(tl::unexpected(target.error()));
    done = folder_.rename(*path, *target);
  }
  return done ? Outcome(0) : Outcome(tl::unexpected(done.error()));
}

Result<std::string> Semihosting::answer(std::string_view request, GdbClient& guest) {
  MACAW_ASSIGN(const Outcome outcome, call(Call(request), guest));
  return outcome ? fmt::format("F{:x}", *outcome) : fmt::format("F-1,{:x}", gdb_errno(outcome.error()));
}

}  // namespace macaw::app::fvp
