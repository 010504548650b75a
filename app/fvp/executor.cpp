#include "app/fvp/executor.hpp"

#include <fmt/format.h>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <span>

#include <macaw/interruption.hpp>
#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/run.hpp>

#include "app/command.hpp"
#include "app/fvp/time_limit.hpp"
#include "base/file.hpp"

namespace macaw::app::fvp {
namespace {

struct Call {
  std::filesystem::path program, output;  ///< `output`: prefix of the names of output files
  std::vector<std::filesystem::path> inputs;
  bool serves = false;  ///< one run per line of standard input
};

Result<Call> parse_call(const Application& application) {
  Call call;
  const auto& words = application.arguments;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return fail(ErrorCode::kUsage, fmt::format("{}: a value is missing", words[i]));
    if (words[i] == "--server_mode") {
      if (words[i + 1] != "true" && words[i + 1] != "false")
        return fail(ErrorCode::kUsage, fmt::format("--server_mode {}: expected true or false", words[i + 1]));
      call.serves = words[i + 1] == "true";
      continue;
    }
    const auto file = application.folder / std::filesystem::path(words[i + 1]);
    if (words[i] == "-m") call.program = file;
    else if (words[i] == "-o") call.output = file;
    else if (words[i] == "-i") call.inputs.push_back(file);
    else
      return fail(ErrorCode::kUnsupported,
                  fmt::format("{}: expected -m, -i, -o or --server_mode of executor_runner's options", words[i]));
  }
  if (call.output.empty()) return fail(ErrorCode::kUsage, "executor_runner: no -o, which names the outputs");
  return call;
}

/// Rejects options for the CPU, its memory and its UARTs.
Result<void> needs_no_cpu(const Application& application) {
  const bool logs = std::ranges::any_of(application.uarts, [](const Uart& uart) { return !uart.log.empty(); });
  const std::pair<bool, const char*> options[] = {{!application.data.empty(), "--data"},
                                                  {!application.dumps.empty(), "--dump"},
                                                  {!application.report_dir.empty(), "--report-dir"},
                                                  {!application.pmu_trace.empty(), "--pmu-trace"},
                                                  {!application.system.empty(), "--system, --timing-adapter off"},
                                                  {application.statistics, "--stat"},
                                                  {logs, "--uart-log"}};
  for (const auto& [given, option] : options)
    if (given)
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("{}: not where Macaw runs the ExecuTorch program itself; 'macaw sim' has cycles", option));
  return {};
}

Result<Tensor> read_input(const std::filesystem::path& file, const npu::TensorBinding& input) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  MACAW_ASSIGN(auto tensor, Tensor::create(*input.dtype, input.shape));
  if (bytes.size() != tensor.bytes().size())
    return fail(ErrorCode::kMismatch,
                fmt::format("{} bytes, the program's input has {}", bytes.size(), tensor.bytes().size()),
                {.file = file.string()});
  std::ranges::copy(bytes, tensor.bytes().begin());
  return tensor;
}

Result<std::vector<npu::NamedTensor>> read_inputs(const Call& call, const npu::Artifact& artifact) {
  if (call.inputs.size() != artifact.inputs.size())
    return fail(
        ErrorCode::kMismatch,
        fmt::format("{} inputs are given by -i, the program has {}", call.inputs.size(), artifact.inputs.size()),
        {.file = artifact.file});
  std::vector<npu::NamedTensor> inputs;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    MACAW_ASSIGN(auto tensor, read_input(call.inputs[i], artifact.inputs[i]));
    inputs.push_back({"", std::move(tensor)});
  }
  return inputs;
}

/// Reads lines from standard input; their contents do not matter.
class LineReader {
 public:
  /// Waits for the next line; false at the end of the input. An interruption ends the wait.
  Result<bool> next() {
    for (;;) {
      const auto end = std::ranges::find(rest_, '\n');
      if (end != rest_.end()) {
        rest_ = {end + 1, rest_.end()};
        return true;
      }
      MACAW_ASSIGN(const bool more, read());
      if (!more) return false;
    }
  }

 private:
  Result<bool> read() {
    constexpr int kMilliseconds = 100;
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    int ready = 0;
    while ((ready = poll(&input, 1, kMilliseconds)) == 0 || (ready < 0 && errno == EINTR))
      MACAW_CHECK(Interruption::check());
    const auto size = ready < 0 ? -1 : ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
    if (size < 0) return fail(ErrorCode::kIo, "standard input cannot be read");
    rest_ = std::span(buffer_).first(static_cast<std::size_t>(size));
    return size > 0;
  }

  std::array<char, 4096> buffer_{};
  std::span<const char> rest_;
};

/// Reads the inputs, runs the program with the state of the preceding run, and writes the outputs.
Result<void> run_once(const Call& call, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                      std::vector<npu::NamedTensor>& state) {
  MACAW_ASSIGN(const auto inputs, read_inputs(call, artifact));
  npu::TimedOptions options;
  options.functional.variables = state;
  MACAW_ASSIGN(auto run, npu::execute({.artifact = artifact,
                                       .accelerator = accelerator,
                                       .inputs = inputs,
                                       .mode = npu::RunMode::kFunctional,
                                       .options = options}));
  io::FileSet files;
  for (std::size_t i = 0; i < run.values.outputs.size(); ++i) {
    const auto file = fmt::format("{}-{}.bin", call.output.string(), i);
    MACAW_CHECK(files.add(file, run.values.outputs[i].bytes()));
    print_stdout("Output {}: {}\n", i, file);
  }
  MACAW_CHECK(files.publish());
  state.clear();
  for (auto& variable : run.values.variables) state.push_back({"", std::move(variable)});
  return {};
}

Result<int> run_program(const Application& application) {
  MACAW_CHECK(needs_no_cpu(application));
  MACAW_ASSIGN(const auto call, parse_call(application));
  MACAW_ASSIGN(const auto artifact, npu::load_artifact(call.program));
  if (artifact.format != npu::Artifact::Format::kExecuTorch)
    return fail(ErrorCode::kUsage, "not an ExecuTorch program", {.file = artifact.file});
  MACAW_ASSIGN(const auto accelerator, npu::choose_accelerator(artifact, application.npu));
  print_stdout("Macaw runs {} itself: no CPU, and {} is not executed\n", call.program.string(),
               application.images.front().file);
  std::vector<npu::NamedTensor> state;
  if (!call.serves) {
    MACAW_CHECK(run_once(call, artifact, *accelerator, state));
    return 0;
  }
  LineReader lines;
  for (std::uint64_t run = 1;; ++run) {
    MACAW_ASSIGN(const bool more, lines.next());
    if (!more) return 0;
    MACAW_CHECK(run_once(call, artifact, *accelerator, state));
    print_stdout("SERVER_INFERENCE_DONE {}\n", run);
    (void)std::fflush(stdout);
  }
}

}  // namespace

bool is_executor(const Application& application) { return std::ranges::count(application.arguments, "-m") == 1; }

RunResult run_executor(const Application& application) {
  const TimeLimit limit(application.limits.seconds);
  const Interruption interruption([&] { return !limit.check(); });
  auto code = run_program(application);
  if (const auto in_time = limit.check(); !code && !in_time) return {tl::unexpected(in_time.error()), "CPU time"};
  return {std::move(code)};
}

}  // namespace macaw::app::fvp
