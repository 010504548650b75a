#include <catch2/catch.hpp>

#include <macaw/tosa/graph.hpp>

#include "base/file.hpp"
#include "compiler/compile.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workflow/golden/diff.hpp"
#include "workflow/golden/record.hpp"

#include <filesystem>
#include <string>

using namespace macaw;
using macaw::test::checked;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
  const auto bytes = checked(io::read_file(file));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

golden::Manifest bundled_manifest() {
  return checked(golden::parse_manifest(text_of("traces/golden.toml"), "traces/golden.toml"));
}

nlohmann::json bundled_runs() { return nlohmann::json::parse(text_of("traces/golden.json")).at("runs"); }

/// The first network alone, which runs on U55.
golden::Manifest first_manifest() {
  auto manifest = bundled_manifest();
  manifest.networks.resize(1);
  return manifest;
}

nlohmann::json first_runs() {
  auto runs = bundled_runs();
  const auto mine = first_manifest().networks.front().name + " | ";
  for (auto run = runs.begin(); run != runs.end();)
    run = run.key().starts_with(mine) ? std::next(run) : runs.erase(run);
  return runs;
}

bool any_line(const golden::RunDiff& diff, std::initializer_list<std::string> parts) {
  return std::ranges::any_of(diff.lines, [&](const std::string& line) {
    return std::ranges::all_of(parts, [&](const auto& part) { return line.find(part) != std::string::npos; });
  });
}

/// tiny_cnn with another rounding mode (TFL for NATURAL) in its first operations.
fs::path with_other_rounding(const fs::path& folder) {
  constexpr std::uint32_t kOfmPrecision = 0x114, kOpcodeMask = 0x3ff, kRoundModeBit = 1U << 31;
  const auto graph = checked(tosa::load_graph("traces/tiny_cnn/tiny_cnn.tosa"));
  auto compiled = checked(npu::compile(graph, *npu::find_accelerator("ethos-u55-128")));
  const auto word = std::ranges::find(compiled.words, kOfmPrecision, [](auto w) { return w & (kOpcodeMask | 0xc000); });
  REQUIRE(word != compiled.words.end());
  *word ^= kRoundModeBit;
  const auto file = folder / "changed.npz";
  REQUIRE(npu::write_compiled(file, compiled));
  return file;
}

}  // namespace

TEST_CASE("the bundled networks are as recorded") {
  const auto runs = checked(golden::record(bundled_manifest(), "traces"));
  const auto diffs = checked(golden::diff(bundled_runs(), runs, bundled_manifest()));
  CHECK(diffs.size() >= 7);
  for (const auto& diff : diffs) {
    INFO(diff.run);
    CHECK(diff.lines == std::vector<std::string>{});
  }
  CHECK(runs == bundled_runs());
}

TEST_CASE("another timing constant moves cycles and names the operations, not their values") {
  const auto manifest = first_manifest();
  const auto runs = checked(golden::record(manifest, "traces", {{"ofm_write_beat", 3}}));
  for (const auto& diff : checked(golden::diff(first_runs(), runs, manifest))) {
    INFO(diff.run);
    CHECK(any_line(diff, {"cycles: ", " -> "}));
    CHECK(any_line(diff, {"operation 0 (stream 0 command 54 NPU_OP_CONV, CONV2D 'clamp_11'", "): cycles"}));
    CHECK_FALSE(any_line(diff, {"output CRC changed"}));
    CHECK_FALSE(any_line(diff, {"output 0"}));
  }
}

TEST_CASE("another rounding mode moves values and names the operations, first the one that rounds") {
  auto manifest = first_manifest();
  const macaw::test::TemporaryFolder folder;
  manifest.networks.at(0).artifact = with_other_rounding(folder.path());
  manifest.networks.at(0).inputs = {fs::absolute("traces/tiny_cnn/input_0.npy")};
  const auto runs = checked(golden::record(manifest, folder.path()));
  for (const auto& diff : checked(golden::diff(first_runs(), runs, manifest))) {
    INFO(diff.run);
    CHECK(any_line(diff, {"operation 0 (stream 0 command 54 NPU_OP_CONV, CONV2D 'clamp_11'", "): output CRC changed"}));
    CHECK_FALSE(any_line(diff, {"cycles"}));
  }
}

