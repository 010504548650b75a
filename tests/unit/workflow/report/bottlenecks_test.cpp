#include "workflow/report/bottlenecks.hpp"

#include <catch2/catch.hpp>

#include "workflow/report/render.hpp"

// Sentences about layers that are written out here.
using namespace macaw;

namespace {

npu::RunRecord thousand_cycles_on(const char* accelerator) {
  npu::RunRecord run;
  run.accelerator = npu::find_accelerator(accelerator);
  run.cycles = 1000;
  return run;
}

report::Summary with_layer(report::Bound bound, std::uint64_t macs = 0) {
  report::Layer layer{};
  layer.name = "L";
  layer.bound = std::move(bound);
  layer.macs = macs;
  layer.exclusive = 125;
  layer.inclusive = 250;
  layer.operations = {0, 1, 2};
  layer.bytes[0] = {{"ifm", 7}, {"ifm2", 5}, {"weights", 11}, {"ofm", 13}};
  layer.bytes[1] = {{"ifm", 70}, {"weights", 20'000}, {"scales", 3'000}, {"ofm", 2'000'000}, {"source", 1}};
  report::Summary summary;
  summary.layers = {layer};
  return summary;
}

std::string sentence(report::Bound bound, std::uint64_t macs = 0, const char* accelerator = "ethos-u55-128") {
  const auto all = report::bottlenecks(thousand_cycles_on(accelerator), with_layer(std::move(bound), macs));
  REQUIRE(all.size() == 1);
  return all[0];
}

report::Summary with_channels(int channels, std::uint64_t macs = 1) {
  auto summary = with_layer({"mac", ""}, macs);
  summary.layers[0].shape = {4, 4, channels};
  return summary;
}

}  // namespace

