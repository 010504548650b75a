#include <chrono>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <macaw/temporary_file.hpp>
#include <macaw/tosa/interpreter.hpp>
#include <macaw/tosa/view_graph.hpp>

#include "base/mapped_file.hpp"
#include "models/models.hpp"
#include "tests/tools/bench/corpus.hpp"
#include "tests/tools/bench/tosa/measure.hpp"

// How many times faster two threads are than one, by the clock. load_and_run: from the file to the outputs, for a graph
// that was never run; run_again: a graph that stays loaded. The calls are of both numbers of threads in turn; the least
// time of each counts, for other work on the machine only adds to it.

namespace macaw::bench {
namespace {

/// A graph as a file, and inputs for it.
struct File {
  std::filesystem::path path;
  std::vector<Tensor> inputs;
  std::optional<io::TemporaryFile> written;  ///< if the program made the file itself
};

Result<File> bundled_network(const std::string& name) {
  MACAW_ASSIGN(const auto* model, models::find(name));
  const auto graph = model->build({});
  MACAW_ASSIGN(const auto bytes, tosa::write_graph(graph, graph.version));
  File file;
  MACAW_ASSIGN(auto written, io::TemporaryFile::create(std::filesystem::temp_directory_path() / (name + ".tosa")));
  MACAW_CHECK(written.write(bytes));
  file.path = written.path();
  file.written.emplace(std::move(written));
  MACAW_ASSIGN(file.inputs, models::sample_inputs(graph, 1));
  return file;
}

Result<File> corpus_graph(const std::string& name) {
  const auto folder = corpus("tosa_perf/" + name);
  if (folder.empty()) return fail(ErrorCode::kIo, "no corpus: set MACAW_CORPUS");
  File file;
  file.path = folder / "test.tosa";
  MACAW_ASSIGN(const auto graph, tosa::load_graph(file.path));
  file.inputs = random_inputs(graph);
  return file;
}

double seconds(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Times of run(0) on one thread and run(1) on two.
void compare(benchmark::State& state, const std::function<Result<tosa::RunResult>(int, std::vector<Tensor>)>& run,
             const std::vector<Tensor>& inputs) {
  std::array<double, 2> least{1e9, 1e9};
  for (auto _ : state) {
    double both = 0;
    for (int i = 0; i < 2; ++i) {
      Result<tosa::RunResult> result;
      auto given = inputs;
      const auto time = seconds([&] { result = run(i, std::move(given)); });
      if (!result || result->outputs.empty()) return state.SkipWithError("the graph does not run");
      auto& best = least[static_cast<std::size_t>(i)];
      best = std::min(best, time);
      both += time;
    }
    state.SetIterationTime(both);
  }
  state.counters["one_ms"] = 1e3 * least[0];
  state.counters["two_ms"] = 1e3 * least[1];
  state.counters["times_faster"] = least[0] / least[1];
}

tosa::Options on_threads(int threads) {
  tosa::Options options;
  options.threads = threads;
  return options;
}

void load_and_run(benchmark::State& state, const File& file) {
  compare(
      state,
      [&](int i, std::vector<Tensor> inputs) -> Result<tosa::RunResult> {
        const auto options = on_threads(i + 1);
        MACAW_ASSIGN(const auto contents, io::map_file(file.path));
        MACAW_ASSIGN(const auto graph,
                     tosa::view_graph(contents.bytes, contents.owner, file.path.string(), options.threads));
        return tosa::run(graph, std::move(inputs), options);
      },
      file.inputs);
}

void run_again(benchmark::State& state, const File& file) {
  auto graph = tosa::load_graph(file.path);
  if (!graph) return state.SkipWithError(graph.error().to_string().c_str());
  tosa::Interpreter one(*graph, on_threads(1)), two(std::move(*graph), on_threads(2));
  compare(
      state, [&](int i, std::vector<Tensor> inputs) { return (i == 0 ? one : two).run(std::move(inputs)); },
      file.inputs);
}

using Measure = void (*)(benchmark::State&, const File&);
using MakeFile = Result<File> (*)(const std::string&);

const bool registered = [] {
  constexpr int kRuns = 30;
  constexpr std::pair<const char*, MakeFile> kGraphs[] = {{"resnet50", bundled_network},
                                                          {"llama_block", bundled_network},
                                                          {"mobilenet_v2", bundled_network},
                                                          {"conv2d_f32_1x56x56x64_64_3x3", corpus_graph},
                                                          {"conv2d_i8_1x112x112x32_64_3x3", corpus_graph},
                                                          {"depthwise_i8_1x112x112x96_3x3", corpus_graph},
                                                          {"matmul_i8_1x512x512x512", corpus_graph}};
  constexpr std::pair<const char*, Measure> kKinds[] = {{"load_and_run", load_and_run}, {"run_again", run_again}};
  for (const auto& [graph, make] : kGraphs)
    for (const auto& [kind, measure] : kKinds)
      benchmark::RegisterBenchmark(
          (std::string("threads/") + graph + "/" + kind).c_str(),
          [graph = std::string(graph), make = make, measure = measure](benchmark::State& state) {
            const auto file = make(graph);
            if (!file) return state.SkipWithError(file.error().to_string().c_str());
            measure(state, *file);
          })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond)
          ->Iterations(kRuns);
  return true;
}();

}  // namespace
}  // namespace macaw::bench