TEST_CASE("tolerances hold for numbers, by field, never for hashes") {
  auto manifest = bundled_manifest();
  const auto stored = bundled_runs();
  auto now = stored;
  auto& run = now.begin().value();
  run["cycles"] = run["cycles"].get<std::int64_t>() + 100;
  run["operations"][0]["cycles"] = run["operations"][0]["cycles"].get<std::int64_t>() + 10;
  const auto lines = [&] { return checked(golden::diff(stored, now, manifest)).front().lines; };
  CHECK(lines().size() == 2);
  manifest.tolerances["cycles"] = 0.01;
  CHECK(lines().size() == 1);
  manifest.tolerances["operation_cycles"] = 0.01;
  CHECK(lines().empty());
  manifest.tolerances["pmu"] = 1;
  run["outputs"][0]["crc32"] = "00000000";
  CHECK(lines().size() == 1);
}

TEST_CASE("an operation more or less moves no other") {
  const auto now = first_runs();
  auto then = now;
  for (auto& run : then) {
    auto& operations = run["operations"];
    operations.erase(operations.begin() + 1);
  }
  for (const auto& diff : checked(golden::diff(then, now, first_manifest()))) {
    CHECK(diff.lines.size() == 2);
    CHECK(any_line(diff, {"operations: 6 -> 7"}));
    CHECK(any_line(diff, {"NPU_OP_DEPTHWISE", "is new"}));
  }
  // Goldens from before sources were kept.
  for (auto& run : then)
    for (auto& operation : run["operations"]) operation.erase("source");
  for (const auto& diff : checked(golden::diff(then, now, first_manifest()))) CHECK(diff.lines.size() == 2);
}

TEST_CASE("a run that only one side has is a difference") {
  const auto stored = bundled_runs();
  auto now = stored;
  const auto name = now.begin().key();
  now["new | x"] = now[name];
  now.erase(name);
  std::size_t moved = 0;
  for (const auto& diff : checked(golden::diff(stored, now, {}))) moved += !diff.lines.empty();
  CHECK(moved == 2);
}

TEST_CASE("what a manifest must not say is an error that names it") {
  const auto message = [](std::string_view toml) {
    const auto parsed = golden::parse_manifest(toml, "golden.toml");
    return parsed ? std::string("accepted") : parsed.error().to_string();
  };
  const std::string network = "[[network]]\nname = 'n'\nartifact = 'a'\n";
  CHECK(message(network) == "accepted");
  CHECK_THAT(message("= 1"), Catch::Contains("golden.toml"));
  CHECK_THAT(message(""), Catch::Contains("'network'"));
  CHECK_THAT(message("network = [1]"), Catch::Contains("'network'"));
  CHECK_THAT(message(network + "sistems = []\n"), Catch::Contains("'sistems' is not known"));
  CHECK_THAT(message(network + "systems = [1]\n"), Catch::Contains("'systems' must be a list of texts"));
  CHECK_THAT(message(network + "seed = -1\n"), Catch::Contains("'seed'"));
  CHECK_THAT(message(network + network), Catch::Contains("two networks"));
  CHECK_THAT(message(network + "[tolerance]\ncycle = 0.1\n"), Catch::Contains("'cycle' is not known"));
  CHECK_THAT(message(network + "[tolerance]\ncycles = -0.1\n"), Catch::Contains("from 0 to 1"));
}

TEST_CASE("a golden of another form is an error") { CHECK_FALSE(golden::diff({{"a", 1}}, {{"a", 1}}, {})); }
