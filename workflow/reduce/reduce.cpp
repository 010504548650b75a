#include "workflow/reduce/reduce.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <macaw/npy.hpp>

#include <stdlib.h>

#include "base/file.hpp"
#include "workflow/reduce/check.hpp"
#include "workflow/reduce/search.hpp"

namespace macaw::reduce {
namespace {

/// A folder for the files of the commands, which is removed with the object.
class ScratchFolder {
 public:
  static Result<ScratchFolder> create() {
    std::error_code error;
    auto name = (std::filesystem::temp_directory_path(error) / "macaw-reduce-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr)
      return fail(ErrorCode::kIo, error ? error.message() : std::strerror(errno), {.file = name});
    return ScratchFolder(name);
  }
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() { remove(); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void remove() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path path_;
};

/// Runs the command on networks.
class Checker {
 public:
  Checker(const Options& options, std::filesystem::path folder) : options_(options), folder_(std::move(folder)) {}

  /// Runs the command on a file of these bytes in a folder of its own, where the command may put files beside it.
  [[nodiscard]] Result<Outcome> run(const std::vector<std::byte>& bytes, const std::string& name,
                                    const std::function<bool()>& cancelled) {
    const ScratchFolder own(folder_ / std::to_string(number_++));
    MACAW_CHECK(io::make_directory(own.path()));
    const auto file = own.path() / name;
    MACAW_CHECK(io::write_file(file, bytes));
    const auto outcome = run_command(command_for(options_.command, file.string()), options_.timeout, cancelled);
    ++checks_;
    options_.checked();
    return outcome;
  }

  [[nodiscard]] bool is_wanted(const Outcome& outcome) const {
    return !outcome.timed_out && !outcome.cancelled && outcome.exit_code == exit_code_ &&
           (options_.match.empty() || outcome.output.find(options_.match) != std::string::npos);
  }

  /// Whether a network fails as the first did. Those that were run before are not run again.
  [[nodiscard]] Result<bool> still_fails(const Network& network, const std::function<bool()>& cancelled) {
    const auto bytes = network.bytes();
    if (!bytes) return false;  // it cannot be written
    const std::string key(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    const auto hash = std::hash<std::string>()(key);
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = known_.find(hash); known != known_.end()) return known->second;
    }
    MACAW_ASSIGN(const auto outcome, run(*bytes, std::string("network") + network.extension(), cancelled));
    const bool fails = is_wanted(outcome);
    const std::lock_guard lock(mutex_);
    if (!outcome.cancelled) known_.emplace(hash, fails);
    return fails;
  }

  void set_exit_code(int exit_code) { exit_code_ = exit_code; }
  [[nodiscard]] std::size_t checks() const { return checks_; }

 private:
  const Options& options_;
  std::filesystem::path folder_;
  int exit_code_ = 0;
  std::atomic<std::size_t> number_{0}, checks_{0};
  std::mutex mutex_;
  std::unordered_map<std::size_t, bool> known_;
};

Size size_of_network(const Network& network) { return {network.operators(), network.elements()}; }

/// Why an outcome does not count as the failure; empty if it does.
std::string unfit(const Outcome& outcome, const Options& options) {
  if (outcome.timed_out)
    return fmt::format("the command did not end within {} s; --timeout gives it longer", options.timeout.count());
  if (outcome.exit_code == 0) return "the command does not fail for the network: its exit code is 0";
  if (outcome.exit_code == 126 || outcome.exit_code == 127)
    return fmt::format("the shell cannot run the command (exit code {})", outcome.exit_code);
  if (!options.match.empty() && outcome.output.find(options.match) == std::string::npos)
    return fmt::format("the output of the command does not contain '{}'", options.match);
  return "";
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

}  // namespace

Result<Reduction> reduce(const std::string& file, const Options& options) {
  MACAW_ASSIGN(auto network, load_network(file));
  MACAW_ASSIGN(const auto scratch, ScratchFolder::create());
  Checker checker(options, scratch.path());
  MACAW_ASSIGN(const auto original, io::read_file(file));
  MACAW_ASSIGN(const auto first, checker.run(original, std::filesystem::path(file).filename().string(), options.stop));
  if (first.cancelled) return fail(ErrorCode::kUsage, "interrupted before the command had ended once");
  if (auto reason = unfit(first, options); !reason.empty())
    return fail(ErrorCode::kUsage, std::move(reason), {.file = file});
  checker.set_exit_code(first.exit_code);
  MACAW_ASSIGN(const bool same, checker.still_fails(*network, options.stop));
  if (!same && !options.stop())
    return fail(ErrorCode::kUsage,
                fmt::format("the command fails for the file (exit code {}), but not so once Macaw has written the "
                            "network anew, which drops what neither runs nor names its operators",
                            first.exit_code),
                {.file = file});
  Reduction reduction;
  reduction.before = size_of_network(*network);
  reduction.exit_code = first.exit_code;
  Search search(
      [&](const Network& candidate, const auto& cancelled) { return checker.still_fails(candidate, cancelled); },
      options.jobs, [](const Network&) {}, options.stop);
  MACAW_ASSIGN(reduction.network, search.run(std::move(network)));
  reduction.after = size_of_network(*reduction.network);
  reduction.checks = checker.checks();
  reduction.stopped = options.stop();
  return reduction;
}

Result<std::vector<OutputFile>> output_files(const Reduction& reduction, const Options& options) {
  std::vector<OutputFile> files;
  const auto name = std::string("network") + reduction.network->extension();
  MACAW_ASSIGN(auto bytes, reduction.network->bytes());
  files.push_back({name, std::move(bytes)});
  std::string inputs;
  // Some types of inputs have no random values; the network is there without them.
  if (const auto tensors = reduction.network->program().random_inputs(1))
    for (const auto& tensor : *tensors) {
      const auto file = fmt::format("input_{}.npy", files.size() - 1);
      inputs += fmt::format("- `{}`: random values for input {}\n", file, files.size() - 1);
      files.push_back({file, format_npy(to_npy(tensor))});
    }
  auto text = fmt::format(
      "# A network that fails\n\n"
      "`{}` was made smaller by `macaw reduce`{}: {} operators of {}, {} elements of tensors of {}.\n\n"
      "In this folder, this command ends with exit code {}{}:\n\n```sh\n{}\n```\n\n{}",
      name, reduction.stopped ? ", which was interrupted" : "", reduction.after.operators, reduction.before.operators,
      reduction.after.elements, reduction.before.elements, reduction.exit_code,
      options.match.empty() ? "" : ", and its output contains the text below", command_for(options.command, name),
      inputs);
  if (!options.match.empty()) text += fmt::format("\n```\n{}\n```\n", options.match);
  files.push_back({"README.md", bytes_of(text)});
  return files;
}

}  // namespace macaw::reduce
