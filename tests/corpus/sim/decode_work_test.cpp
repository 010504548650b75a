#include "sim/functional/decode_work.hpp"
#include "sim/config/params.hpp"
#include "tests/support/accelerator.hpp"
#include "tests/support/corpus.hpp"

#include <macaw/npu/artifact.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <fstream>

using namespace macaw;
using namespace macaw::npu;

namespace {

std::uint64_t pieces(int extent, int piece) { return static_cast<std::uint64_t>((extent + piece - 1) / piece); }

}  // namespace

// Board with Ethos-U85-1024, kws (Kwon-GiHwan/mps4_prototyping_board, evidence/pmu_events_c): cycles in which each of
// the four weight decoders reads its streams.
TEST_CASE("weight decoders take as long for their streams as those of a board") {
  if (!macaw::test::in_corpus("measured/measurements.json")) return;
  std::ifstream file(macaw::test::corpus("measured/measurements.json"));
  const auto measurements = nlohmann::json::parse(file);
  int boards = 0;
  for (const auto& entry : measurements) {
    if (entry.at("id") != "S5E-FPGA-events-kws") continue;
    ++boards;
    const auto path = macaw::test::corpus("measured") / entry.at("artifact").get<std::string>();
    const Artifact artifact = load_artifact(path).value();
    const Accelerator& npu = macaw::test::accelerator("ethos-u85-1024");
    const Params params = default_params(npu);
    const ParsedStreams streams = parse_streams(artifact, npu);
    const auto work = decode_work(artifact, npu, streams).value().steps;
    std::array<double, 4> cycles{};
    for (std::size_t step = 0; step < streams.size(); ++step) {
      if (!streams[step]) continue;
      for (const auto& operation : streams[step]->operations()) {
        const auto* op = std::get_if<BlockOperation>(&operation.action);
        const auto found = work[step].find(operation.index);
        if (!op || found == work[step].end()) continue;
        // The streams of an operation are read again at each position of its blocks in height and width.
        const auto positions = static_cast<double>(pieces(op->ofm.h, op->block.h) * pieces(op->ofm.w, op->block.w));
        REQUIRE(found->second.size() == cycles.size());
        for (std::size_t decoder = 0; decoder < cycles.size(); ++decoder)
          cycles[decoder] += positions * (static_cast<double>(found->second[decoder].chunks) * params.weight_chunk +
                                          static_cast<double>(found->second[decoder].slices) * params.weight_slice);
      }
    }
    for (std::size_t decoder = 0; decoder < cycles.size(); ++decoder) {
      const auto counter = "wd_parse_active_sc" + std::to_string(decoder);
      CAPTURE(counter);
      CHECK(cycles[decoder] == entry.at("metrics").at(counter).get<double>());
    }
  }
  CHECK(boards == 1);
}
