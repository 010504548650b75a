#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "tests/support/checked.hpp"
#include "workflow/inference/operator_work.hpp"
#include "workflow/inference/predict.hpp"
#include "workflow/inference/price.hpp"

// The time of a whole inference: work of operators, costs of tables, and how parts add up.
using namespace macaw;
using macaw::test::checked;

namespace {

npu::TensorBinding tensor(Shape shape, DType dtype = DType::kINT8) {
  return {
      .name = "t", .shape = std::move(shape), .element_size = unsigned(size_of(dtype)), .dtype = dtype, .memory = 0};
}

npu::HostOperator host(std::string name, std::vector<npu::TensorBinding> inputs,
                       std::vector<npu::TensorBinding> outputs) {
  npu::HostOperator op;
  op.name = std::move(name);
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  return op;
}

npu::Artifact network(std::vector<npu::HostOperator> operators) {
  npu::Artifact artifact;
  artifact.format = npu::Artifact::Format::kVelaTflite;
  artifact.memories = {{.name = "arena", .size = 6400}};
  npu::CommandStream stream;
  stream.regions[1] = {.memory = 0, .offset = 0, .size = 6400};
  artifact.steps.emplace_back(stream);
  for (auto& op : operators) artifact.steps.emplace_back(std::move(op));
  artifact.inputs = {tensor({1, 1000})};
  artifact.outputs = {tensor({1, 500})};
  return artifact;
}

npu::CpuConfig cpu(std::initializer_list<std::string> said) {
  return checked(inference::cpu_of(std::nullopt, std::vector<std::string>(said), ""));
}

const inference::NpuTime kNpu{.ms = 10, .low_ms = 9, .high_ms = 12, .source = "test"};

const npu::InferenceRow& row(const npu::Inference& all, std::string_view kind) {
  const auto found = std::ranges::find(all.rows, kind, &npu::InferenceRow::kind);
  REQUIRE(found != all.rows.end());
  return *found;
}

npu::HostOperator transpose() { return host("TRANSPOSE", {tensor({1, 100, 100, 10})}, {tensor({1, 10, 100, 100})}); }

}  // namespace

TEST_CASE("multiply-accumulates follow from shapes") {
  const auto macs = [](const npu::HostOperator& op) { return inference::macs_of(op); };
  CHECK(macs(host("CONV_2D", {tensor({1, 8, 8, 3}), tensor({16, 3, 3, 3})}, {tensor({1, 8, 8, 16})})) ==
        8 * 8 * 16 * 27);
  CHECK(macs(host("DEPTHWISE_CONV_2D", {tensor({1, 8, 8, 16}), tensor({1, 3, 3, 16})}, {tensor({1, 8, 8, 16})})) ==
        8 * 8 * 16 * 9);
  CHECK(macs(host("FULLY_CONNECTED", {tensor({4, 64}), tensor({10, 64})}, {tensor({4, 10})})) == 4 * 10 * 64);
  CHECK(macs(host("BATCH_MATMUL", {tensor({2, 5, 7}), tensor({2, 7, 9})}, {tensor({2, 5, 9})})) == 2 * 5 * 9 * 7);
  CHECK(macs(host("BATCH_MATMUL", {tensor({2, 7, 5}), tensor({2, 7, 9})}, {tensor({2, 5, 9})})) == 2 * 5 * 9 * 7);
  CHECK(macs(host("TRANSPOSE_CONV", {tensor({4}, DType::kINT32), tensor({6, 2, 2, 3}), tensor({1, 4, 4, 3})},
                  {tensor({1, 8, 8, 6})})) == 4 * 4 * 3 * 6 * 2 * 2);
  CHECK(macs(transpose()) == 0);
  CHECK(macs(host("nonsense", {}, {})) == 0);
  CHECK(macs(host("CONV_2D", {}, {})) == 0);
}

