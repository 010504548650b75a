#include "app/fvp/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <macaw/interruption.hpp>
#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/run.hpp>

#include "app/command.hpp"
#include "app/fvp/time_limit.hpp"
#include "base/file.hpp"

namespace macaw::app::fvp {
namespace {

struct Call {
  std::filesystem::path program, output;  ///< `output`: what the names of output files begin with
  std::vector<std::filesystem::path> inputs;
};

Result<Call> parse_call(const Application& application) {
  Call call;
  const auto& words = application.arguments;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return fail(ErrorCode::kUsage, fmt::format("{}: a value is missing", words[i]));
    const auto file = application.folder / std::filesystem::path(words[i + 1]);
    if (words[i] == "-m") call.program = file;
    else if (words[i] == "-o") call.output = file;
    else if (words[i] == "-i") call.inputs.push_back(file);
    else
      return fail(ErrorCode::kUnsupported,
                  fmt::format("{}: Macaw knows -m, -i and -o of executor_runner's options", words[i]));
  }
  if (call.output.empty()) return fail(ErrorCode::kUsage, "executor_runner: no -o, which names the outputs");
  return call;
}

/// Refuses options of the CPU, its memory and its UARTs.
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

Result<int> run_program(const Application& application) {
  MACAW_CHECK(needs_no_cpu(application));
  MACAW_ASSIGN(const auto call, parse_call(application));
  MACAW_ASSIGN(const auto artifact, npu::load_artifact(call.program));
  if (artifact.format != npu::Artifact::Format::kExecuTorch)
    return fail(ErrorCode::kUsage, "not an ExecuTorch program", {.file = artifact.file});
  MACAW_ASSIGN(const auto accelerator, npu::choose_accelerator(artifact, application.npu));
  MACAW_ASSIGN(const auto inputs, read_inputs(call, artifact));
  print_stdout("Macaw runs {} itself: no CPU, and {} is not executed\n", call.program.string(),
               application.images.front().file);
  MACAW_ASSIGN(
      const auto run,
      npu::execute(
          {.artifact = artifact, .accelerator = *accelerator, .inputs = inputs, .mode = npu::RunMode::kFunctional}));
  io::FileSet files;
  for (std::size_t i = 0; i < run.values.outputs.size(); ++i) {
    const auto file = fmt::format("{}-{}.bin", call.output.string(), i);
    MACAW_CHECK(files.add(file, run.values.outputs[i].bytes()));
    print_stdout("Output {}: {}\n", i, file);
  }
  MACAW_CHECK(files.publish());
  return 0;
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
