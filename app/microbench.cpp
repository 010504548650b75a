#include "models/microbench.hpp"

#include <fmt/format.h>

#include <macaw/npu/write_artifact.hpp>

#include <memory>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "compiler/compile.hpp"
#include "workflow/board/board_runs.hpp"

namespace macaw::app {
namespace {

struct MicrobenchOptions {
  std::string accelerator, folder;
  bool force = false;
};

/// The bytes of a file as an array for a program.
std::string c_header(const std::string& name, std::span<const std::byte> bytes) {
  std::string text =
      fmt::format("#pragma once\n\n_Alignas(16) static const unsigned char {}[{}] = {{", name, bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    text += fmt::format("{}0x{:02x},", i % 20 ? " " : "\n  ", std::to_integer<unsigned>(bytes[i]));
  return text + "\n};\n";
}

Result<void> write_all(const MicrobenchOptions& options) {
  const auto* accelerator = npu::find_accelerator(options.accelerator);
  if (!accelerator)
    return fail(ErrorCode::kUsage,
                fmt::format("unknown accelerator '{}'; 'macaw list accelerators' names them", options.accelerator));
  const std::filesystem::path folder(options.folder);
  MACAW_CHECK(io::make_directory(folder));
  io::FileSet files(existing(options.force));
  std::vector<board::Row> rows;
  const auto add = [&](const std::string& name, auto content) -> Result<void> {
    MACAW_CHECK(check_output(folder / name, options.force));
    return files.add(folder / name, content);
  };
  for (const auto& bench : models::microbenches()) {
    MACAW_ASSIGN(const auto compiled, npu::compile(bench.build(), *accelerator));
    MACAW_ASSIGN(const auto bytes, npu::to_vela_tflite(npu::to_artifact(compiled)));
    const auto name = fmt::format("{}_vela.tflite", bench.name);
    MACAW_CHECK(add(name, std::span<const std::byte>(bytes)));
    const auto header = c_header(fmt::format("{}_vela_tflite", bench.name), bytes);
    MACAW_CHECK(add(fmt::format("{}_vela_tflite.h", bench.name), std::string_view(header)));
    std::vector<std::string> modes{"Shared_Sram", "Sram_Only"};
    // A memory mode that compilers use on U65 and U85 only.
    if (npu::traits(accelerator->family).has_dedicated_sram) modes.emplace_back("Dedicated_Sram");
    for (auto& mode : modes)
      rows.push_back({.accelerator = std::string(accelerator->name), .network = name, .memory_mode = std::move(mode)});
  }
  const auto csv = board::to_csv(rows);
  MACAW_CHECK(add("board.csv", std::string_view(csv)));
  MACAW_CHECK(files.publish());
  print_written(folder / "board.csv");
  print_stdout("{} networks beside it, as .tflite and as C headers\n", models::microbenches().size());
  return {};
}

}  // namespace

void add_microbench(Command app, int& exit_code) {
  auto command = app.add_subcommand("microbench", "Generate micro-benchmarks to characterise a board's memory");
  auto options = std::make_shared<MicrobenchOptions>();
  command.add_option("-a,--accelerator-config", options->accelerator, "accelerator, e.g. ethos-u55-128").required();
  command.add_option("-o,--output-dir", options->folder, "folder to write them to").required();
  command.add_flag("--force", options->force, "overwrite files");
  command.footer(
      "Run the networks on the board with whatever software it has, for each memory mode that it can be set to, write\n"
      "what ETHOSU_PMU_NPU_ACTIVE shows into board.csv (with its resolution, if it is printed in steps), and leave\n"
      "what was not run empty. 'macaw fit' reads it.\n"
      "Example: macaw microbench -a ethos-u55-128 -o bench");
  command.callback([options, &exit_code] {
    const auto done = write_all(*options);
    exit_code = done ? int{kOk} : report_error(done.error());
  });
}

}  // namespace macaw::app