TEST_CASE("shapes, types and names decide the class of an operator") {
  const auto cls = [](const npu::HostOperator& op) { return inference::work_of(op).cls; };
  CHECK(cls(host("CONV_2D", {tensor({1, 8, 8, 3}), tensor({16, 1, 1, 3})}, {tensor({1, 8, 8, 16})})) == "conv_1x1");
  CHECK(cls(host("MUL", {tensor({1, 8}), tensor({1, 8})}, {tensor({1, 8})})) == "mul");
  CHECK(cls(host("MUL", {tensor({1, 8}), tensor({1, 1})}, {tensor({1, 8})})) == "mul_broadcast");
  CHECK(cls(host("QUANTIZE", {tensor({8}, DType::kFP32)}, {tensor({8})})) == "quantize");
  CHECK(cls(host("QUANTIZE", {tensor({8})}, {tensor({8})})) == "requantize");
  CHECK(cls(host("aten::permute_copy.out", {tensor({8, 2})}, {tensor({2, 8})})) == "transpose");
  CHECK(cls(host("cortex_m::quantize_per_tensor.out", {tensor({8}, DType::kFP32)}, {tensor({8})})) == "quantize");
  const auto pool =
      inference::work_of(host("MEAN", {tensor({1, 8, 8, 4}), tensor({2}, DType::kINT32)}, {tensor({1, 4})}));
  CHECK((pool.cls == "mean" && pool.elements == 256 && pool.type == "int8"));
  const auto copy =
      inference::work_of(host("EthosUBackend::copy", {tensor({10}, DType::kFP32)}, {tensor({10}, DType::kFP32)}));
  CHECK((copy.cls == "copy" && copy.elements == 40));
  CHECK(inference::work_of(host("TFLite_Detection_PostProcess", {}, {})).reason ==
        "no cost is known for this operator");
}

TEST_CASE("a name that is not known is an error of the option or of the system's file, whichever has it") {
  npu::CpuConfig system;
  system.core = "cortex-m99";
  const auto of_file = inference::cpu_of(system, {}, "boards/mine.toml");
  REQUIRE_FALSE(of_file);
  CHECK(of_file.error().code == ErrorCode::kInvalidFile);
  CHECK_THAT(of_file.error().message,
             Catch::StartsWith("[cpu] of the system 'boards/mine.toml': core: unknown value 'cortex-m99'"));
  const auto of_option = inference::cpu_of(npu::CpuConfig{}, {"core=cortex-m99"}, "");
  REQUIRE_FALSE(of_option);
  CHECK(of_option.error().code == ErrorCode::kUsage);
  CHECK_THAT(of_option.error().message, Catch::StartsWith("--cpu core: unknown value 'cortex-m99'"));
  system.core = "cortex-m55";
  system.copy_low = 2;
  system.copy_high = 1;
  const auto wrong_range = inference::cpu_of(system, {}, "boards/mine.toml");
  REQUIRE_FALSE(wrong_range);
  CHECK(wrong_range.error().code == ErrorCode::kInvalidFile);
  CHECK_THAT(wrong_range.error().message, Catch::StartsWith("[cpu] of the system 'boards/mine.toml': copy_"));
}

TEST_CASE("every class that an operator has is priced for int8 or float32 by each library of its runtime") {
  const auto tables = checked(inference::built_in_tables());
  const char* classes[] = {
#define MACAW_HOST_OPERATOR(name, cls) cls,
#include "workflow/inference/operators.def"
#undef MACAW_HOST_OPERATOR
  };
  for (const char* cls : classes)
    for (const char* type : {"int8", "float32", "int16", "int32", "bool"})
      for (const char* core : {"cortex-m55", "cortex-m55-nomve", "cortex-m85", "cortex-m4", "cortex-m33", "cortex-m7"})
        for (const char* compiler : {"gcc-O2", "gcc-Os", "gcc-O0", "clang-O2", "armclang-Ofast"})
          for (const char* library : {"cmsis-nn", "tflm-reference", "tflm-reference-2022"}) {
            const inference::OperatorWork work{.cls = cls, .type = type, .elements = 1000, .macs = 5000, .reason = {}};
            const auto price = inference::price_of(tables, work, {core, library, compiler});
            INFO(cls << " " << type << " " << core << " " << library << " " << compiler << ": " << price.source);
            REQUIRE(price.cycles);
            CHECK((price.cycles->low > 0 && price.cycles->low <= price.cycles->typical &&
                   price.cycles->typical <= price.cycles->high));
            CHECK(!price.source.empty());
          }
}

