#pragma once
#include <functional>
#include <vector>

#include "app/fvp/gdb_client.hpp"
#include "app/fvp/guest_folder.hpp"

namespace macaw::app::fvp {

/// The system calls of an application that reach the host: its console, and the files of one folder. QEMU forwards them
/// as requests of GDB's File-I/O protocol and opens no file itself; it answers clock, command line and exit code
/// without the host. No call runs a command.
class Semihosting {
 public:
  /// Receives the text that is written to the console.
  using Print = std::function<void(std::string_view)>;

  Semihosting(GuestFolder folder, Print print, GoOn go_on)
      : folder_(std::move(folder)), print_(std::move(print)), go_on_(std::move(go_on)) {}

  /// Executes a request ("Fopen,1e8/7,0,1a4") and returns the packet that completes it. Errors of the guest are error
  /// numbers for the guest; an error here ends the run.
  [[nodiscard]] Result<std::string> answer(std::string_view request, GdbClient& guest);

 private:
  struct Call;
  /// A result, or a value of errno for the guest.
  using Outcome = tl::expected<std::uint32_t, int>;

  [[nodiscard]] Result<Outcome> call(const Call& call, GdbClient& guest);
  [[nodiscard]] Result<Outcome> read(const Call& call, GdbClient& guest);
  [[nodiscard]] Result<Outcome> write(const Call& call, GdbClient& guest);
  [[nodiscard]] Result<Outcome> read_console(std::span<char> bytes);
  [[nodiscard]] Outcome open(std::string_view path, std::uint32_t flags);
  [[nodiscard]] Outcome status(const Call& call, GdbClient& guest) const;
  /// The descriptor of an open file, or -1.
  [[nodiscard]] int file(std::uint32_t number) const;

  GuestFolder folder_;
  Print print_;
  GoOn go_on_;
  std::vector<Descriptor> files_;  ///< the first is the guest's number kFirstFile
  std::uint64_t written_ = 0;      ///< bytes, to all files
};

}  // namespace macaw::app::fvp
