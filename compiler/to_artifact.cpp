#include "compiler/compile.hpp"

namespace macaw::npu {

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
  return artifact;
}

}  // namespace macaw::npu
