#include "compiler/compile.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

#include <macaw/error_context.hpp>
#include <macaw/tflite/to_tosa.hpp>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "app/timing_options.hpp"
#include "base/c_array.hpp"

namespace macaw::app {
namespace {

struct CompileOptions {
  std::string graph, accelerator, output;
  MemoryOptions memories;
  std::optional<std::uint64_t> arena_cache_size;
  bool force = false;
};

/// A graph, and the network that it was imported from, if any.
struct Source {
  tosa::Graph graph;
  std::optional<tflite::Network> network;
};

Result<Source> load_source(const std::string& file) {
  MACAW_ASSIGN(const auto bytes, io::read_network_file(file));
  Source source;
  if (!tflite::is_tflite(bytes)) {
    MACAW_ASSIGN(source.graph, tosa::parse_graph(bytes, file));
    return source;
  }
  MACAW_ASSIGN(source.network, tflite::parse_network(bytes, file));
  MACAW_ASSIGN(source.graph, tflite::to_tosa(*source.network));
  return source;
}

/// Uses the operator numbers of the compiled file: an import records the origin of each operator.
void number_as(const Source& source, npu::Network& compiled) {
  if (!source.network) return;
  const auto& operators = source.network->main().operators;
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < operators.size(); ++i) index.emplace(operators[i].place(i), i);
  compiled.is_tflite = true;
  for (std::size_t i = 0; i < compiled.operators.size(); ++i) {
    auto& op = compiled.operators[i];
    const auto found = index.find(source.graph.main().operators[i].location);
    op.index = found == index.end() ? std::nullopt : std::optional(found->second);
    if (op.index) op.kind = operators[*op.index].name;
  }
}

/// Bytes of fast memory beside that of the arena.
Result<std::uint64_t> fast_memory(const CompileOptions& options, const npu::Accelerator& accelerator) {
  MACAW_ASSIGN(const auto limit, npu::fast_memory(accelerator, options.memories.timed()));
  if (!limit && options.arena_cache_size)
    return fail(ErrorCode::kUsage,
                "--arena-cache-size requires a memory mode with the arena in other memory than the fast scratch, "
                "such as Dedicated_Sram");
  return options.arena_cache_size.value_or(limit.value_or(0));
}

Result<void> compile_graph(const CompileOptions& options) {
  const auto* accelerator = npu::find_accelerator(options.accelerator);
  if (!accelerator)
    return fail(ErrorCode::kUsage,
                fmt::format("unknown accelerator '{}'; 'macaw list accelerators' names them", options.accelerator));
  MACAW_CHECK(check_output(options.output, options.force));
  MACAW_ASSIGN(const auto fast, fast_memory(options, *accelerator));
  MACAW_ASSIGN(const auto source, load_source(options.graph));
  MACAW_ASSIGN(auto compiled,
               npu::compile(source.graph, *accelerator, {.fast_memory = fast}).map_error(at({.file = options.graph})));
  number_as(source, compiled.network);
  MACAW_ASSIGN(auto file, io::TemporaryFile::create(options.output));
  MACAW_CHECK(named(npu::write_compiled(file.path(), compiled), file, options.output));
  MACAW_CHECK(file.publish(existing(options.force)));
  print_written(options.output);
  return {};
}

int run_compile(const CompileOptions& options) {
  const auto done = compile_graph(options);
  return done ? int{kOk} : report_error(done.error());
}

}  // namespace

void add_compile(Command app, int& exit_code) {
  auto command =
      app.add_subcommand("compile", "Compile a network of integer operators to a command stream (raw .npz as Vela's)");
  auto options = std::make_shared<CompileOptions>();
  command
      .add_option("GRAPH", options->graph,
                  "TOSA graph (.tosa), or TensorFlow Lite network (.tflite) as 'macaw import' takes it")
      .required();
  command.add_option("-a,--accelerator-config", options->accelerator, "accelerator, e.g. ethos-u55-128").required();
  command.add_option("-o,--output", options->output, "file to write (.npz)").required();
  options->memories.add_to(command);
  command
      .add_option("--arena-cache-size", options->arena_cache_size,
                  "size of the fast memory for feature maps beside an arena in slower memory, e.g. 512KiB; 0: leave it "
                  "unused (default: the memory mode's)")
      .bytes();
  command.add_flag("--force", options->force, "overwrite the file");
  command.footer(
      "One operator after the other, for tests, comparisons and small networks: it does not compete with Vela.\n"
      "What the accelerator cannot do is an error that names the operator and the reason.\n"
      "Example: macaw compile net.tosa -a ethos-u55-128 -o net.npz");
  command.callback([options, &exit_code] { exit_code = run_compile(*options); });
}

}  // namespace macaw::app
