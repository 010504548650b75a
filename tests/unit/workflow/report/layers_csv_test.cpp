#include <catch2/catch.hpp>

#include <map>

#include "workflow/report/forms/forms.hpp"

// Every cell of the rows of two layers that are written out here.
using namespace macaw;

namespace {

npu::RunRecord two_layers_on(const char* accelerator) {
  npu::RunRecord run;
  run.accelerator = npu::find_accelerator(accelerator);
  run.region_side = {1, 0, 0, 1, 0, 0, 0, 0};
  run.cycles = 2000;
  npu::OperationTiming copy;
  copy.name = "NPU_OP_DMA_START";
  copy.end = 100;
  copy.exclusive = {90, 10};
  copy.busy = {{"dma", 64}};
  copy.memory = {{"source", 0, 30, 0, 29, false}, {"destination", 1, 30, 0, 29, true}};
  npu::OperationTiming conv;
  conv.name = "NPU_OP_CONV";
  conv.source = "Conv2D 'a, b'";
  conv.kind = "Conv2D";
  conv.start = 100;
  conv.end = 1500;
  conv.macs = 16'000;
  conv.exclusive = {1400, 0};
  conv.busy = {{"ifm_read", 200}, {"weight_read", 31}, {"ofm_write", 77}, {"mac", 900}, {"output_unit", 700}};
  conv.memory = {{"ifm", 1, 100, 100, 199, false}, {"weights", 0, 50, 0, 49, false}, {"ofm", 2, 400, 0, 399, true}};
  npu::OperationTiming pool;
  pool.name = "NPU_OP_POOL";
  pool.source = "MaxPool 'c'";
  pool.kind = "MaxPool";
  pool.start = 1500;
  pool.end = 2000;
  pool.macs = 0;
  pool.exclusive = {500, 0};
  pool.busy = {{"mac", 10}, {"output_unit", 300}};
  pool.memory = {{"ifm", 2, 400, 0, 399, false}, {"ofm", 1, 8, 0, 7, true}};
  run.operations = {copy, conv, pool};
  return run;
}

using Row = std::map<std::string, std::string>;

std::vector<Row> layer_rows_of(const npu::RunRecord& run) {
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool quoted = false;
  for (const char c : report::render_layers_csv(run)) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) lines.back().emplace_back();
    else if (c == '\n') lines.emplace_back(1);
    else lines.back().back() += c;
  }
  std::vector<Row> rows;
  for (std::size_t line = 1; line + 1 < lines.size(); ++line) {
    REQUIRE(lines[line].size() == lines[0].size());
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < lines[0].size(); ++i) CHECK(row.emplace(lines[0][i], lines[line][i]).second);
  }
  return rows;
}

}  // namespace

TEST_CASE("a row has its layer's cycles, shares and accesses by area, copies included") {
  for (const auto& [accelerator, slow, other] :
       {std::tuple("ethos-u55-128", "OffFlash AC", "DRAM AC"), std::tuple("ethos-u65-256", "DRAM AC", "OffFlash AC"),
        std::tuple("ethos-u85-128", "DRAM AC", "OffFlash AC")}) {
    INFO(accelerator);
    const auto rows = layer_rows_of(two_layers_on(accelerator));
    REQUIRE(rows.size() == 2);
    const auto& conv = rows[0];
    CHECK(conv.at("Original Operator") == "Conv2D");
    CHECK(conv.at("NNG Operator") == "Conv2D");
    CHECK(conv.at("Target") == "NPU");
    CHECK(conv.at("Op Cycles") == "1500");
    CHECK(conv.at("Network% (cycles)") == "75.000000");
    CHECK(conv.at("NPU") == "900");
    CHECK(conv.at("SRAM AC") == "277");  // feature maps, read and written
    CHECK(conv.at(slow) == "95");        // the copy's source and the weights
    CHECK(conv.at(other) == "0");
    CHECK(conv.at("OnFlash AC") == "0");
    CHECK(conv.at("MAC Count") == "16000");
    CHECK(conv.at("Network% (MAC)") == "100.000000");
    CHECK(conv.at("Util% (MAC)") == (std::string(accelerator) == "ethos-u65-256" ? "4.166667" : "8.333333"));
    CHECK(conv.at("Name") == "Conv2D 'a, b'");
    const auto& pool = rows[1];
    CHECK(pool.at("Op Cycles") == "500");
    CHECK(pool.at("NPU") == "300");
    CHECK(pool.at("SRAM AC") == "0");
    CHECK(pool.at("Util% (MAC)") == "0.000000");
  }
}

TEST_CASE("staging is what SRAM holds meanwhile, beside the most that it ever holds") {
  const auto run = two_layers_on("ethos-u55-128");
  const auto summary = report::summarise(run);
  const auto rows = layer_rows_of(run);
  for (const std::size_t i : {0, 1}) {
    CHECK(rows.at(i).at("Staging Usage") == std::to_string(summary.layers[i].alive[0]));
    const auto share =
        100 * static_cast<double>(summary.layers[i].alive[0]) / static_cast<double>(summary.memory[0].peak);
    CHECK(std::stod(rows.at(i).at("Peak% (Staging)")) == Approx(share).margin(1e-6));
  }
}

TEST_CASE("operators that were scheduled have a row each, under their own names if they have one") {
  auto run = two_layers_on("ethos-u55-128");
  run.operations[2].source = run.operations[1].source;
  run.operations[2].kind = "Conv2D";
  CHECK(layer_rows_of(run).size() == 1);
  run.operations[1].scheduled = {4, "Conv2DBias", "a_part"};
  run.operations[2].scheduled = {5, "Pool", ""};
  const auto rows = layer_rows_of(run);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("Name") == "a_part");
  CHECK(rows[0].at("NNG Operator") == "Conv2DBias");
  CHECK(rows[0].at("Original Operator") == "Conv2D");
  CHECK(rows[1].at("Name") == "Conv2D 'a, b'");
  CHECK(rows[1].at("NNG Operator") == "Pool");
}
