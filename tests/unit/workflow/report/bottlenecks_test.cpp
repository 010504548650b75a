#include "workflow/report/bottlenecks.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "base/terminal.hpp"
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

std::string wrapped(const std::string& line) { return io::wrap(line, io::terminal_width(), 2) + "\n"; }

}  // namespace

TEST_CASE("a layer's sentence has the bytes of its side and purpose, and its share of total time") {
  CHECK(sentence({"weight_read", "axi1"}) == "L waits for 22.5 KiB of weights on axi1: 12.5 % of total time");
  CHECK(sentence({"weight_read", "axi0"}) == "L waits for 11 bytes of weights on axi0: 12.5 % of total time");
  CHECK(sentence({"ifm_read", "axi0"}) == "L waits for 12 bytes of feature maps on axi0: 12.5 % of total time");
  CHECK(sentence({"ifm_read", "axi1"}) == "L waits for 70 bytes of feature maps on axi1: 12.5 % of total time");
  CHECK(sentence({"ofm_write", "axi1"}) == "L writes 1.91 MiB of feature maps on axi1: 12.5 % of total time");
  CHECK(sentence({"ofm_write", "ext"}, 0, "ethos-u85-256") ==
        "L writes 1.91 MiB of feature maps on ext: 12.5 % of total time");
  CHECK(sentence({"ofm_write", "sram"}, 0, "ethos-u85-256") ==
        "L writes 13 bytes of feature maps on sram: 12.5 % of total time");
  CHECK(sentence({"dma", ""}) ==
        "L waits for DMA, which moves 36 bytes on axi0 and 1.93 MiB on axi1: 12.5 % of total time");
  CHECK(sentence({"dependency", ""}) == "L waits for the operation before it: 12.5 % of total time");
  CHECK(sentence({"command_processor", ""}) ==
        "L waits for the command stream to issue its 3 operations: 12.5 % of total time");
  CHECK(sentence({"something", "axi1"}) == "L is bound by something axi1: 12.5 % of total time");
  // 8,000 of 250 * 128 in its own time, other layers' included.
  CHECK(sentence({"mac", ""}, 8'000) ==
        "L is limited by the MAC array, which runs at 25.0 % of its peak: 12.5 % of total time");
  CHECK(sentence({"weight_decoder", ""}, 32'000) ==
        "L waits for its weights to be decoded; MAC array at 100.0 % of its peak: 12.5 % of total time");
  CHECK(sentence({"output_unit", ""}) == "L waits for the output unit: 12.5 % of total time");
  CHECK(sentence({"output_unit", ""}, 320) ==
        "L waits for the output unit; MAC array at 1.0 % of its peak: 12.5 % of total time");
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
  CHECK_THAT(three[0], Catch::StartsWith("40 ") && Catch::EndsWith(": 4.0 % of total time"));
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
      CHECK(said == std::vector<std::string>{fmt::format(
                        "L: {} output channels are padded to {} ({:.0f} % of the MAC array's work on it is padding)",
                        row.channels, row.padded, 100.0 * (row.padded - row.channels) / row.padded)});
  }
  CHECK(report::padded_channels(thousand_cycles_on("ethos-u55-128"), with_channels(9, 0)).empty());
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
  const auto there = wrapped(
      "Memory on axi0: needs 1000 bytes; peak live 700 bytes at cycle 55 (region 1: 600 bytes, region 3: 400 bytes)");
  CHECK(report::memory_text(run, summary, {}) == there);
  CHECK(report::memory_text(run, summary, 1000) == there + "Fits: 1000 bytes of 1000 bytes on axi0, 0 bytes free\n");
  CHECK(report::memory_text(run, summary, 1024) == there + "Fits: 1000 bytes of 1.00 KiB on axi0, 24 bytes free\n");
  const std::string tensors = "  live at the peak: 400 bytes written by L\n  live at the peak: 300 bytes read by L\n";
  CHECK(
      report::memory_text(run, summary, 700) ==
      there +
          wrapped("Does not fit: needs 1000 bytes on axi0, 300 bytes more than 700 bytes; the buffers that are live at "
                  "the same time would fit") +
          tensors);
  CHECK(report::memory_text(run, summary, 699) ==
        there + "Does not fit: needs 1000 bytes on axi0, 301 bytes more than 699 bytes\n" + tensors);
  summary.memory[1] = use;
  CHECK_THAT(report::memory_text(run, summary, {}), Catch::Contains("Memory on axi1: needs 1000 bytes"));
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
  REQUIRE(both.size() == 7);
  CHECK_THAT(both[0], Catch::StartsWith("2 of 2 layers by cycles."));
  CHECK(both[3] == " share  layer  cycles  of peak  limited by");
  CHECK(both[4] == "12.5 %  L         125   25.0 %  MAC array");
  CHECK_THAT(both[5], Catch::StartsWith("87.5 %  M "));
  const auto longest = lines(1);
  REQUIRE(longest.size() == 6);
  CHECK_THAT(longest[0], Catch::StartsWith("Top 1 of 2 layers by cycles."));
  CHECK_THAT(longest[4], Catch::StartsWith("87.5 %  M "));
}

TEST_CASE("time is told by what binds it, down to a twentieth of a percent") {
  auto run = thousand_cycles_on("ethos-u55-128");
  run.cycles = 10'000;
  report::Summary summary;
  summary.bounds = {{{"mac", ""}, 6'000}, {{"weight_read", "axi1"}, 3'990}, {{"dma", ""}, 5}, {{"dependency", ""}, 4}};
  CHECK(report::bounds_text(run, summary) ==
        "Time by bottleneck: MAC array 60.0 %, weights read on axi1 39.9 %, DMA 0.1 %\n");
}
