#include "compiler/compile.hpp"

#include <algorithm>

namespace macaw::npu {

std::vector<std::uint8_t> initial_arena(const Network& network) {
  std::vector<std::uint8_t> bytes;
  for (const int i : network.variables) {
    const auto& storage =
        network.storages[static_cast<std::size_t>(network.tensors[static_cast<std::size_t>(i)].storage)];
    if (std::ranges::all_of(storage.contents, [](std::uint8_t b) { return b == 0; })) continue;
    bytes.resize(std::max<std::size_t>(bytes.size(), storage.address + storage.contents.size()));
    std::ranges::copy(storage.contents, bytes.begin() + static_cast<std::ptrdiff_t>(storage.address));
  }
  return bytes;
}

Artifact to_artifact(const Compiled& compiled) {
  const auto& network = compiled.network;
  Artifact artifact;
  artifact.accelerator = network.accelerator;
  artifact.memories = {{"constants", network.constants.size(), network.constants, true},
                       {"arena", network.arena_size, {}, false}};
  CommandStream stream;
  stream.name = "network";
  stream.words = compiled.words;
  stream.config_word = network.accelerator->config_word;
  stream.id_word = traits(network.accelerator->family).architecture_id;
  stream.regions[kConstantRegion] = {0, 0, network.constants.size()};
  stream.regions[kArenaRegion] = {1, 0, network.arena_size};
  if (network.fast_size > 0) {
    stream.regions[kFastRegion] = {static_cast<int>(artifact.memories.size()), 0, network.fast_size};
    artifact.memories.push_back({"scratch_fast", network.fast_size, {}, false});
  }
  artifact.steps.emplace_back(std::move(stream));
  const auto bind = [&](const std::vector<int>& tensors, std::vector<TensorBinding>& bindings) {
    for (const int i : tensors) {
      const auto& t = network.tensors[static_cast<std::size_t>(i)];
      bindings.push_back({t.name, t.shape, static_cast<unsigned>(size_of(t.dtype)), t.dtype, 1,
                          network.storages[static_cast<std::size_t>(t.storage)].address});
    }
  };
  bind(network.inputs, artifact.inputs);
  bind(network.outputs, artifact.outputs);
  bind(network.variables, artifact.variables);
  artifact.memories[1].initial = initial_arena(network);
  return artifact;
}

}  // namespace macaw::npu
