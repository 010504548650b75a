#include "workflow/sweep/study.hpp"
#include "tests/support/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "workflow/sweep/simulate.hpp"

// Valid contents of a study, up to the limits of its numbers, and results of failed runs.
using namespace macaw;
using namespace macaw::sweep;

namespace {

const std::string kNetwork = "[[network]]\nartifact = 'a.npz'\n";

bool reads(const std::string& text) { return parse_study(text, "study.toml").has_value(); }

}  // namespace

TEST_CASE("a study's limits are positive, and its memory has an end") {
  const auto limits = [](const std::string& text) { return parse_study(kNetwork + "[limits]\n" + text, "study.toml"); };
  const auto most = limits("memory_mib = 16777216\nseconds = 0.5");
  REQUIRE(most);
  CHECK(most->limits.memory == std::uint64_t{1} << 44);
  CHECK(most->limits.seconds == 0.5);
  CHECK(limits("memory_mib = 0.5")->limits.memory == std::uint64_t{1} << 19);
  for (const char* text : {"memory_mib = 16777217", "memory_mib = 0", "memory_mib = -1", "seconds = 0", "seconds = -1",
                           "seconds = nan", "second = 1"}) {
    INFO(text);
    CHECK_FALSE(limits(text));
  }
}

TEST_CASE("a network of a study is compiled or a graph with what compiles it") {
  const std::string axes = "[axes]\naccelerators = ['ethos-u55-128']\n";
  CHECK(reads(kNetwork));
  CHECK_FALSE(reads(kNetwork + "graph = 'a.tosa'\n"));
  CHECK_FALSE(reads(kNetwork + "compile = 'macaw'\n"));
  CHECK_FALSE(reads("[[network]]\n"));
  CHECK_FALSE(reads("network = []\n"));
  CHECK_FALSE(reads(""));
  const auto graph = [](const std::string& compile) {
    return "[[network]]\ngraph = 'a.tosa'\n" + (compile.empty() ? "" : "compile = '" + compile + "'\n");
  };
  CHECK(reads(graph("macaw") + axes));
  CHECK_FALSE(reads(graph("macaw")));
  CHECK_FALSE(reads(graph("") + axes));
  CHECK(reads(graph("c {graph} {accelerator} {output}") + axes));
  CHECK_FALSE(reads(graph("c {accelerator} {output}") + axes));
  CHECK_FALSE(reads(graph("c {graph} {output}") + axes));
  CHECK_FALSE(reads(graph("c {graph} {accelerator}") + axes));
}

TEST_CASE("a study's parameters are lists of finite numbers") {
  const auto params = [](const std::string& list) { return reads(kNetwork + "[axes.params]\nx = " + list + "\n"); };
  CHECK(params("[1]"));
  CHECK(params("[1, 0.5, -2]"));
  for (const char* list : {"[]", "1", "['1']", "[1, inf]", "[nan]", "[true]"}) {
    INFO(list);
    CHECK_FALSE(params(list));
  }
  CHECK_FALSE(reads(kNetwork + "[axes]\nparams = 1\n"));
  CHECK_FALSE(reads("axes = 1\n" + kNetwork));
}

TEST_CASE("a run that fails for want of a file is tried again, and one that can never run is not") {
  const macaw::test::TemporaryFolder folder;
  std::ofstream(folder / "bad.npz") << "no network";
  Run run;
  run.id = "0123";
  run.network = "bad.npz";
  for (const char* file : {"bad.npz", "missing.npz"}) {
    run.file = folder / file;
    const auto result = simulate(run, folder / "artifacts", {});
    INFO(file);
    CHECK(result.contains("error"));
    CHECK(result.value(kAgain, false) == (std::string(file) == "missing.npz"));
    CHECK((result["id"] == "0123" && result["network"] == "bad.npz"));
  }
  run.file = "traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz";
  run.params = {{"axi1.read_latency", 100}};
  const auto result = simulate(run, folder / "artifacts", {});
  CHECK_FALSE(result.contains("error"));
  CHECK(result["accelerator"] == "ethos-u55-128");
  CHECK(result["params"]["axi1.read_latency"] == 100);
  CHECK((result["outputs"].is_null() && result["macs_per_cycle"] == 128));
  std::uint64_t macs = 0, bytes[2] = {};
  for (const auto& layer : result["layers"]) {
    macs += layer["macs"].get<std::uint64_t>();
    for (int side = 0; side < 2; ++side)
      bytes[side] += layer["memory" + std::to_string(side) + "_bytes"].get<std::uint64_t>();
  }
  CHECK(result["macs"] == macs);
  CHECK((result["memory0_bytes"] == bytes[0] && result["memory1_bytes"] == bytes[1]));
}
