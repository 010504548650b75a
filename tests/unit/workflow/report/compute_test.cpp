#include "workflow/report/compute.hpp"
#include "workflow/report/forms/forms.hpp"
#include "workflow/report/inference.hpp"
#include "workflow/report/strip.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

// Report of compute, weights and memories, from runs that are written out here.
using namespace macaw;

namespace {

/// A run of one operation with its details, on 128 MACs per cycle.
npu::RunRecord run_of(const std::string& name, const npu::OperationDetails& details, std::uint64_t macs) {
  npu::RunRecord run;
  run.network = "net";
  run.accelerator = npu::find_accelerator("ethos-u55-128");
  run.clock_hz = 500e6;
  run.cycles = 1000;
  run.region_side = {1, 0, 0, 0, 0, 0, 0, 0};
  npu::OperationTiming o;
  o.name = name;
  o.command = 7;
  o.end = 1000;
  o.macs = macs;
  o.busy = {{"mac", 600}, {"weight_decoder", 50}};
  o.bound = "mac";
  o.exclusive = {1000, 0};
  o.details = details;
  run.operations = {o};
  return run;
}

npu::OperationDetails depthwise() {
  npu::OperationDetails d;
  d.ifm = d.ofm = {16, 16, 10};
  d.kernel = {3, 3};
  d.stride = {2, 2};
  d.block = {16, 16, 16};
  d.ublock = {1, 2, 8};
  d.granule = 8;
  d.mac_cycles = 500;
  d.lanes = npu::LaneShares{0.625, 1, 1, 1, 0.09375};
  d.output_cycles = 1.5;
  d.output_rule = "ao_addsub_advanced";
  return d;
}

}  // namespace

TEST_CASE("an operation is named by its registers") {
  npu::OperationTiming o;
  o.name = "NPU_OP_CONV";
  CHECK(report::operation_label(o) == "CONV");
  auto& d = o.details.emplace();
  d.ifm = {96, 96, 32};
  d.ofm = {48, 48, 64};
  d.kernel = {3, 3};
  d.stride = {2, 2};
  CHECK(report::operation_label(o) == "CONV 3x3/2, 96x96x32 -> 48x48x64");
  d.stride = {2, 1};
  d.dilation = {2, 2};
  d.ifm_bits = 16;
  CHECK(report::operation_label(o) == "CONV 3x3/2x1 dilated 2, 96x96x32 -> 48x48x64, 16 -> 8 bits");
  o.name = "NPU_OP_ELEMENTWISE";
  d = {};
  d.mode = "ADD";
  d.ifm = d.ofm = {8, 8, 16};
  d.ifm2 = std::array{1, 1, 16};
  CHECK(report::operation_label(o) == "ELEMENTWISE ADD, 8x8x16 and 1x1x16");
}

TEST_CASE(
    "a layer without a source is named by its registers and its command, with the stream where there are several") {
  auto run = run_of("NPU_OP_DEPTHWISE", depthwise(), 6000);
  CHECK(report::summarise(run).layers.at(0).name == "DEPTHWISE 3x3/2, 16x16x10 (command 7)");
  CHECK(report::summarise(run).layers.at(0).shape == std::array{16, 16, 10});
  auto second = run.operations[0];
  second.step = 1;
  run.operations.push_back(second);
  CHECK(report::summarise(run).layers.at(1).name == "DEPTHWISE 3x3/2, 16x16x10 (stream 1 command 7)");
}

TEST_CASE("lost lanes have their reasons, and what would change them") {
  const auto run = run_of("NPU_OP_DEPTHWISE", depthwise(), 6000);
  const auto summary = report::summarise(run);
  const auto notes = report::compute_notes(run, summary.layers[0]);
  CHECK(notes.lanes.value() == Approx(6000.0 / (500 * 128)));
  REQUIRE(notes.why.size() == 2);
  CHECK(notes.why[0] == "10 output channels are padded to 16");
  CHECK(notes.why[1] == "a depthwise kernel of 3x3 uses one input channel for each output channel");
  CHECK(notes.change[0] == "output channels in multiples of 8: 16 take the same MAC cycles");
  CHECK_THAT(notes.output, Catch::StartsWith("1.5 cycles for an element (ao_addsub_advanced: "));
  CHECK(std::ranges::count(notes.change, "operands of the same scale: 1 cycles for an element") == 1);
  CHECK_THAT(report::compute_sentences(run, summary).at(0), Catch::Contains("9.4 % of the MAC lanes"));
  CHECK(report::compute_sentences(run, summary, 0).empty());
}

TEST_CASE("input channels, positions, wide maps and groups of taps are reasons where they cost a twentieth") {
  auto d = depthwise();
  d.ofm = {5, 7, 16};
  d.ifm = {5, 7, 24};
  d.lanes = npu::LaneShares{1, 0.875, 0.75, 0.5, 0.75};
  d.ifm_bits = 16;
  auto run = run_of("NPU_OP_CONV", d, 6000);
  auto why = report::compute_notes(run, report::summarise(run).layers[0]).why;
  CHECK(why == std::vector<std::string>{"a result of 5x7 is padded to micro-blocks of 1x2",
                                        "24 input channels are padded to 32", "feature maps of 16 bits",
                                        "9 taps of the kernel fill 75 % of the groups that taps are multiplied in"});
  d.lanes = npu::LaneShares{0.96, 0.96, 0.96, 1, 0.96};
  run = run_of("NPU_OP_CONV", d, 6000);
  CHECK(report::compute_notes(run, report::summarise(run).layers[0]).why.empty());
}

