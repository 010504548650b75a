#include <catch2/catch.hpp>

#include <macaw/npu/simulator.hpp>
#include <macaw/npu/write_artifact.hpp>

#include "compiler/compile.hpp"
#include "compiler/passes.hpp"
#include "models/models.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <set>

using namespace macaw;
using namespace macaw::npu;

namespace {

constexpr const char* kAccelerators[] = {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"};

Compiled compile_fast(const tosa::Graph& graph, std::string_view accelerator, std::uint64_t fast_memory) {
  auto result = compile(graph, *find_accelerator(accelerator), {.fast_memory = fast_memory});
  if (!result) FAIL(result.error().to_string());
  return *result;
}

std::vector<Tensor> run_outputs(const Artifact& artifact, const std::vector<Tensor>& inputs) {
  std::vector<NamedTensor> named;
  for (const auto& t : inputs) named.push_back({"", t});
  auto run = run_functional(artifact, *artifact.accelerator, named);
  if (!run) FAIL(run.error().to_string());
  return run->outputs;
}

/// The storages whose contents outlive a run or come from outside.
std::set<int> kept(const Network& network) {
  std::set<int> all;
  for (const auto* list : {&network.inputs, &network.outputs, &network.variables})
    for (const int t : *list) all.insert(network.tensors[static_cast<std::size_t>(t)].storage);
  return all;
}

std::size_t count_fast(const Network& network) {
  return static_cast<std::size_t>(std::ranges::count(network.storages, true, &NetworkStorage::fast));
}

/// Checks that storages are within their memory and do not overlap while they live.
void check_places(const Network& network, std::uint64_t fast_memory) {
  CHECK(network.fast_size <= fast_memory);
  const auto external = kept(network);
  const auto& s = network.storages;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i].constant || s[i].first_layer > s[i].last_layer) continue;
    INFO(s[i].name);
    CHECK(s[i].address % 16 == 0);
    CHECK(s[i].address + s[i].size <= (s[i].fast ? network.fast_size : network.arena_size));
    if (external.contains(static_cast<int>(i))) CHECK_FALSE(s[i].fast);
    for (std::size_t k = 0; k < i; ++k) {
      if (s[k].region() != s[i].region()) continue;
      if (s[i].first_layer > s[k].last_layer || s[k].first_layer > s[i].last_layer) continue;
      CHECK((s[i].address + s[i].size <= s[k].address || s[k].address + s[k].size <= s[i].address));
    }
  }
}

/// A network of one pixel per map: each step reads one map and writes the next.
struct Chain {
  Network network;

  int map(std::uint64_t size) {
    auto& storage = network.storages.emplace_back();
    storage.size = size;
    storage.first_layer = 1 << 20;
    return static_cast<int>(network.storages.size()) - 1;
  }
  void step(int from, int to) {
    Layer layer;
    for (auto [operand, map, s] :
         {std::tuple{&layer.ifm, &layer.block.ifm, from}, {&layer.ofm, &layer.block.ofm, to}}) {
      auto& storage = network.storages[static_cast<std::size_t>(s)];
      operand->storage = s;
      operand->plain = true;
      map->h = map->w = 1;
      map->c = static_cast<int>(storage.size);
      storage.first_layer = std::min(storage.first_layer, static_cast<int>(network.steps.size()));
      storage.last_layer = static_cast<int>(network.steps.size());
    }
    network.steps.emplace_back(std::move(layer));
  }
};

}  // namespace

TEST_CASE("maps lie in the fast scratch as far as it reaches, and results stay the same") {
  for (const auto* name : {"tiny_cnn", "kws_streaming", "ds_cnn"}) {
    const auto graph = (*models::find(name))->build({.tiny = true, .form = ""});
    const auto inputs = models::sample_inputs(graph, 7).value();
    for (const auto* accelerator : kAccelerators) {
      INFO(name << " on " << accelerator);
      const auto without = compile_fast(graph, accelerator, 0);
      CHECK(count_fast(without.network) == 0);
      CHECK(without.network.fast_size == 0);
      CHECK(to_artifact(without).memories.size() == 2);
      const auto expected = run_outputs(to_artifact(without), inputs);
      std::uint64_t largest = 0;
      for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{15}, std::uint64_t{16}, std::uint64_t{100},
                                       std::uint64_t{1000}, std::uint64_t{8192}, UINT64_MAX}) {
        INFO(size << " bytes of fast memory");
        const auto with = compile_fast(graph, accelerator, size);
        check_places(with.network, size);
        if (size < 16) CHECK(with.network.fast_size == 0);
        CHECK(run_outputs(to_artifact(with), inputs) == expected);
        largest = std::max(largest, with.network.fast_size);
      }
      CHECK(largest > 0);
      const auto all = compile_fast(graph, accelerator, UINT64_MAX);
      const auto external = kept(all.network);
      for (std::size_t i = 0; i < all.network.storages.size(); ++i) {
        const auto& s = all.network.storages[i];
        if (!s.constant && s.first_layer <= s.last_layer) CHECK(s.fast != external.contains(static_cast<int>(i)));
      }
    }
  }
}

TEST_CASE("files state the fast scratch, and run as the network in memory does") {
  const auto graph = models::tiny_cnn();
  const auto inputs = models::sample_inputs(graph, 3).value();
  for (const auto* accelerator : kAccelerators) {
    INFO(accelerator);
    const auto c = compile_fast(graph, accelerator, 4096);
    REQUIRE(c.network.fast_size > 0);
    const auto expected = run_outputs(to_artifact(compile_fast(graph, accelerator, 0)), inputs);
    const test::TemporaryFolder folder;
    REQUIRE(write_compiled(folder / "net.npz", c));
    const auto npz = load_artifact(folder / "net.npz").value();
    const auto tflite = parse_artifact(to_vela_tflite(to_artifact(c)).value(), "net.tflite").value();
    for (const auto* artifact : {&npz, &tflite}) {
      const auto region = std::get<CommandStream>(artifact->steps.at(0)).regions.at(kFastRegion);
      REQUIRE(region.memory >= 0);
      const auto& memory = artifact->memories.at(static_cast<std::size_t>(region.memory));
      CHECK(memory.name == "scratch_fast");
      CHECK(memory.size == c.network.fast_size);
      CHECK(run_outputs(*artifact, inputs) == expected);
    }
  }
}

TEST_CASE("of maps that do not fit together the one with more traffic for its size and lifetime is fast") {
  Chain chain;
  const int in = chain.map(64), often = chain.map(4096), rarely = chain.map(4096), out = chain.map(64);
  chain.step(in, often);
  chain.step(in, rarely);
  for (int i = 0; i < 5; ++i) chain.step(often, out);
  chain.step(rarely, out);
  const auto& s = chain.network.storages;
  place_in_fast_scratch(chain.network, 4096);
  CHECK(s[std::size_t(often)].fast);
  CHECK_FALSE(s[std::size_t(rarely)].fast);
  CHECK(chain.network.fast_size == 4096);
}

TEST_CASE("maps that live one after the other share fast memory, and one that is larger is left out") {
  Chain chain;
  std::vector<int> maps;
  for (const std::uint64_t size : {512, 512, 512, 2048, 512, 512}) maps.push_back(chain.map(size));
  for (std::size_t i = 1; i < maps.size(); ++i) chain.step(maps[i - 1], maps[i]);
  place_in_fast_scratch(chain.network, 1024);
  for (const auto& s : chain.network.storages) CHECK(s.fast == (s.size <= 1024));
  CHECK(chain.network.fast_size == 1024);
}
