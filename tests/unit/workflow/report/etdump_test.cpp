#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "etdump_generated.h"
#include "tests/support/checked.hpp"
#include "workflow/report/run_report.hpp"
#include "workflow/run/record_json.hpp"
#include "workflow/trace/forms/etdump.hpp"

using namespace macaw;
using namespace macaw::trace;
using macaw::test::checked;
using nlohmann::json;

namespace {

/// A report of another run, its operations and what runs on the CPU replaced: quantize, a delegate of two operations,
/// add, a delegate of one, dequantize.
json program_report() {
  const auto artifact = checked(npu::load_artifact("traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"));
  auto record = checked(npu::execute({.artifact = artifact,
                                      .accelerator = *artifact.accelerator,
                                      .mode = npu::RunMode::kTiming,
                                      .options = {.system = "corstone-300-u55"}}));
  record.network = "net.pte";
  auto json = report::to_json(record);
  const auto some = json["operations"].at(0);
  json["operations"] = json::array();
  const auto operation = [&](int step, int command, int start, int end, const char* source) {
    auto o = some;
    o.update({{"step", step}, {"command", command}, {"issued", start - 5}, {"start", start}, {"end", end}});
    o["source"] = source;
    json["operations"].push_back(std::move(o));
  };
  json["host_operators"] = json::array();
  const auto host = [&](int step, int instruction, const char* name) {
    json["host_operators"].push_back({{"step", step}, {"operator", instruction}, {"name", name}, {"elements", 1}});
  };
  constexpr const char* kCopy = "EthosUBackend::copy";
  host(0, 0, "quantized_decomposed::quantize_per_tensor");
  host(1, 1, kCopy);
  operation(2, 0, 10, 100, "conv_0");
  operation(2, 1, 20, 80, "conv_1");
  host(3, 1, kCopy);
  host(4, 3, "aten::add");
  host(5, 4, kCopy);
  operation(6, 0, 210, 480, "conv_0");
  host(7, 4, kCopy);
  host(8, 5, "quantized_decomposed::dequantize_per_tensor");
  json["cycles"] = 500;
  return json;
}

Result<std::vector<std::byte>> etdump_of(const json& report) {
  MACAW_ASSIGN(const auto run, run::parse_record(report.dump(), "report.json"));
  return etdump(run, "report.json");
}

}  // namespace

TEST_CASE("an event dump has instructions, operations and the whole run") {
  const auto bytes = checked(etdump_of(program_report()));
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size());
  REQUIRE(fb::VerifyETDumpBuffer(verifier));
  const auto* dump = fb::GetETDump(data);
  REQUIRE(dump->run_data()->size() == 1);
  struct Row {
    std::string name, operation;
    int instruction = 0;
    std::uint64_t start = 0, end = 0;
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;
  for (const auto* event : *dump->run_data()->Get(0)->events()) {
    const auto* p = event->profile_event();
    REQUIRE(p != nullptr);
    const auto text = [](const flatbuffers::String* s) { return s ? s->str() : std::string(); };
    rows.push_back(
        {text(p->name()), text(p->delegate_debug_id_str()), p->instruction_id(), p->start_time(), p->end_time()});
  }
  CHECK(rows == std::vector<Row>{{"OPERATOR_CALL", "", 0, 0, 0},
                                 {"", "0 conv_0", 1, 10, 100},
                                 {"", "1 conv_1", 1, 20, 80},
                                 {"DELEGATE_CALL", "", 1, 5, 100},
                                 {"OPERATOR_CALL", "", 3, 100, 100},
                                 {"", "0 conv_0", 4, 210, 480},
                                 {"DELEGATE_CALL", "", 4, 205, 480},
                                 {"OPERATOR_CALL", "", 5, 480, 480},
                                 {"Method::execute", "", -1, 0, 500}});
}

TEST_CASE("an event dump is of an ExecuTorch program") {
  auto report = program_report();
  report["host_operators"] = json::array({{{"step", 0}, {"operator", 0}, {"name", "SOFTMAX"}}});
  CHECK(etdump_of(report).error().code == ErrorCode::kUsage);
  report["host_operators"][0]["operator"] = std::uint64_t{1} << 32;
  CHECK(etdump_of(report).error().code == ErrorCode::kInvalidFile);
  report["host_operators"][0]["operator"] = 0;
  report["host_operators"][0]["step"] = -1;
  CHECK(etdump_of(report).error().code == ErrorCode::kInvalidFile);
}