TEST_CASE("a weight stream that several operations read counts once, and is decoded each time") {
  auto d = depthwise();
  d.weights = npu::WeightFigures{96, 90, 9, 0xABCD};
  auto run = run_of("NPU_OP_DEPTHWISE", d, 6000);
  run.operations[0].source = "'a'";
  run.operations.push_back(run.operations[0]);
  run.operations.push_back(run.operations[0]);
  run.operations[2].details->weights = npu::WeightFigures{32, 10, 1, 0xEF};
  const auto layer = report::summarise(run).layers.at(0);
  REQUIRE(layer.weights);
  CHECK((layer.weights->encoded == 128 && layer.weights->count == 100 && layer.weights->zeros == 10));
  CHECK(layer.decoded == 190);
  CHECK(report::decode_rate(layer) == Approx(190.0 / 150));
  CHECK(report::weight_ratio(*layer.weights) == Approx(100.0 / 128));
  CHECK(report::weight_ratio({}) == 0);
  const auto csv = report::render_csv(run, report::summarise(run));
  CHECK_THAT(csv, Catch::Contains(",100,128,"));  // total_original_weights, total_npu_encoded_weights
}

TEST_CASE("whether a memory can help follows from the memories that were simulated again") {
  auto run = run_of("NPU_OP_DEPTHWISE", depthwise(), 6000);
  CHECK(report::memory_verdict(run).empty());
  run.advice = {{"compute", "output unit at no cost per element", "x", 100}};
  CHECK(report::memory_verdict(run) ==
        "memory cannot help: no change of a memory that was simulated again saves 0.05 % of the cycles");
  run.advice->push_back({"memory", "axi0 without latency", "x", 981});
  CHECK(report::memory_verdict(run) ==
        "memory can hardly help: the best change that was simulated again saves 1.9 % of the cycles (axi0 without "
        "latency)");
  run.advice->push_back({"memory", "memory mode Sram_Only", "x", 700});
  CHECK(report::memory_verdict(run) ==
        "memory can help: the best change that was simulated again saves 30.0 % of the cycles (memory mode Sram_Only)");
}

TEST_CASE("the strip has the figures of the run, and whether the memory is large enough") {
  auto run = run_of("NPU_OP_DEPTHWISE", depthwise(), 6000);
  run.operations[0].memory = {{"ofm", 1, 64, 0, 2047, true}};
  run.interval = npu::CyclesInterval{900, 1100, 0.9, "basis"};
  const auto summary = report::summarise(run);
  const auto value_of = [&](const std::string& start, std::optional<std::uint64_t> size = {}) {
    for (const auto& entry : report::strip(run, summary, size))
      if (entry.name.starts_with(start)) return entry.value + "|" + entry.name;
    return std::string();
  };
  CHECK(value_of("predicted at") == "0.002 ms|predicted at 500 MHz, 500,000 inferences/s");
  CHECK(value_of("NPU cycles") == "1,000|NPU cycles, predicted");
  CHECK(value_of("cycles, 90 %") == "900\u20131,100|cycles, 90 % prediction interval");
  CHECK(value_of("MAC utilisation") == "4.7 %|MAC utilisation of 128 MACs per cycle");
  CHECK(value_of("axi0 at its peak") == "2.00 KiB|axi0 at its peak; needs 2.00 KiB");
  CHECK(value_of("axi0 at its peak", 2047) == "2.00 KiB|axi0 at its peak; does not fit into 2.00 KiB, needs 2.00 KiB");
  CHECK(value_of("axi0 at its peak", 1 << 20) == "2.00 KiB|axi0 at its peak; fits into 1.00 MiB, needs 2.00 KiB");
  CHECK(value_of("weights").empty());
  CHECK_THAT(report::render_markdown(run, summary), Catch::Contains("NPU cycles, predicted"));
}

TEST_CASE("the strip gives the reason for a missing interval and marks lower bounds") {
  auto run = run_of("NPU_OP_DEPTHWISE", depthwise(), 6000);
  run.no_interval = "nothing was measured on this system";
  npu::Inference whole;
  whole.cpu = "cortex-m55 at 100 MHz";
  whole.ms = 3.5;
  const auto row = [](const char* kind, std::optional<double> ms) {
    return npu::InferenceRow{.kind = kind, .name = "x", .ms = ms, .source = {}};
  };
  whole.rows = {row("npu", 2), row("cpu", 1.5)};
  const auto entry = [&](const std::string& start) {
    for (const auto& e : report::strip(run, report::summarise(run)))
      if (e.value.starts_with(start) || e.name.starts_with(start)) return e.value + "|" + e.name;
    return std::string();
  };
  CHECK(entry("no interval") == "no interval|nothing was measured on this system");
  CHECK(entry("whole").empty());
  run.inference = whole;
  CHECK(entry("whole") == "3.500 ms|whole inference, 1.500 ms of it not on the NPU");
  run.inference->rows.push_back(row("cpu", {}));
  run.inference->lower_bound = true;
  CHECK(entry("whole") == "at least 3.500 ms|whole inference, at least 1.500 ms of it not on the NPU");
  CHECK_THAT(report::inference_text(*run.inference),
             Catch::StartsWith("Predicted: at least 3.500 ms for the whole inference on cortex-m55 at 100 MHz\n"));
}
