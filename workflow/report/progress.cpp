#include "workflow/report/progress.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <memory>
#include <system_error>

namespace macaw::report {
namespace {

constexpr std::chrono::milliseconds kFirst{1000}, kBetween{200};
constexpr const char* kErase = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine(std::FILE* out, std::string what, std::string unit, std::uint64_t total)
    : out_(out), what_(std::move(what)), unit_(std::move(unit)), total_(total) {}

ProgressLine::~ProgressLine() {
  if (!shown_) return;
  std::fputs(kErase, out_);
  std::fflush(out_);
}

void ProgressLine::show(std::uint64_t done, std::chrono::milliseconds elapsed) {
  if (elapsed < kFirst) return;
  const std::string of = total_ ? fmt::format(" of {}", total_) : "";
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  std::fputs(fmt::format("{}macaw: {}: {}{} {}, {} s", kErase, what_, done, of, unit_, seconds).c_str(), out_);
  std::fflush(out_);
  shown_ = true;
}

Progress::Progress(std::string what, std::string unit, std::uint64_t total) {
  if (::isatty(STDERR_FILENO) == 0) return;
  const auto start = std::chrono::steady_clock::now();
  try {
    thread_ = std::jthread(
        [this, start,
         line = std::make_unique<ProgressLine>(stderr, std::move(what), std::move(unit), total)](std::stop_token stop) {
          std::unique_lock lock(mutex_);
          auto next = start + kFirst;
          while (!wake_.wait_until(lock, stop, next, [] { return false; }) && !stop.stop_requested()) {
            const auto now = std::chrono::steady_clock::now();
            line->show(done_, std::chrono::duration_cast<std::chrono::milliseconds>(now - start));
            next = now + kBetween;
          }
        });
  } catch (const std::system_error&) {  // no thread is to be had: nothing is shown
  }
}

}  // namespace macaw::report
