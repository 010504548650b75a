#include "workflow/sweep/plan.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workflow/sweep/run_study.hpp"

using namespace macaw;
using macaw::test::checked;
namespace fs = std::filesystem;

namespace {

struct Folder {
  macaw::test::TemporaryFolder temporary;
  const fs::path& path = temporary.path();
  void copy(const char* artifact, const std::string& name) const {
    fs::create_directories((path / name).parent_path());
    fs::copy_file(fs::path("traces/tiny_cnn") / artifact / "tiny_cnn.npz", path / name);
  }
};

std::vector<std::string> descriptions(const sweep::Plan& plan) {
  std::vector<std::string> all;
  for (const auto& run : plan.runs) all.push_back(run.describe());
  return all;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a plan has every combination of the axes once, the last axis first") {
  const Folder folder;
  folder.copy("ethos-u55-128", "a.npz");
  sweep::Study study;
  study.networks = {{"a.npz", "", {}}};
  study.systems = {"s1", "s2"};
  study.memory_modes = {"m1", "m2"};
  study.params = {{"x", {1, 2}}, {"y", {0.5}}};
  const auto plan = checked(sweep::make_plan(study, folder.path));
  CHECK(descriptions(plan) ==
        Texts{"a.npz, ethos-u55-128, s1, m1, x 1, y 0.5", "a.npz, ethos-u55-128, s1, m1, x 2, y 0.5",
              "a.npz, ethos-u55-128, s1, m2, x 1, y 0.5", "a.npz, ethos-u55-128, s1, m2, x 2, y 0.5",
              "a.npz, ethos-u55-128, s2, m1, x 1, y 0.5", "a.npz, ethos-u55-128, s2, m1, x 2, y 0.5",
              "a.npz, ethos-u55-128, s2, m2, x 1, y 0.5", "a.npz, ethos-u55-128, s2, m2, x 2, y 0.5"});
  std::set<std::string> ids;
  for (const auto& run : plan.runs) {
    ids.insert(run.id);
    CHECK(run.id.size() == 32);
    CHECK(run.params.size() == 2);
  }
  CHECK(ids.size() == plan.runs.size());
}

TEST_CASE("a study of too many runs is refused by their number, before they are made") {
  const Folder folder;
  sweep::Study study;
  study.networks = {{"a.npz", "", {}}};
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"})
    study.params.emplace_back(name, std::vector<double>(20, 1));
  const auto plan = sweep::make_plan(study, folder.path);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().code == ErrorCode::kUnsupported);
  CHECK(plan.error().message ==
        "the study has more than 100000 runs: 1 networks and inputs x 20 a x 20 b x 20 c x 20 d x 20 e x 20 f x 20 g x "
        "20 h");
  study.params.resize(1);
  study.systems = study.memory_modes = std::vector<std::string>(1000, "s");
  CHECK_FALSE(sweep::make_plan(study, folder.path));
}

TEST_CASE("a run is known by what it is made from, wherever that lies") {
  const Folder folder;
  folder.copy("ethos-u55-128", "a.npz");
  folder.copy("ethos-u55-128", "elsewhere/b.npz");
  const auto run_of = [&](const char* file, const char* mode, double value) {
    sweep::Study study;
    study.networks = {{file, "", {}}};
    study.memory_modes = {mode};
    study.params = {{"x", {value}}};
    return checked(sweep::make_plan(study, folder.path)).runs.at(0);
  };
  const auto run = run_of("a.npz", "m", 1);
  CHECK(run_of("elsewhere/b.npz", "m", 1).id == run.id);
  CHECK(run_of("a.npz", "n", 1).id != run.id);
  CHECK(run_of("a.npz", "m", 2).id != run.id);
  auto other = run;
  other.compile = "macaw";
  CHECK(sweep::artifact_key(other) != sweep::artifact_key(run));
  other = run;
  other.accelerator = "ethos-u55-64";
  CHECK(sweep::artifact_key(other) != sweep::artifact_key(run));
  other = run;
  other.system = other.memory_mode = "another";
  CHECK(sweep::artifact_key(other) == sweep::artifact_key(run));
  // A system that is a file counts by what stands there.
  const auto with_system = [&](const std::string& text) {
    REQUIRE(io::write_file(folder.path / "s.toml", text));
    sweep::Study study;
    study.networks = {{"a.npz", "", {}}};
    study.systems = {(folder.path / "s.toml").string()};
    return checked(sweep::make_plan(study, folder.path)).runs.at(0).id;
  };
  const auto id = with_system("one");
  CHECK(with_system("two") != id);
  CHECK(with_system("one") == id);
}

