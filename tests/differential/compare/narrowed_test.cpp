#include <catch2/catch.hpp>

#include <macaw/tflite/to_tosa.hpp>

#include "compiler/compile.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/tflite_file.hpp"
#include "workflow/compare/comparison.hpp"

using namespace macaw;
using macaw::test::checked;
namespace fb = tflite::schema;

TEST_CASE("the upper bytes of elements of which others read the lower ones are not written in vain") {
  constexpr int kSoftmax = 25;
  test::TfliteFile file;
  const int in = file.input(fb::TensorType::INT8, {1, 3}, {0.25F}, {0});
  const int out = file.tensor(fb::TensorType::INT8, {1, 3}, {1.0F / 256}, {-128});
  fb::SoftmaxOptionsT options;
  options.beta = 1;
  file.op(kSoftmax, {in}, {out}, options).output(out);
  const auto network = checked(tflite::parse_network(file.bytes(), "net.tflite"));
  Tensor input(DType::kINT8, {1, 3});
  input.data<std::int8_t>()[1] = 7;
  for (const char* accelerator : {"ethos-u55-128", "ethos-u85-256"}) {
    // Its compiled form narrows INT32 to INT8 and INT16 where it lies.
    const auto artifact =
        npu::to_artifact(checked(npu::compile(checked(tflite::to_tosa(network)), *npu::find_accelerator(accelerator))));
    compare::Comparison comparison;
    const auto done = compare::add_run(comparison, network, artifact, *artifact.accelerator, "given", {input});
    INFO(accelerator << ": " << (done ? compare::to_text(comparison, false) : done.error().to_string()));
    REQUIRE(done);
    CHECK(comparison.equal());
  }
}