TEST_CASE("a network's time is the sum of its parts") {
  const auto all = checked(inference::predict(
      network({transpose()}),
      cpu({"core=cortex-m55", "clock_hz=100e6", "library=cmsis-nn", "compiler=gcc-O2", "memory=tcm", "cache=whole"}),
      kNpu, {.cpu = {}, .before_ms = 1, .after_ms = 2}));
  double ms = 0;
  for (const auto& part : all.rows) {
    REQUIRE(part.ms);
    CHECK((part.low_ms <= *part.ms && *part.ms <= part.high_ms && !part.source.empty()));
    ms += *part.ms;
  }
  CHECK(all.ms == Approx(ms));
  CHECK((all.low_ms < all.ms - 1 && all.high_ms > all.ms + 2 && !all.lower_bound));
  CHECK((*row(all, "npu").ms == 10 && *row(all, "before").ms == 1 && *row(all, "after").ms == 2));
  // 100,000 elements at some five cycles.
  CHECK((*row(all, "cpu").ms > 4 && *row(all, "cpu").ms < 6.5));
  CHECK(*row(all, "copy_in").ms == Approx(2 * *row(all, "copy_out").ms));
  CHECK(all.notes.empty());
}

TEST_CASE("deviations of one class add up, those of other parts do not") {
  const auto with = [](std::vector<npu::HostOperator> operators) {
    return checked(inference::predict(network(std::move(operators)),
                                      cpu({"core=cortex-m55", "clock_hz=1e6", "library=cmsis-nn", "compiler=gcc-O2",
                                           "memory=tcm", "cache=none", "copies=none", "runtime=none", "driver=none"}),
                                      {.ms = 1, .low_ms = 1, .high_ms = 1, .source = "t"}, {}));
  };
  const auto one = with({transpose()}), two = with({transpose(), transpose()});
  const auto mixed = with({transpose(), host("CONCATENATION", {tensor({300000})}, {tensor({300000})})});
  CHECK(two.high_ms - two.ms == Approx(2 * (one.high_ms - one.ms)));
  CHECK(mixed.high_ms - mixed.ms < 0.99 * [&] {
    double sum = 0;
    for (const auto& part : mixed.rows) sum += part.high_ms - *part.ms;
    return sum;
  }());
}

TEST_CASE("a library that is not stated is a range, and a line names the choice that matters most") {
  const auto known = checked(
      inference::predict(network({transpose()}),
                         cpu({"core=cortex-m55", "clock_hz=400e6", "library=cmsis-nn", "compiler=gcc-O2"}), kNpu, {}));
  const auto open =
      checked(inference::predict(network({transpose()}), cpu({"core=cortex-m55", "clock_hz=400e6"}), kNpu, {}));
  CHECK((row(open, "cpu").low_ms <= row(known, "cpu").low_ms &&
         row(open, "cpu").high_ms > 5 * row(known, "cpu").high_ms));
  REQUIRE(open.notes.size() == 1);
  CHECK_THAT(open.notes[0],
             Catch::StartsWith("TRANSPOSE ") && Catch::Contains("kernel library unknown, give --cpu library=NAME"));
  CHECK(known.notes.empty());
  const auto half = checked(inference::predict(
      network({transpose()}), cpu({"core=cortex-m55", "clock_hz=400e6", "library=cmsis-nn"}), kNpu, {}));
  REQUIRE(half.notes.size() == 1);
  CHECK_THAT(half.notes[0], Catch::Contains("compiler unknown, give --cpu compiler=NAME"));
}

