#include "models/microbench.hpp"

#include <fmt/format.h>

#include "models/quantized_layers.hpp"

namespace macaw::models {
namespace {

// Number of small operations, chosen so that a step of 1,000 cycles is little beside what the latencies of all of them
// add.
constexpr int kMany = 512;

tosa::Graph finished(QuantizedLayers& net, const Activation& x) {
  net.output(x, "output");
  return net.graph();
}

/// Large matrices of weights, each used once: how fast constants stream in.
tosa::Graph weights() {
  QuantizedLayers net(1);
  auto x = net.input("input", {1, 1, 1, 256});
  for (int i = 0; i < 6; ++i) x = net.fully_connected(x, 256);
  return finished(net, x);
}

/// Many small ones: each waits for its first bytes.
tosa::Graph small_weights() {
  QuantizedLayers net(2);
  auto x = net.input("input", {1, 1, 1, 16});
  for (int i = 0; i < kMany; ++i) x = net.fully_connected(x, 16);
  return finished(net, x);
}

/// Large feature maps with hardly any work on them: the arena is read and written.
tosa::Graph maps() {
  QuantizedLayers net(3);
  auto x = net.input("input", {1, 64, 64, 16});
  for (int i = 0; i < 6; ++i) x = net.max_pool2d(x, {{1, 1}, {1, 1}, {1, 1}, {}});
  return finished(net, x);
}

/// Read, and next to nothing written.
tosa::Graph map_reads() {
  QuantizedLayers net(4);
  const auto x = net.input("input", {1, 128, 64, 16});
  for (int i = 0; i < 3; ++i) net.output(net.max_pool2d(x, {{8, 8}, {8, 8}, {1, 1}, {}}), fmt::format("output_{}", i));
  return net.graph();
}

/// Written, and next to nothing read.
tosa::Graph map_writes() {
  QuantizedLayers net(5);
  const auto x = net.input("input", {1, 64, 64, 1});
  for (int i = 0; i < 2; ++i) net.output(net.conv2d(x, 32, {}), fmt::format("output_{}", i));
  return net.graph();
}

/// A few bytes at a time, as NHWC maps of few channels lie.
tosa::Graph short_accesses() {
  QuantizedLayers net(6);
  const auto x = net.input("input", {1, 64, 64, 4});
  for (int i = 0; i < 6; ++i) net.output(net.slice(x, {0, 0, 0, i % 2}, {1, 64, 64, 3}), fmt::format("output_{}", i));
  return net.graph();
}

/// Small maps, one after the other: each waits for what the one before wrote.
tosa::Graph small_maps() {
  QuantizedLayers net(7);
  auto x = net.input("input", {1, 4, 4, 16});
  for (int i = 0; i < kMany; ++i) x = net.max_pool2d(x, {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}});
  return finished(net, x);
}

/// Elements of four bytes, two maps read and one written: as much as the NPU can move at all.
tosa::Graph wide_maps() {
  GraphBuilder net;
  const Shape shape{1, 32, 32, 16};
  const auto input = net.input("input", DType::kINT32, shape);
  auto x = input;
  for (int i = 0; i < 8; ++i) x = net.add(x, input);
  net.output(x, "output");
  return net.graph();
}

/// A constant map beside an input: feature maps read from where constants lie.
tosa::Graph constant_maps() {
  QuantizedLayers net(8);
  auto x = net.input("input", {1, 64, 32, 16});
  std::vector<double> values(64 * 32 * 16);
  for (auto& value : values) value = static_cast<double>(net.random().between(-64, 64)) / 32;
  const auto constant = net.constant({1, 64, 32, 16}, values);
  for (int i = 0; i < 4; ++i) x = net.add(x, constant);
  return finished(net, x);
}

/// The MAC array at work on what it has; memory hardly matters.
tosa::Graph compute() {
  QuantizedLayers net(9);
  auto x = net.input("input", {1, 32, 32, 16});
  for (int i = 0; i < 4; ++i) x = net.conv2d(x, 16, same_window(net.shape(x), 3, 1));
  return finished(net, x);
}

/// Convolutions of 1x1: the MAC array waits now and then, as weights and maps ask for the same memory.
tosa::Graph pointwise() {
  QuantizedLayers net(10);
  auto x = net.input("input", {1, 16, 8, 64});
  for (int i = 0; i < 16; ++i) x = net.conv2d(x, 64, {});
  return finished(net, x);
}

constexpr Microbench kAll[] = {
    {"weights", "weights, large", weights},
    {"small_weights", "weights, many small ones", small_weights},
    {"maps", "feature maps, read and written", maps},
    {"map_reads", "feature maps, read", map_reads},
    {"map_writes", "feature maps, written", map_writes},
    {"short_accesses", "feature maps, a few bytes at a time", short_accesses},
    {"small_maps", "feature maps, many small ones", small_maps},
    {"wide_maps", "feature maps of four bytes an element", wide_maps},
    {"constant_maps", "constants as a feature map", constant_maps},
    {"compute", "the MAC array", compute},
    {"pointwise", "convolutions of 1x1", pointwise},
};

}  // namespace

std::span<const Microbench> microbenches() { return kAll; }

}  // namespace macaw::models