TEST_CASE("compiled networks run where they were compiled for, if the study has it") {
  const Folder folder;
  folder.copy("ethos-u55-128", "a.npz");
  folder.copy("ethos-u65-512", "b.npz");
  sweep::Study study;
  study.networks = {{"*.npz", "", {}}};
  CHECK(descriptions(checked(sweep::make_plan(study, folder.path))) ==
        Texts{"a.npz, ethos-u55-128", "b.npz, ethos-u65-512"});
  study.accelerators = {"ethos-u65-512", "ethos-u85-256"};
  const auto plan = checked(sweep::make_plan(study, folder.path));
  CHECK(descriptions(plan) == Texts{"b.npz, ethos-u65-512"});
  CHECK(plan.notes == Texts{"a.npz is compiled for ethos-u55-128, which the study leaves out"});
  study.networks = {{"a.npz", "macaw", {}}};
  CHECK(descriptions(checked(sweep::make_plan(study, folder.path))) ==
        Texts{"a.npz, ethos-u65-512", "a.npz, ethos-u85-256"});
  study.accelerators = {"ethos-u65-511"};
  CHECK(sweep::make_plan(study, folder.path).error().code == ErrorCode::kUsage);
}

TEST_CASE("networks of one name are told apart by their folders, and the same contents run once") {
  const Folder folder;
  folder.copy("ethos-u55-128", "p/q/net.npz");
  folder.copy("ethos-u65-512", "p/r/net.npz");
  folder.copy("ethos-u85-256", "other.npz");
  folder.copy("ethos-u85-256", "zzz.npz");
  sweep::Study study;
  study.networks = {{"p/*/net.npz", "", {}}, {"*.npz", "", {}}};
  const auto plan = checked(sweep::make_plan(study, folder.path));
  CHECK(descriptions(plan) ==
        Texts{"q/net.npz, ethos-u55-128", "r/net.npz, ethos-u65-512", "other.npz, ethos-u85-256"});
  REQUIRE(plan.notes.size() == 1);
  CHECK_THAT(plan.notes[0], Catch::EndsWith("zzz.npz has the contents of another network of the study"));
  study.networks = {{"none*.npz", "", {}}};
  CHECK(sweep::make_plan(study, folder.path).error().code == ErrorCode::kIo);
}

TEST_CASE("sets of inputs are runs of their own, known by the names and contents of their files") {
  const Folder folder;
  folder.copy("ethos-u55-128", "a.npz");
  const auto write = [&](const char* file, const char* text) {
    fs::create_directories((folder.path / file).parent_path());
    REQUIRE(io::write_file(folder.path / file, std::string_view(text)));
  };
  write("sets/0/x.npy", "one");
  write("sets/1/x.npy", "two");
  write("single.npy", "one");
  sweep::Study study;
  study.networks = {{"a.npz", "", {"sets/*", "single.npy"}}};
  study.params = {{"x", {1, 2}}};
  const auto runs = [&] { return checked(sweep::make_plan(study, folder.path)).runs; };
  const auto before = runs();
  CHECK(descriptions({before, {}}) == Texts{"a.npz, ethos-u55-128, x 1, sets/0", "a.npz, ethos-u55-128, x 1, sets/1",
                                            "a.npz, ethos-u55-128, x 1, single.npy",
                                            "a.npz, ethos-u55-128, x 2, sets/0", "a.npz, ethos-u55-128, x 2, sets/1",
                                            "a.npz, ethos-u55-128, x 2, single.npy"});
  std::set<std::string> ids;
  for (const auto& run : before) ids.insert(run.id);
  CHECK(ids.size() == 6);
  write("sets/1/y.npy", "more");
  auto after = runs();
  CHECK(after[0].id == before[0].id);
  CHECK(after[1].id != before[1].id);
  fs::rename(folder.path / "sets/0/x.npy", folder.path / "sets/0/z.npy");
  CHECK(runs()[0].id != before[0].id);
  study.networks[0].inputs = {"none*"};
  CHECK(sweep::make_plan(study, folder.path).error().code == ErrorCode::kIo);
  study.networks[0].inputs.clear();
  study.params = {{"x", {1, 1}}};
  const auto twice = checked(sweep::make_plan(study, folder.path));
  CHECK(twice.runs.size() == 1);
  CHECK(twice.notes == Texts{"a.npz, ethos-u55-128, x 1 is in the study twice"});
}

TEST_CASE("shards divide a plan") {
  for (std::size_t count = 1; count <= 4; ++count)
    for (std::size_t place = 0; place < 9; ++place) {
      std::size_t takers = 0;
      for (std::size_t index = 0; index < count; ++index) takers += sweep::Shard{index, count}.has(place);
      CHECK(takers == 1);
      CHECK(sweep::Shard{place % count, count}.has(place));
    }
}
