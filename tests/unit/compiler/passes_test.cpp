#include <catch2/catch.hpp>

#include <macaw/npu/debug_database.hpp>

#include "compiler/compile.hpp"
#include "models/graph_builder.hpp"
#include "models/models.hpp"
#include "sim/blocks/walk.hpp"
#include "sim/isa/command_parser.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace macaw;
using namespace macaw::npu;

namespace {

Compiled compiled(std::string_view model, std::string_view accelerator) {
  auto result = compile((*models::find(model))->build({}), *find_accelerator(accelerator));
  if (!result) FAIL(result.error().to_string());
  return *result;
}

/// The block operations, in order.
std::vector<Layer> layers(const Compiled& c) {
  std::vector<Layer> all;
  for (const auto& step : c.network.steps)
    if (const auto* layer = std::get_if<Layer>(&step)) all.push_back(*layer);
  return all;
}

std::vector<BlockOperation> parsed(const Compiled& c) {
  std::vector<BlockOperation> operations;
  CommandParser parser(*c.network.accelerator, c.words);
  for (;;) {
    auto step = parser.next();
    if (!step) FAIL(step.error().to_string());
    if (std::holds_alternative<StreamStop>(step->action)) return operations;
    if (const auto* op = std::get_if<BlockOperation>(&step->action)) operations.push_back(*op);
  }
}

}  // namespace

TEST_CASE("tensors that live at the same time do not share bytes") {
  const auto c = compiled("tiny_cnn", "ethos-u55-128");
  const auto& s = c.network.storages;
  std::size_t pairs = 0, reused = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    CHECK(s[i].address % 16 == 0);
    if (s[i].constant) continue;
    CHECK(s[i].address + s[i].size <= c.network.arena_size);
    for (std::size_t k = 0; k < i; ++k) {
      if (s[k].constant) continue;
      const bool together = s[i].first_layer <= s[k].last_layer && s[k].first_layer <= s[i].last_layer;
      const bool apart = s[i].address + s[i].size <= s[k].address || s[k].address + s[k].size <= s[i].address;
      if (together) CHECK(apart);
      pairs += together;
      reused += !apart;
    }
  }
  CHECK(pairs > 0);
  CHECK(reused > 0);
}

TEST_CASE("only maps whose bytes are not visible outside are stored in bricks") {
  const auto c = compiled("tiny_cnn", "ethos-u55-128");
  const auto storage = [&](int s) { return c.network.storages[static_cast<std::size_t>(s)].layout; };
  const auto layout = [&](int t) { return storage(c.network.tensors[static_cast<std::size_t>(t)].storage); };
  CHECK(layout(c.network.inputs[0]) == Layout::kNHWC);
  CHECK(layout(c.network.outputs[0]) == Layout::kNHWC);
  for (const auto& layer : layers(c)) {
    if (layer.block.kind == OpKind::kPool) CHECK(storage(layer.ofm.storage) == Layout::kNHWC);  // its OFM is reshaped
    if (layer.block.kind == OpKind::kElementwise) CHECK(storage(layer.ofm.storage) == Layout::kNHCWB16);
  }
}

TEST_CASE("blocks are whole micro-blocks and fit the shared RAM") {
  for (const auto& a : accelerators()) {
    if (a.family == Family::kU85) continue;
    for (const auto& layer : layers(compiled("tiny_cnn", a.name))) {
      INFO(a.name << " operator " << layer.op);
      const auto& op = layer.block;
      CHECK(op.block.h % a.ofm_ublock.h == 0);
      CHECK(op.block.w % a.ofm_ublock.w == 0);
      CHECK(op.block.c % a.ofm_ublock.c == 0);
      CHECK((op.block.h <= 32 && op.block.w <= 64 && op.block.c <= 128));
      CHECK((op.block.c >= op.ofm.c || op.block.c % 16 == 0));
      const int end = a.shram_banks - a.shram_reserved_end_banks;
      CHECK(op.ib_end > 2);
      CHECK(op.ib_end <= op.ab_start);
      CHECK(op.ab_start <= end);
      if (op.kind == OpKind::kElementwise) {
        CHECK(op.ib2_start - 2 >= 2 * ((op.block.h * op.block.w * op.block.c + 1023) / 1024));
        CHECK(2 * op.ib2_start - 2 <= end);
      } else {
        const int accumulators = 2 * ((op.block.h * op.block.w * ((op.block.c + 7) / 8 * 8) * 4 + 1023) / 1024);
        CHECK(end - op.ab_start >= accumulators);
      }
    }
  }
}

