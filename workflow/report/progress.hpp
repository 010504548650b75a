#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace macaw::report {

/// A line on a terminal that says how far something is, from its second second on: "macaw: check: 12 of 40 cases, 3 s".
class ProgressLine {
 public:
  /// `unit` in the plural; `total` 0: not known.
  ProgressLine(std::FILE* out, std::string what, std::string unit, std::uint64_t total);
  /// Erases the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Writes the line if `elapsed` is a second or more.
  void show(std::uint64_t done, std::chrono::milliseconds elapsed);

 private:
  std::FILE* out_;
  std::string what_, unit_;
  std::uint64_t total_;
  bool shown_ = false;
};

/// Keeps a ProgressLine on stderr up to date until it is destroyed; without a terminal there, it does nothing. Any
/// thread may count. Nothing else may be written to stderr meanwhile.
class Progress {
 public:
  Progress(std::string what, std::string unit, std::uint64_t total = 0);

  /// Whether there is a line to keep up to date.
  [[nodiscard]] bool active() const { return thread_.joinable(); }
  void add(std::uint64_t done = 1) { done_ += done; }

 private:
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  ///< last: it uses the others
};

}  // namespace macaw::report
