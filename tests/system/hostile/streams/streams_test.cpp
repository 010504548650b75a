#include <catch2/catch.hpp>

#include <macaw/npu/simulator.hpp>

#include "tests/system/hostile/streams/mutant.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

// Field-aware mutants of the command streams of twenty networks of all three families: every run ends in a result or a
// coded error within its limits, and what the findings look at makes no difference.

using namespace macaw;
using namespace macaw::hostile;

namespace {

constexpr unsigned kDefaultRuns = 60;

unsigned runs_per_seed() {
  const char* text = std::getenv("MACAW_HOSTILE_RUNS");
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : kDefaultRuns;
}

const std::string kU55 = "/ethos-u55-128-Ethos_U55_High_End_Embedded-Shared_Sram-",
                  kU65 = "/ethos-u65-512-Ethos_U65_High_End-Dedicated_Sram-",
                  kU85 = "/ethos-u85-256-Ethos_U85_SYS_DRAM_Mid-Dedicated_Sram-";

std::string raw(const std::string& model, const std::string& configuration) {
  return model + configuration + "raw/" + model + "_vela.npz";
}
std::string tflite(const std::string& model, const std::string& configuration) {
  return model + configuration + "tflite/" + model + "_vela.tflite";
}

/// The bundled network and twenty of the corpus where there is one.
std::vector<std::filesystem::path> seeds() {
  std::vector<std::filesystem::path> files{"traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"};
  const char* root = std::getenv("MACAW_CORPUS");
  const std::filesystem::path corpus = std::filesystem::path(root ? root : "build/corpus") / "npu";
  for (const auto& name : {raw("tosa_chain_conv_table_pad_concat_transpose", kU55),
                           raw("tosa_depthwise_i8_3x3", kU55),
                           raw("tosa_add_i32_bcast", kU55),
                           raw("tosa_table_i16", kU55),
                           raw("tosa_resize_nearest_i8_2x_ac", kU55),
                           raw("tosa_transpose_conv2d_i8_s2", kU55),
                           raw("tosa_avg_pool2d_i8_3x3", kU65),
                           raw("tosa_avg_pool2d_i16_3x3", kU65),
                           tflite("seanet_conv18", kU65),
                           tflite("seanet_conv20", kU65),
                           tflite("seanet_add16", kU65),
                           tflite("tosa_chain_conv_table_pad_concat_transpose", kU85),
                           tflite("tosa_conv2d_i8_5x5_s2_d1", kU85),
                           tflite("tosa_depthwise_i16_3x3", kU85),
                           tflite("tosa_resize_bilinear_i8_2x", kU85),
                           tflite("tosa_table_i8", kU85),
                           tflite("tosa_matmul_i8_bare_i32", kU85),
                           tflite("tosa_scatter_i8", kU85),
                           tflite("tosa_add_i32_bcast", kU85),
                           raw("ref_cond_if_binary__cond_if_binary_0_i16_cond0", kU85)}) {
    if (std::filesystem::exists(corpus / name)) files.push_back(corpus / name);
    else std::cout << "skipped, not there: " << name << "\n";
  }
  return files;
}

std::vector<npu::NamedTensor> random_inputs(const npu::Artifact& artifact, std::mt19937& random) {
  std::vector<npu::NamedTensor> inputs;
  for (const auto& binding : artifact.inputs) {
    const auto dtype = binding.dtype               ? *binding.dtype
                       : binding.element_size == 1 ? DType::kINT8
                       : binding.element_size == 2 ? DType::kINT16
                                                   : DType::kINT32;
    Tensor tensor(dtype, binding.shape);
    for (auto& byte : tensor.bytes()) byte = static_cast<std::byte>(dtype == DType::kBOOL ? random() & 1 : random());
    inputs.push_back({"", std::move(tensor)});
  }
  return inputs;
}

npu::FunctionalOptions limits(std::uint64_t& findings) {
  npu::FunctionalOptions options;
  options.max_work = std::int64_t{1} << 27;  // 200 operations
  options.findings = [&findings](const npu::Finding& finding) { findings += !finding.to_string().empty(); };
  return options;
}

}  // namespace

TEST_CASE("field-aware mutants of command streams") {
  std::mt19937 random(4);
  unsigned total = 0;
  for (const auto& file : seeds()) {
    INFO(file);
    const auto artifact = npu::load_artifact(file);
    REQUIRE(artifact);
    const auto inputs = random_inputs(*artifact, random);
    unsigned ok = 0, faults = 0;
    std::uint64_t findings = 0;
    for (unsigned i = 0; i < runs_per_seed(); ++i, ++total) {
      auto changed = *artifact;
      for (auto& step : changed.steps)
        if (auto* stream = std::get_if<npu::CommandStream>(&step); stream && !stream->words.empty())
          stream->words = mutant(artifact->accelerator->family, stream->words, random);
      const auto result = npu::run_functional(changed, *artifact->accelerator, inputs, limits(findings));
      ++(result ? ok : faults);
      if (!result) REQUIRE_FALSE(result.error().message.empty());
    }
    CHECK(ok > 0);
    CHECK(faults > 0);
    CHECK(findings > 0);
  }
  std::cout << total << " mutants\n";
}