TEST_CASE("a table is loaded again where accumulators may lie over it") {
  models::GraphBuilder g;
  const std::vector<std::int8_t> entries(256, 3);
  const auto x = g.input("x", DType::kINT8, {1, 8, 8, 16});
  const auto first = g.table(x, entries);
  const auto sum = g.conv2d(first, Tensor(DType::kINT8, {16, 1, 1, 16}), Tensor(DType::kINT32, {16}), {}, 0);
  g.output(g.table(g.rescale(sum, DType::kINT8, {{1 << 30}, {40}, 0, 0}), entries), "y");
  auto graph = g.graph();
  std::vector<tosa::Operator*> tables;
  for (auto& op : graph.blocks.front().operators)
    if (op.op == tosa::Op::kTABLE) tables.push_back(&op);
  REQUIRE(tables.size() == 2);
  tables[1]->inputs[1] = tables[0]->inputs[1];
  for (const auto& a : accelerators()) {
    INFO(a.name);
    const auto c = compile(graph, a);
    REQUIRE(c.has_value());
    int loads = 0;
    for (CommandParser parser(a, c->words);;) {
      const auto step = parser.next();
      REQUIRE(step.has_value());
      if (std::holds_alternative<StreamStop>(step->action)) break;
      const auto* dma = std::get_if<DmaOperation>(&step->action);
      loads += dma != nullptr && dma->dst_internal;
    }
    const bool reserved = a.family == Family::kU85 || a.shram_reserved_end_banks > 0;
    CHECK(loads == (reserved ? 1 : 2));
  }
}

TEST_CASE("an 8x8x16 addition gets the buffers that regor gives it") {
  // corpus npu/tosa_chain_qadd_i8 on U55-128: IFM2 from bank 6, IB_END and AB_START 22.
  models::GraphBuilder g;
  const auto a = g.input("a", DType::kINT8, {1, 8, 8, 16}), b = g.input("b", DType::kINT8, {1, 8, 8, 16});
  const auto ra = g.rescale(a, DType::kINT32, {{1 << 30}, {20}, 2, 0}),
             rb = g.rescale(b, DType::kINT32, {{1468006400}, {21}, -1, 0});
  g.output(g.rescale(g.add(ra, rb), DType::kINT8, {{1 << 30}, {41}, 0, 3}), "sum");
  const auto c = compile(g.graph(), *find_accelerator("ethos-u55-128"));
  REQUIRE(c);
  const auto op = layers(*c).at(0).block;
  CHECK(op.block == Hwc{8, 8, 16});
  CHECK(op.ib2_start == 6);
  CHECK(op.ib_end == 22);
  CHECK(op.ab_start == 22);
  // 1024 and 700 have a factor of 4, which moves into the output shift.
  CHECK(op.ifm_scale.scale == 256);
  CHECK(op.ifm2_scale.scale == 175);
  CHECK(op.ofm_scale.shift == 39);
}

TEST_CASE("the stream parses to the operations it was made of") {
  for (const auto* name : {"ethos-u55-32", "ethos-u55-128", "ethos-u65-512", "ethos-u85-256", "ethos-u85-2048"}) {
    const auto c = compiled("tiny_cnn", name);
    const auto operations = parsed(c);
    const auto want_all = layers(c);
    REQUIRE(operations.size() == want_all.size());
    for (std::size_t i = 0; i < operations.size(); ++i) {
      INFO(name << " operator " << want_all[i].op);
      const auto &want = want_all[i].block, &got = operations[i];
      CHECK(got.kind == want.kind);
      for (const auto map : {&BlockOperation::ifm, &BlockOperation::ofm}) {
        CHECK((got.*map).base == (want.*map).base);
        CHECK((got.*map).layout == (want.*map).layout);
        CHECK((got.*map).zero_point == (want.*map).zero_point);
        CHECK((got.*map).stride_y == (want.*map).stride_y);
        CHECK((got.*map).h == (want.*map).h);
        CHECK((got.*map).w == (want.*map).w);
        CHECK((got.*map).c == (want.*map).c);
      }
      CHECK(got.block == want.block);
      CHECK(got.ofm_scale.rounding == want.ofm_scale.rounding);
      CHECK(got.activation.min == want.activation.min);
      CHECK(got.activation.max == want.activation.max);
      CHECK(got.scale_per_channel == want.scale_per_channel);
      CHECK(got.weights[0].length == want.weights[0].length);
      CHECK(got.dual_core == want.dual_core);
      CHECK(got.ublock.c == want.ublock.c);
      if (want.kind == OpKind::kElementwise) {
        CHECK(got.operand_scaling == want.operand_scaling);
        CHECK(got.ifm_scale.scale == want.ifm_scale.scale);
      } else {
        CHECK(got.kernel.height == want.kernel.height);
        CHECK(got.kernel.stride_x == want.kernel.stride_x);
        CHECK(got.kernel.pad_bottom == want.kernel.pad_bottom);
        CHECK(got.kernel.part_kernel_first == want.kernel.part_kernel_first);
      }
      CHECK(walk_totals(got, *c.network.accelerator));
    }
  }
}

