#include <cstring>
#include <memory>
#include <random>

#include "tests/bench/corpus.hpp"
#include "tests/bench/tosa/measure.hpp"
#include "tests/bench/tosa/onednn.hpp"

// The four larger graphs of the corpus, one dense operator each, on one thread: against oneDNN (vs_onednn: its time
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
  std::mt19937 random(1);
  std::uniform_real_distribution<float> real(-1, 1);
  for (const auto id : subject.graph.main().inputs) {
    const auto& value = subject.graph.main().values[id];
    Tensor tensor(value.dtype, *value.shape);
    if (value.dtype == DType::kFP32)
      for (auto& element : tensor.data<float>()) element = real(random);
    else
      for (auto& byte : tensor.bytes()) byte = static_cast<std::byte>(random());
    subject.inputs.push_back(std::move(tensor));
  }
  return true;
}

void against_onednn(benchmark::State& state, const std::string& name, double macs,
                    const std::function<std::function<void()>()>& make) {
  Subject subject;
  if (!load(state, name, subject)) return;
  subject.yardstick = make();
  if (!subject.yardstick) state.SetLabel("not compared: built without libdnnl-dev");
  const auto [ours, theirs] = measure(state, subject);
  report(state, macs);
  if (subject.yardstick) state.counters["vs_onednn"] = theirs / ours;
}

void conv2d_int8(benchmark::State& state) {
  against_onednn(state, "conv2d_i8_1x112x112x32_64_3x3", 112. * 112 * 64 * 32 * 9, [] {
    return onednn_convolution({112, 32, 64, 3, false});
  });
}
void conv2d_fp32(benchmark::State& state) {
  against_onednn(state, "conv2d_f32_1x56x56x64_64_3x3", 56. * 56 * 64 * 64 * 9, [] {
    return onednn_convolution({56, 64, 64, 3, true});
  });
}
void matmul_int8(benchmark::State& state) {
  against_onednn(state, "matmul_i8_1x512x512x512", 512. * 512 * 512, [] { return onednn_matmul(512, 512, 512); });
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
BENCHMARK(conv2d_fp32)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(depthwise_int8)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace macaw::bench