TEST_CASE("a layer's sentence has the bytes of its side and purpose, and its share of the time") {
  CHECK(sentence({"weight_read", "axi1"}) == "L waits for 23.0 kB of weights on axi1: 12.5 % of the time");
  CHECK(sentence({"weight_read", "axi0"}) == "L waits for 11 bytes of weights on axi0: 12.5 % of the time");
  CHECK(sentence({"ifm_read", "axi0"}) == "L waits for 12 bytes of feature maps on axi0: 12.5 % of the time");
  CHECK(sentence({"ifm_read", "axi1"}) == "L waits for 70 bytes of feature maps on axi1: 12.5 % of the time");
  CHECK(sentence({"ofm_write", "axi1"}) == "L writes 2.0 MB of feature maps on axi1: 12.5 % of the time");
  CHECK(sentence({"ofm_write", "ext"}, 0, "ethos-u85-256") ==
        "L writes 2.0 MB of feature maps on ext: 12.5 % of the time");
  CHECK(sentence({"ofm_write", "sram"}, 0, "ethos-u85-256") ==
        "L writes 13 bytes of feature maps on sram: 12.5 % of the time");
  CHECK(sentence({"dma", ""}) ==
        "L waits for DMA, which moves 36 bytes on axi0 and 2.0 MB on axi1: 12.5 % of the time");
  CHECK(sentence({"dependency", ""}) == "L waits for the operation before it: 12.5 % of the time");
  CHECK(sentence({"command_processor", ""}) ==
        "L waits for the command stream to issue its 3 operations: 12.5 % of the time");
  CHECK(sentence({"something", "axi1"}) == "L is bound by something axi1: 12.5 % of the time");
  // 8,000 of 250 * 128 in its own time, other layers' included.
  CHECK(sentence({"mac", ""}, 8'000) ==
        "L keeps the MAC array busy, 8000 MACs at 25.0 % of the array's peak: 12.5 % of the time");
  CHECK(sentence({"weight_decoder", ""}, 32'000) ==
        "L waits for its weights to be decoded, 32000 MACs at 100.0 % of the array's peak: 12.5 % of the time");
  CHECK(sentence({"output_unit", ""}) == "L waits for the output unit: 12.5 % of the time");
  CHECK(sentence({"output_unit", ""}, 320) ==
        "L waits for the output unit, 320 MACs at 1.0 % of the array's peak: 12.5 % of the time");
}

TEST_CASE("the longest layers are told, longest first, and none that takes no time") {
  auto summary = with_layer({"dependency", ""});
  const auto layer = summary.layers[0];
  summary.layers.clear();
  for (const std::uint64_t cycles : {10, 0, 40, 20, 30}) {
    summary.layers.push_back(layer);
    summary.layers.back().name = std::to_string(cycles);
    summary.layers.back().exclusive = cycles;
  }
  CHECK(summary.longest() == std::vector<std::size_t>{2, 4, 3, 0, 1});
  const auto three = report::bottlenecks(thousand_cycles_on("ethos-u55-128"), summary);
  REQUIRE(three.size() == 3);
  CHECK_THAT(three[0], Catch::StartsWith("40 ") && Catch::EndsWith(": 4.0 % of the time"));
  CHECK_THAT(three[2], Catch::StartsWith("20 "));
  CHECK(report::bottlenecks(thousand_cycles_on("ethos-u55-128"), summary, 9).size() == 4);
}

TEST_CASE("channels are said to be padded from an eighth on, by the least that the array computes at once") {
  struct Row {
    const char* accelerator;
    int channels, padded;  ///< padded 0: nothing is said
  };
  for (const Row& row : {Row{"ethos-u55-128", 9, 16},
                         {"ethos-u55-128", 14, 16},
                         {"ethos-u55-128", 15, 0},
                         {"ethos-u55-128", 16, 0},
                         {"ethos-u55-128", 1, 0},
                         {"ethos-u55-128", 2, 8},
                         {"ethos-u55-128", 57, 0},
                         {"ethos-u55-128", 49, 56},
                         {"ethos-u55-32", 5, 8},
                         {"ethos-u55-32", 12, 0},
                         {"ethos-u65-512", 8, 16},
                         {"ethos-u65-256", 8, 0},
                         {"ethos-u85-256", 8, 0},
                         {"ethos-u85-256", 9, 16},
                         {"ethos-u85-512", 8, 16},
                         {"ethos-u85-1024", 16, 0},
                         {"ethos-u85-2048", 17, 32}}) {
    INFO(row.accelerator << ", " << row.channels);
    const auto said = report::padded_channels(thousand_cycles_on(row.accelerator), with_channels(row.channels));
    if (row.padded == 0) CHECK(said.empty());
    else
      CHECK(said == std::vector<std::string>{"L: " + std::to_string(row.channels) + " output channels cost as " +
                                             std::to_string(row.padded)});
  }
  CHECK(report::padded_channels(thousand_cycles_on("ethos-u55-128"), with_channels(9, 0)).empty());
}

TEST_CASE("numbers of bytes are told in steps of a thousand") {
  CHECK(report::bytes_text(0) == "0 bytes");
  CHECK(report::bytes_text(9'999) == "9999 bytes");
  CHECK(report::bytes_text(10'000) == "10.0 kB");
  CHECK(report::bytes_text(999'949) == "999.9 kB");
  CHECK(report::bytes_text(1'000'000) == "1.0 MB");
}

TEST_CASE("a memory's text says what is there, and what is missing in an SRAM") {
  const auto run = thousand_cycles_on("ethos-u55-128");
  auto summary = with_layer({"mac", ""});
  summary.layer_of = {0, 0, 0};
  auto& use = summary.memory[0];
  use.extent = {0, 600, 0, 400, 0, 0, 0, 0};
  use.reach = 1000;
  use.peak = 700;
  use.peak_cycle = 55;
  // A tensor of two pieces before one of one.
  use.at_peak = {{1, 0, 299, 0, 9, 0, false}, {1, 300, 499, 0, 9, 1, true}, {3, 0, 199, 0, 9, 2, true}};
  const std::string there =
      "memory on axi0: 1000 bytes used, region 1 600, region 3 400; at most 700 at once (cycle 55)\n";
  CHECK(report::memory_text(run, summary, {}) == there);
  CHECK(report::memory_text(run, summary, 1000) == there + "fits into 1000 bytes of axi0, 0 are left\n");
  CHECK(report::memory_text(run, summary, 1024) == there + "fits into 1024 bytes of axi0, 24 are left\n");
  const std::string tensors = "  at the peak: 400 bytes written by L\n  at the peak: 300 bytes read by L\n";
  CHECK(report::memory_text(run, summary, 700) ==
        there + "does not fit into 700 bytes of axi0: 300 are missing; what is there at once would fit\n" + tensors);
  CHECK(report::memory_text(run, summary, 699) ==
        there + "does not fit into 699 bytes of axi0: 301 are missing\n" + tensors);
  summary.memory[1] = use;
  CHECK_THAT(report::memory_text(run, summary, {}), Catch::Contains("memory on axi1: 1000 bytes used"));
}

TEST_CASE("the table has all layers in the network's order, or the longest") {
  const auto run = thousand_cycles_on("ethos-u55-128");
  auto summary = with_layer({"mac", ""}, 8'000);
  summary.layers[0].shape = {3, 4, 5};
  summary.layers.push_back(summary.layers[0]);
  summary.layers[1].name = "M";
  summary.layers[1].exclusive = 875;
  const auto lines = [&](std::size_t most) {
    std::vector<std::string> all(1);
    for (const char c : report::layer_table(run, summary, most))
      if (c == '\n') all.emplace_back();
      else all.back() += c;
    return all;
  };
  const auto both = lines(2);
  REQUIRE(both.size() == 5);
  CHECK_THAT(both[0], Catch::StartsWith("layers (2 of 2)"));
  for (const char* part :
       {"  12.5 %", " L ", "3x4x5", " 125 ", " 250 ", " 8000 ", " 25.0 %", " 2023107 ", " 3  MAC array"})
    CHECK_THAT(both[2] + " ", Catch::Contains(part));
  CHECK_THAT(both[3], Catch::StartsWith("  87.5 %  M "));
  const auto longest = lines(1);
  REQUIRE(longest.size() == 4);
  CHECK_THAT(longest[0], Catch::StartsWith("layers (1 of 2)"));
  CHECK_THAT(longest[2], Catch::StartsWith("  87.5 %  M "));
}

TEST_CASE("time is told by what binds it, down to a twentieth of a percent") {
  auto run = thousand_cycles_on("ethos-u55-128");
  run.cycles = 10'000;
  report::Summary summary;
  summary.bounds = {{{"mac", ""}, 6'000}, {{"weight_read", "axi1"}, 3'990}, {{"dma", ""}, 5}, {{"dependency", ""}, 4}};
  CHECK(report::bounds_text(run, summary) ==
        "time by what binds it: MAC array 60.0 %, weights read on axi1 39.9 %, DMA 0.1 %\n");
}