TEST_CASE("a written file loads as the same network") {
  const auto c = compiled("tiny_cnn", "ethos-u55-256");
  const macaw::test::TemporaryFolder folder;
  const auto file = folder / "net.npz";
  REQUIRE(write_compiled(file, c));
  const auto loaded = load_artifact(file);
  if (!loaded) FAIL(loaded.error().to_string());
  const auto direct = to_artifact(c);
  CHECK(loaded->accelerator == direct.accelerator);
  REQUIRE(loaded->steps.size() == 1);
  const auto& stream = std::get<CommandStream>(loaded->steps[0]);
  CHECK(stream.words == c.words);
  CHECK(stream.payload_offset == 32);
  REQUIRE(loaded->inputs.size() == 1);
  CHECK(loaded->inputs[0].offset == direct.inputs[0].offset);
  CHECK(loaded->outputs.at(0).offset == direct.outputs[0].offset);
  const auto& constants = loaded->memories.at(static_cast<std::size_t>(stream.regions[kConstantRegion].memory));
  CHECK(constants.initial == c.network.constants);
}

TEST_CASE("the debug database names the operator of every operation") {
  for (const auto* name : {"ethos-u55-128", "ethos-u85-256"}) {
    const auto c = compiled("tiny_cnn", name);
    const auto xml = debug_database(c);
    CommandParser parser(*c.network.accelerator, c.words);
    auto operation = c.operations.begin();
    for (;;) {
      auto step = parser.next();
      REQUIRE(step);
      if (std::holds_alternative<StreamStop>(step->action)) break;
      if (!std::holds_alternative<BlockOperation>(step->action) && !std::holds_alternative<DmaOperation>(step->action))
        continue;
      REQUIRE(operation != c.operations.end());
      CHECK(operation->word * sizeof(std::uint32_t) == step->offset);
      REQUIRE(operation->op < c.network.operators.size());
      CHECK(xml.find("\n" + std::to_string(step->offset) + ",0," + std::to_string(operation->op) + "\n") !=
            std::string::npos);
      ++operation;
    }
    CHECK(operation == c.operations.end());
    for (const auto& t : c.network.tensors) CHECK(xml.find("\"" + t.name + "\"") != std::string::npos);
  }
}

TEST_CASE("the debug database has the extents of what operators write, and places of tensors to their ends") {
  models::GraphBuilder g;
  g.output(g.max_pool2d(g.input("x", DType::kINT8, {1, 6, 10, 4}), {{2, 2}, {2, 2}, {1, 1}, {}}), "y");
  const auto c = compile(g.graph(), *find_accelerator("ethos-u55-128"));
  REQUIRE(c);
  const auto xml = debug_database(*c);
  const auto database = DebugDatabase::parse(std::as_bytes(std::span(xml)), "x");
  REQUIRE(database);
  REQUIRE(database->sources().size() == 1);
  const auto& source = database->sources().begin()->second;
  CHECK(std::array{source.ofm_h, source.ofm_w, source.ofm_c} == std::array{3, 5, 4});
  REQUIRE(database->tensors().size() >= 2);
  for (const auto& tensor : database->tensors())
    if (tensor.name == "x") CHECK(tensor.end - tensor.start == 6 * 10 * 4);
}
