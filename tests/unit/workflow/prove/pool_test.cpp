#include "workflow/prove/pool.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

#include "models/graph_builder.hpp"

// Pools of a graph of one window, laid beside an operation that was written by hand.
using namespace macaw;
using prove::ElementTag;

namespace {

struct HandMadePool {
  std::shared_ptr<const tosa::Graph> graph;  // copies share it, since pool.op points into it
  prove::Pool pool;
  compare::Record record;

  HandMadePool(bool is_maximum, int height, int width) {
    models::GraphBuilder net;
    const models::Window window{.kernel = {height, width}};
    const auto input = net.input("x", DType::kINT8, {1, height, width, 1});
    net.output(is_maximum ? net.max_pool2d(input, window) : net.avg_pool2d(input, window, 0, 0), "out");
    graph = std::make_shared<const tosa::Graph>(net.graph());
    const auto& operators = graph->main().operators;
    const auto found =
        std::ranges::find(operators, is_maximum ? tosa::Op::kMAX_POOL2D : tosa::Op::kAVG_POOL2D, &tosa::Operator::op);
    pool = {&*found,
            {{height, width}, {1, 1}, {0, 0, 0, 0}, {1, 1}, {1, height, width, 1}, {1, 1, 1, 1}, true},
            {{found->outputs[0]}, {}}};
    auto& op = record.operation;
    op.kind = npu::OpKind::kPool;
    op.pool = is_maximum ? npu::PoolMode::kMax : npu::PoolMode::kAverage;
    op.ofm_scale.rounding = npu::Rounding::kNatural;
    if (!is_maximum && height * width == 4) op.ofm_scale = {0x80000001U, 33, npu::Rounding::kNatural, 0};  // a quarter
    op.block = {8, 8, 16};
    op.kernel.height = height;
    op.kernel.width = width;
    for (auto* map : {&op.ifm, &op.ofm}) {
      map->is_signed = true;
      map->c = map->h = map->w = 1;
    }
    op.ifm.h = height;
    op.ifm.w = width;
    op.activation.min = static_cast<std::uint16_t>(-128);
    op.activation.max = 127;
  }
  [[nodiscard]] std::string compare() const {
    const auto& op = record.operation;
    std::vector<ElementTag> read;
    for (int i = 0; i < op.ifm.h * op.ifm.w; ++i) read.push_back({1, static_cast<std::uint32_t>(i), 1});
    return prove::compare_pool(*graph, pool, record, *npu::find_accelerator("ethos-u55-128"),
                               {.tensor = 0, .first = 0, .channels = 1, .depth = 1}, read,
                               [](const ElementTag& tag, std::size_t element) { return tag.element == element; });
  }
  [[nodiscard]] std::string with_limits(int least, int most) const {
    auto changed = *this;
    changed.record.operation.activation.min = static_cast<std::uint16_t>(least);
    changed.record.operation.activation.max = static_cast<std::uint16_t>(most);
    return changed.compare();
  }
};

}  // namespace

TEST_CASE("every maximum of a window is tried, from the least to the greatest") {
  for (const int width : {1, 3}) {
    const HandMadePool maximum(true, 2, width);
    CHECK(maximum.compare().empty());
    CHECK(maximum.with_limits(-128, 126) == "a maximum of 127 gives 127 in the graph, 126 in the stream");
    CHECK(maximum.with_limits(-127, 127) == "a maximum of -128 gives -128 in the graph, -127 in the stream");
  }
}

TEST_CASE("every sum of a window is tried, from the least to the greatest") {
  const HandMadePool average(false, 2, 2);
  CHECK(average.compare().empty());
  CHECK_THAT(average.with_limits(-128, 126), Catch::StartsWith("a sum of 506 gives 127 "));
  CHECK_THAT(average.with_limits(-127, 127), Catch::StartsWith("a sum of -512 gives -128 "));
  const HandMadePool alone(false, 1, 1);  // in which one sum alone gives the greatest value
  CHECK(alone.compare().empty());
  CHECK(alone.with_limits(-128, 126) == "a sum of 127 gives 127 in the graph, 126 in the stream");
  CHECK(alone.with_limits(-127, 127) == "a sum of -128 gives -128 in the graph, -127 in the stream");
}

TEST_CASE("an operation of another kind or type is not laid beside a pool, nor an average over padding") {
  const HandMadePool average(false, 2, 2), maximum(true, 2, 2);
  const auto reason = [](HandMadePool pool, auto change) {
    change(pool);
    return pool.compare();
  };
  const auto of_operation = [&](auto change) {
    return reason(average, [&](HandMadePool& pool) { change(pool.record.operation); });
  };
  CHECK(of_operation([](auto& op) { op.pool = npu::PoolMode::kMax; }) == "operation kind differs");
  CHECK(of_operation([](auto& op) { op.kind = npu::OpKind::kConv; }) == "operation kind differs");
  CHECK(of_operation([](auto& op) { op.kernel.width = 1; }) == "a window of another shape");
  CHECK(of_operation([](auto& op) { op.kernel.height = 3, op.kernel.dilation_y = 2; }) == "a window of another shape");
  CHECK(of_operation([](auto& op) { op.upscale = npu::Upscale::kNearest; }) == "an upscaled input");
  CHECK(of_operation([](auto& op) { op.acc_output = false; }) == "accumulators shared between operations");
  CHECK(of_operation([](auto& op) { op.acc_input = npu::AccInput::kKeep; }) ==
        "accumulators shared between operations");
  CHECK(of_operation([](auto& op) { op.reverse = 1; }) == "an output with its axes exchanged");
  CHECK(of_operation([](auto& op) { op.ifm.is_signed = false; }) == "maps that are not int8");
  CHECK(of_operation([](auto& op) { op.ofm.bits = 16; }) == "maps that are not int8");
  for (int npu::Kernel::*pad :
       {&npu::Kernel::pad_top, &npu::Kernel::pad_left, &npu::Kernel::pad_bottom, &npu::Kernel::pad_right})
    CHECK(of_operation([&](auto& op) { op.kernel.*pad = 1; }) == "an average over padding");
  CHECK(reason(average, [](HandMadePool& pool) { pool.pool.window.pad[3] = 1; }) == "an average over padding");
  CHECK(reason(maximum, [](HandMadePool& pool) { pool.pool.window.pad[3] = 1; }).empty());
}
