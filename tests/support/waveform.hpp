#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace macaw::test {

using Span = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // operation, start, end
using Spans = std::map<std::string, std::vector<Span>>;                // by unit

/// When the units of a waveform are busy, and with which operation.
class BusySignals {
 public:
  explicit BusySignals(const std::filesystem::path& file) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) read(line);
  }
  [[nodiscard]] const Spans& spans() const { return spans_; }
  /// When the last write before a time had its response: transactions between address and response are what the signals
  /// writesN of a port ("axi0") count, and responses come in order.
  [[nodiscard]] std::uint64_t written(const std::string& port, std::uint64_t by) const {
    std::uint64_t issued = 0, answered = 0, latest = 0;
    std::map<std::string, std::uint64_t> outstanding;
    for (const auto& [time, signal, value] : writes_) {
      if (signal.rfind(port + ".", 0) != 0) continue;
      auto& now = outstanding[signal];
      if (value > now && time <= by) issued += value - now;
      if (value < now && answered < issued) {
        answered += now - value;
        latest = time;
      }
      now = value;
    }
    return answered == issued ? latest : time_;  // the file ends with the response that it waits for
  }

 private:
  struct Unit {
    std::uint64_t busy = 0, operation = 0;
  };

  void read(const std::string& line) {
    std::istringstream words(line);
    std::string first, second, third, id, name;
    words >> first >> second >> third >> id >> name;
    if (first == "$scope") scope_ = third;
    if (first == "$var") signals_[id] = {scope_, name};
    if (line.empty() || std::string_view("#01b").find(line[0]) == std::string_view::npos) return;
    if (first[0] == '#') {
      const auto now = std::stoull(first.substr(1));
      for (const auto& [unit, values] : units_)
        if (values.busy != 0) extend(spans_[unit], {values.operation, time_, now});
      time_ = now;
      return;
    }
    const bool vector = first[0] == 'b';
    const auto& [unit, signal] = signals_.at(vector ? second : first.substr(1));
    const auto value = vector ? std::stoull(first.substr(1), nullptr, 2) : std::uint64_t(first[0] - '0');
    if (signal.starts_with("writes")) writes_.emplace_back(time_, unit + "." + signal, value);
    if (signal == "busy") units_[unit].busy = value;
    if (signal == "operation") units_[unit].operation = value;
  }

  static void extend(std::vector<Span>& spans, const Span& span) {
    const auto [operation, start, end] = span;
    if (end == start) return;
    if (!spans.empty() && std::get<0>(spans.back()) == operation && std::get<2>(spans.back()) == start)
      std::get<2>(spans.back()) = end;
    else spans.push_back(span);
  }

  std::string scope_;
  std::map<std::string, std::pair<std::string, std::string>> signals_;  // by identifier: unit, signal
  std::map<std::string, Unit> units_;
  std::uint64_t time_ = 0;
  Spans spans_;
  std::vector<std::tuple<std::uint64_t, std::string, std::uint64_t>> writes_;  ///< time, signal, value
};

}  // namespace macaw::test
