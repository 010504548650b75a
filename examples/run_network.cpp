// run_network ARTIFACT INPUT.npy OUTPUT.npy: runs a compiled network of one input on the timed model, prints its
// counters and writes its first output.
#include <macaw/npu/run.hpp>
#include <macaw/npy.hpp>

#include <iostream>

namespace {

macaw::Result<void> run(const char* artifact_file, const char* input_file, const char* output_file) {
  MACAW_ASSIGN(const auto artifact, macaw::npu::load_artifact(artifact_file));
  MACAW_ASSIGN(auto input, macaw::read_tensor(input_file));
  const macaw::npu::NamedTensor inputs[] = {{"", std::move(input)}};
  if (!artifact.accelerator)
    return macaw::fail(macaw::ErrorCode::kUsage, "the artifact does not say its accelerator", {.file = artifact_file});
  MACAW_ASSIGN(const auto result,
               macaw::npu::execute({.artifact = artifact, .accelerator = *artifact.accelerator, .inputs = inputs}));
  std::cout << artifact.accelerator->name << ", " << result.system << ": " << result.cycles << " cycles\n";
  for (const auto& [event, count] : result.pmu.counts) std::cout << event << " " << count << "\n";
  return macaw::write_tensor(output_file, result.values.outputs.at(0));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::cerr << "usage: run_network ARTIFACT INPUT.npy OUTPUT.npy\n", 2;
  if (const auto done = run(argv[1], argv[2], argv[3]); !done)
    return std::cerr << "run_network: " << done.error().to_string() << "\n", 1;
}
