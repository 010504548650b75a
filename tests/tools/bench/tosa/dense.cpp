#include <cstring>
#include <memory>

#include "tests/tools/bench/corpus.hpp"
#include "tests/tools/bench/tosa/measure.hpp"
#include "tests/tools/bench/tosa/moving.hpp"
#include "tests/tools/bench/tosa/onednn.hpp"

// Graphs of one dense operator each, four of the corpus, on one thread: against oneDNN (vs_onednn: its time
// over ours) or memcpy (vs_memcpy: our time over its).

namespace macaw::bench {
namespace {

bool load(benchmark::State& state, const std::string& name, Subject& subject) {
  const auto folder = corpus("tosa_perf/" + name);
  if (folder.empty()) {
    state.SkipWithError("no corpus: set MACAW_CORPUS");
    return false;
  }
  auto graph = tosa::load_graph(folder / "test.tosa");
  if (!graph) {
    state.SkipWithError(graph.error().to_string().c_str());
    return false;
  }
  subject.graph = std::move(*graph);
  subject.inputs = random_inputs(subject.graph);
  return true;
}

void against_onednn(benchmark::State& state, Subject subject, double macs, std::function<void()> onednn) {
  subject.yardstick = std::move(onednn);
  if (!subject.yardstick) state.SetLabel("not compared: built without libdnnl-dev");
  const auto [ours, theirs] = measure(state, subject);
  report(state, macs);
  if (subject.yardstick) state.counters["vs_onednn"] = theirs / ours;
}

void conv2d_int8(benchmark::State& state) {
  Subject subject;
  if (load(state, "conv2d_i8_1x112x112x32_64_3x3", subject))
    against_onednn(state, std::move(subject), 112. * 112 * 64 * 32 * 9, onednn_convolution({112, 32, 64, 3, false}));
}
void conv2d_fp32(benchmark::State& state) {
  Subject subject;
  if (load(state, "conv2d_f32_1x56x56x64_64_3x3", subject))
    against_onednn(state, std::move(subject), 56. * 56 * 64 * 64 * 9, onednn_convolution({56, 64, 64, 3, true}));
}
void matmul_int8(benchmark::State& state) {
  Subject subject;
  if (load(state, "matmul_i8_1x512x512x512", subject))
    against_onednn(state, std::move(subject), 512. * 512 * 512, onednn_matmul(512, 512, 512, false));
}
/// As large as that of int8, of which there is no graph in the corpus.
void matmul_fp32(benchmark::State& state) {
  const Values operand{.dtype = DType::kFP32, .shape = {1, 512, 512}};
  const Case product{.name = {},
                     .op = tosa::Op::kMATMUL,
                     .inputs = {operand, operand},
                     .constants = {zero_of(DType::kFP32), zero_of(DType::kFP32)},
                     .out = DType::kFP32,
                     .out_shape = operand.shape};
  against_onednn(state, subject_of(product), 512. * 512 * 512, onednn_matmul(512, 512, 512, true));
}
void depthwise_int8(benchmark::State& state) {
  Subject subject;
  if (!load(state, "depthwise_i8_1x112x112x96_3x3", subject)) return;
  const std::size_t elements = 112 * 112 * 96, bytes = elements + 4 * elements;
  const auto from = std::make_shared<std::vector<std::byte>>(bytes),
             to = std::make_shared<std::vector<std::byte>>(bytes);
  subject.yardstick = [=] {
    std::memcpy(to->data(), from->data(), bytes);
    benchmark::DoNotOptimize(to->data());
    benchmark::ClobberMemory();
  };
  const auto [ours, copy] = measure(state, subject);
  report(state, static_cast<double>(elements) * 9);
  state.counters["vs_memcpy"] = ours / copy;
}

BENCHMARK(conv2d_int8)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(matmul_int8)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(matmul_fp32)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(conv2d_fp32)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(depthwise_int8)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace macaw::bench
