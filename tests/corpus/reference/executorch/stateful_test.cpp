#include <macaw/npu/simulator.hpp>
#include <macaw/tflite/host_operators.hpp>

#include "tests/support/corpus.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace macaw;
using namespace macaw::npu;
namespace fs = std::filesystem;

TEST_CASE("a network with variables starts from zero and carries them on") {
  if (!macaw::test::in_corpus("npu/keyword_scrambled_8bit")) return;
  const auto artifact = load_artifact(macaw::test::corpus("npu/keyword_scrambled_8bit") /
                                      "ethos-u55-128-Ethos_U55_High_End_Embedded-Shared_Sram-tflite-legacy" /
                                      "keyword_scrambled_8bit_vela.tflite");
  REQUIRE(artifact);
  REQUIRE(artifact->variables.size() == 7);
  Tensor input(DType::kINT16, artifact->inputs.at(0).shape);
  std::int16_t value = 0;
  std::ranges::generate(input.data<std::int16_t>(),
                        [&] { return value = static_cast<std::int16_t>(value * 31 + 4097); });
  const std::vector<NamedTensor> inputs = {{"", input}};

  FunctionalOptions options;
  options.host = &tflite::host_operators();
  const auto first = run_functional(*artifact, *artifact->accelerator, inputs, options);
  REQUIRE(first);
  CHECK(first->host_operations == 9);
  const auto again = run_functional(*artifact, *artifact->accelerator, inputs, options);
  REQUIRE(again);
  CHECK(again->variables == first->variables);

  for (const auto& tensor : first->variables) options.variables.push_back({"", tensor});
  const auto second = run_functional(*artifact, *artifact->accelerator, inputs, options);
  REQUIRE(second);
  // The first layer sees the same input, so its newest entry is the same, and the last one has moved by a place.
  const auto& before = first->variables[0];
  const auto& after = second->variables[0];
  CHECK(before != after);
  const auto old_bytes = before.bytes(), new_bytes = after.bytes();
  CHECK(std::ranges::any_of(old_bytes, [](auto b) { return b != std::byte{0}; }));
  const std::size_t element = size_of(before.dtype());
  const auto newest = old_bytes.last(element);
  CHECK(std::ranges::equal(new_bytes.last(element), newest));
  CHECK(std::ranges::equal(new_bytes.last(2 * element).first(element), newest));
}
