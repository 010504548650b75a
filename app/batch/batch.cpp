#include "app/batch/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#include <nlohmann/json.hpp>

#include "app/batch/inputs.hpp"
#include "app/batch/labels.hpp"
#include "app/batch/outputs.hpp"
#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/threads.hpp"
#include "workflow/report/progress.hpp"

namespace macaw::app {
namespace {

constexpr int kMaxThreads = 256;

/// All sets of inputs; threads take them one by one.
class Batch {
 public:
  Batch(const BatchInputs& inputs, const Labels* labels, BatchOutputs* outputs, const RunOne& run,
        report::Progress& progress)
      : inputs_(inputs), labels_(labels), outputs_(outputs), run_(run), progress_(progress) {}

  Result<void> run(int threads) {
    {
      const auto others = start_threads(static_cast<std::size_t>(std::max(threads, 1) - 1), [this] { work(); });
      work();
    }
    if (thrown_) std::rethrow_exception(thrown_);
    if (error_) return tl::unexpected<Error>(*error_);
    return {};
  }

  [[nodiscard]] std::size_t top1() const { return top1_; }
  [[nodiscard]] std::size_t top5() const { return top5_; }

 private:
  void work() {
    try {
      for (std::size_t index; (index = next_++) < inputs_.size(); progress_.add())
        if (const auto done = one(index); !done) return stop(index, done.error());
    } catch (...) {  // out of memory, to be reported in the caller's thread
      const std::lock_guard lock(mutex_);
      thrown_ = std::current_exception();
      next_ = inputs_.size();
    }
  }

  /// Sets are started in order, so that none before this one is left out.
  void stop(std::size_t index, const Error& error) {
    const std::lock_guard lock(mutex_);
    next_ = inputs_.size();
    if (error_ && failed_ < index) return;
    error_ = error;
    error_->message = fmt::format("set {}: {}", index, error.message);
    failed_ = index;
  }

  Result<void> one(std::size_t index) {
    MACAW_ASSIGN(auto inputs, inputs_.get(index));
    MACAW_ASSIGN(const auto outputs, run_(std::move(inputs)));
    if (labels_) {
      if (outputs.empty()) return fail(ErrorCode::kMismatch, "labels, but the network has no output");
      MACAW_ASSIGN(const std::size_t rank, labels_->rank(index, outputs[0]));
      top1_ += rank == 0;
      top5_ += rank < 5;
    }
    if (outputs_) MACAW_CHECK(outputs_->add(index, outputs));
    return {};
  }

  const BatchInputs& inputs_;
  const Labels* labels_;
  BatchOutputs* outputs_;
  const RunOne& run_;
  report::Progress& progress_;
  std::atomic<std::size_t> next_{0}, top1_{0}, top5_{0};
  std::mutex mutex_;
  std::optional<Error> error_;
  std::size_t failed_ = 0;
  std::exception_ptr thrown_;
};

/// The files for a run's results, after checking that they may be written; none if no outputs are wanted.
Result<std::vector<std::filesystem::path>> targets_of(const BatchOptions& options, std::size_t outputs) {
  std::vector<std::filesystem::path> targets, written;
  if (options.output_dir.empty() && options.tensor_files.empty()) return targets;
  for (std::size_t i = 0; i < outputs; ++i)
    targets.push_back(options.output_dir.empty() ? "" : options.output_dir / fmt::format("output_{}.npy", i));
  targets.insert(targets.end(), options.tensor_files.begin(), options.tensor_files.end());
  std::ranges::copy_if(targets, std::back_inserter(written), [](const auto& file) { return !file.empty(); });
  MACAW_CHECK(check_outputs(written, options.force));
  for (const auto& file : options.tensor_files) {
    MACAW_CHECK(io::make_directory(file.parent_path()));
    MACAW_CHECK(io::check_inside(file.parent_path(), file));
  }
  return targets;
}

}  // namespace

void add_batch_options(Command& command, BatchOptions& options) {
  command
      .add_option("--inputs", options.inputs,
                  "data set: a folder with a file or folder for each set, or an .npz or .npy with the sets along the "
                  "first axis; outputs have the same form")
      .excludes("--input");
  add_raw_option(command, options.raw);
  command.add_option(
      "--labels", options.labels,
      "with --inputs: print top-1 and top-5 accuracy; .npy with the class of each set, or .csv with a line "
      "for each (CLASS, or FILE, ..., CLASS)");
}

Result<BatchResult> run_batch(const BatchOptions& options, const std::vector<InputPort>& ports,
                              std::size_t output_count, const std::string& command, const RunOne& run) {
  MACAW_ASSIGN(const auto targets, targets_of(options, output_count));
  MACAW_ASSIGN(
      const auto inputs,
      BatchInputs::open(options.inputs, ports, {.fit = options.fit, .raw = options.raw, .labels = options.labels}));
  if (const auto note = inputs.note()) print_stderr("macaw: {}\n", *note);
  std::optional<Labels> labels;
  if (!options.labels.empty()) {
    MACAW_ASSIGN(labels, Labels::read(options.labels, inputs.names()));
  }
  std::optional<BatchOutputs> outputs;
  if (!targets.empty()) outputs.emplace(targets, inputs.size(), existing(options.force));
  const int machine = machine_threads();
  const int wanted = std::clamp(options.threads == 0 ? machine : options.threads, 1, kMaxThreads);
  const int threads = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(wanted), inputs.size()));
  BatchResult result{.runs = inputs.size()};
  const auto start = std::chrono::steady_clock::now();
  {
    report::Progress progress(command, "runs", inputs.size());
    Batch batch(inputs, labels ? &*labels : nullptr, outputs ? &*outputs : nullptr, run, progress);
    MACAW_CHECK(batch.run(threads));
    if (labels) {
      result.top1 = batch.top1();
      result.top5 = batch.top5();
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (outputs) MACAW_CHECK(outputs->publish());
  return result;
}

std::string to_text(const BatchResult& result) {
  const auto runs = static_cast<double>(result.runs);
  auto text = fmt::format("{} runs in {:.2f} s, {:.1f} a second\n", result.runs, result.seconds,
                          runs / std::max(result.seconds, 1e-9));
  if (result.top1)
    text += fmt::format("top-1 {:.2f} % ({}), top-5 {:.2f} % ({})\n", 100.0 * static_cast<double>(*result.top1) / runs,
                        *result.top1, 100.0 * static_cast<double>(*result.top5) / runs, *result.top5);
  return text;
}

std::string to_json(const BatchResult& result) {
  nlohmann::json json{{"runs", result.runs}, {"seconds", result.seconds}};
  if (result.top1) json["top1"] = *result.top1;
  if (result.top5) json["top5"] = *result.top5;
  return io::json_text(json, 1) + "\n";
}

}  // namespace macaw::app