TEST_CASE("without a cost or a CPU the total is a lower bound that says why") {
  const auto unknown = host("TFLite_Detection_PostProcess", {tensor({10})}, {tensor({10})});
  const auto lower =
      checked(inference::predict(network({unknown}), cpu({"core=cortex-m55", "clock_hz=400e6"}), kNpu, {}));
  CHECK(
      (lower.lower_bound && !row(lower, "cpu").ms && row(lower, "cpu").source == "no cost is known for this operator"));
  const auto bare = checked(inference::predict(network({transpose()}), {}, kNpu, {}));
  CHECK((bare.lower_bound && bare.ms == 10 && !row(bare, "cpu").ms));
  CHECK_THAT(bare.notes.at(0), Catch::Contains("--cpu core=NAME,clock_hz=HZ"));
}

TEST_CASE("what would save a part that matters is listed, most first") {
  const auto options =
      cpu({"core=cortex-m55", "clock_hz=20e6", "library=tflm-reference-2022", "compiler=gcc-O2", "memory=sram"});
  const auto all = checked(inference::predict(network({transpose(), transpose()}), options, kNpu, {}));
  REQUIRE(all.savings.size() >= 3);
  for (std::size_t i = 0; i < all.savings.size(); ++i) {
    CHECK((all.savings[i].ms >= 0.03 * all.ms && all.savings[i].ms < all.ms));
    if (i != 0) CHECK(all.savings[i].ms <= all.savings[i - 1].ms);
  }
  const auto has = [&](std::string_view text) {
    return std::ranges::any_of(all.savings,
                               [&](const auto& saving) { return saving.change.find(text) != std::string::npos; });
  };
  CHECK((has("kernel library cmsis-nn") && has(": on the NPU") && !has("kernel library tflm-reference-2022")));
  CHECK(checked(inference::predict(network({}), cpu({"core=cortex-m55", "clock_hz=400e6", "copies=none"}), kNpu, {}))
            .savings.empty());
}

TEST_CASE("float ends are conversions by the application") {
  const auto integer = network({});
  const auto rows =
      checked(inference::predict(
                  integer,
                  cpu({"core=cortex-m55", "clock_hz=400e6", "library=tflm-reference", "compiler=gcc-O2", "ends=float"}),
                  kNpu, {}))
          .rows;
  CHECK(std::ranges::count(rows, "cpu", &npu::InferenceRow::kind) == 2);
}

TEST_CASE("names and values of --cpu are checked") {
  const auto message = [](std::initializer_list<std::string> said) {
    const auto done = inference::cpu_of(std::nullopt, std::vector<std::string>(said), "");
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::kUsage);
    return done.error().message;
  };
  CHECK(message({"core"}) == "--cpu 'core': expected NAME=VALUE, as core=cortex-m55");
  CHECK_THAT(message({"cores=cortex-m55"}),
             Catch::StartsWith("--cpu: 'cores' is not known") && Catch::Contains("core"));
  CHECK_THAT(message({"core=cortex-m56"}),
             Catch::StartsWith("--cpu core: unknown value 'cortex-m56'") && Catch::Contains("cortex-m55"));
  for (const char* wrong :
       {"clock_hz=0", "clock_hz=-1", "clock_hz=nan", "clock_hz=1e13", "clock_hz=x", "core=", "copy_low=1",
        "memory=disk", "cache=all", "copies=some", "ends=double", "driver=all", "runtime=x", "library=x", "compiler=x"})
    CHECK(!message({wrong}).empty());
  CHECK(!message({"copy_low=2", "copy_high=1"}).empty());
  const auto over = checked(inference::cpu_of(cpu({"core=cortex-m4", "clock_hz=1e6"}), {"core=cortex-m55"}, ""));
  CHECK((over.core == "cortex-m55" && over.clock_hz == 1e6));
}
