#include "sim/config/params.hpp"

#include "sim/config/cost.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <set>
#include <string>

using namespace macaw::npu;
using macaw::test::accelerator;

TEST_CASE("every accelerator has a column and every row applies to one of them") {
  for (const auto& row : all_params()) {
    bool applies = false;
    for (const auto& npu : accelerators()) applies = applies || !std::isnan(default_params(npu).*row.member);
    CAPTURE(row.name);
    CHECK(applies);
    CHECK_FALSE(row.unit.empty());
    CHECK_FALSE(row.source.empty());
  }
  for (const auto& npu : accelerators()) {
    CAPTURE(npu.name);
    CHECK(default_params(npu).command_word == 1);
  }
  std::set<std::string_view> names;
  for (const auto& row : all_params()) CHECK(names.insert(row.name).second);
}

TEST_CASE("the accelerators of a family have the same rows") {
  for (const auto& row : all_params())
    for (const auto& a : accelerators())
      for (const auto& b : accelerators())
        if ((a.family == Family::kU85) == (b.family == Family::kU85)) {
          CAPTURE(a.name, b.name, row.name);
          CHECK(std::isnan(default_params(a).*row.member) == std::isnan(default_params(b).*row.member));
        }
}

TEST_CASE("a parameter is read and replaced by name") {
  auto params = default_params(accelerator("ethos-u65-512"));
  CHECK(params.get("ao_default") == .125);
  CHECK(params.set("ao_default", .5));
  CHECK(params.ao_default == .5);
  CHECK_FALSE(params.get("ao_defaul"));
  CHECK(params.set("ao_defaul", 1).error().code == macaw::ErrorCode::kUsage);
  CHECK_FALSE(params.set("ao_default", -1));
  CHECK_FALSE(params.set("ao_default", std::numeric_limits<double>::quiet_NaN()));
  CHECK(params.ao_default == .5);
}

TEST_CASE("decoding a weight block takes 4 cycles for each channel of the micro-block") {
  const auto& small = accelerator("ethos-u55-32");
  const auto& large = accelerator("ethos-u55-256");
  CHECK(weight_block_decode_cycles(small, default_params(small)) == 16);
  CHECK(weight_block_decode_cycles(large, default_params(large)) == 32);
}

TEST_CASE("the output unit's class follows the operation") {
  BlockOperation op;
  CHECK(output_class(op) == OutputClass::kDefault);
  op.acc_format = AccFormat::kI40;
  CHECK(output_class(op) == OutputClass::kMulOrAcc40);
  op.kind = OpKind::kPool;
  CHECK(output_class(op) == OutputClass::kMaxPool);
  op.kind = OpKind::kElementwise;
  op.elementwise = ElementwiseMode::kMul;
  CHECK(output_class(op) == OutputClass::kMulOrAcc40);
  op.ofm.bits = 32;
  CHECK(output_class(op) == OutputClass::kMul32);
  op.elementwise = ElementwiseMode::kAdd;
  CHECK(output_class(op) == OutputClass::kAddSubSimple);
  op.operand_scaling = OperandScaling::kOpb32;
  CHECK(output_class(op) == OutputClass::kAddSubAdvanced);
  op.ifm.bits = 32;
  CHECK(output_class(op) == OutputClass::kElementwise32Binary);
  op.elementwise = ElementwiseMode::kClz;
  CHECK(output_class(op) == OutputClass::kElementwise32Unary);

  const auto& u85 = accelerator("ethos-u85-1024");
  BlockOperation op85;
  op85.family = Family::kU85;
  const auto cycles = [&] { return output_cycles_per_element(op85, default_params(u85)); };
  CHECK(cycles() == .0625);
  op85.transpose = 1;
  CHECK(cycles() == .125);
  op85.transpose = 0;
  op85.ofm.bits = 32;
  CHECK(cycles() == .25);
  op85.kind = OpKind::kElementwise;
  op85.ifm.bits = 32;
  op85.ofm.bits = 16;
  CHECK(cycles() == .125);
  op85.elementwise = ElementwiseMode::kDiv;
  CHECK(cycles() == 33);

  const auto& npu = accelerator("ethos-u55-256");
  BlockOperation conv;
  CHECK(output_cycles_per_element(conv, default_params(npu)) == .25);
  conv.activation.function = ActivationFunction::kTable;
  CHECK(output_cycles_per_element(conv, default_params(npu)) == 1);
}
