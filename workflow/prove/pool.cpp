#include "workflow/prove/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <macaw/tosa/interpreter.hpp>

#include "sim/datapath/execute.hpp"
#include "workflow/compare/tensor_difference.hpp"
#include "workflow/prove/steps.hpp"

namespace macaw::prove {
namespace {

using tosa::Attr;

/// Windows one below the other, one for each case, that hold every maximum or sum that a window can have.
struct Cases {
  int taps_y = 1, taps_x = 1;
  bool sums = false;

  [[nodiscard]] std::int64_t taps() const { return std::int64_t{taps_y} * taps_x; }
  [[nodiscard]] std::int64_t count() const { return sums ? 255 * taps() + 1 : 256; }
  [[nodiscard]] std::vector<std::int8_t> elements() const {
    std::vector<std::int8_t> all;
    for (std::int64_t c = 0; c < count(); ++c)
      for (std::int64_t t = 0; t < taps(); ++t) {
        // A sum of `c` above the least one, spread over the window; a maximum alone.
        const auto above = sums ? c / taps() + (t < c % taps() ? 1 : 0) : t + 1 == taps() ? c : 0;
        all.push_back(static_cast<std::int8_t>(above - 128));
      }
    return all;
  }
};

/// The pool and what is behind it on the cases.
Result<Values> graph_results(const tosa::Graph& graph, const Pool& pool, const Cases& cases) {
  const auto index = static_cast<std::size_t>(pool.op - graph.main().operators.data());
  Chain chain{{pool.op->inputs[0]}, {index}};
  chain.operators.insert(chain.operators.end(), pool.chain.operators.begin(), pool.chain.operators.end());
  auto windows = subgraph(graph, chain, {1, cases.count(), 1, 1});
  auto& block = windows.blocks.front();
  const Shape shape{1, cases.count() * cases.taps_y, cases.taps_x, 1};
  block.values[block.inputs.front()].shape = shape;
  for (auto& op : block.operators)
    if (op.op == pool.op->op) {
      op.set(Attr::k_stride, std::vector<std::int64_t>{cases.taps_y, 1});
      op.set(Attr::k_pad, std::vector<std::int64_t>(4, 0));
    }
  std::vector<Tensor> inputs;
  std::ranges::copy(cases.elements(), inputs.emplace_back(DType::kINT8, shape).data<std::int8_t>().begin());
  MACAW_ASSIGN(const auto result, tosa::run(windows, std::move(inputs)));
  if (result.verdict.status() != tosa::Status::kValid)
    return fail(ErrorCode::kUnpredictable, result.verdict.first()->to_string());
  if (result.outputs[0].dtype() != DType::kINT8) return fail(ErrorCode::kUnsupported, "results that are not int8");
  Values values;
  for (const auto v : result.outputs[0].data<std::int8_t>()) values.push_back(v);
  return values;
}

void lay_out(npu::FeatureMap& map, std::uint64_t base, int height, int width) {
  map.region = 0;
  map.layout = npu::Layout::kNHWC;
  map.storage = npu::Storage::kTile2x2;
  map.base = {base, base, base, base};
  map.stride_c = map.stride_x = 1;
  map.stride_y = width;
  map.h = map.height0 = map.height1 = height;
  map.w = map.width0 = width;
  map.c = 1;
}

Result<Values> operation_results(npu::BlockOperation op, const npu::Accelerator& accelerator, const Cases& cases) {
  const auto elements = cases.elements();
  const auto count = static_cast<int>(cases.count());
  lay_out(op.ifm, 0, count * cases.taps_y, cases.taps_x);
  lay_out(op.ofm, elements.size(), count, 1);
  op.kernel.stride_y = cases.taps_y;
  op.kernel.stride_x = 1;
  std::vector<std::uint8_t> bytes(elements.size() + static_cast<std::size_t>(count));
  std::memcpy(bytes.data(), elements.data(), elements.size());
  npu::MemoryMap memory;
  memory.regions[0] = {bytes, true, true};
  MACAW_CHECK(npu::execute(op, accelerator, memory));
  Values values;
  for (auto at = elements.size(); at < bytes.size(); ++at) values.push_back(static_cast<std::int8_t>(bytes[at]));
  return values;
}

/// Checks of the operation that do not depend on its elements.
std::string unfit(const npu::BlockOperation& op, const Window& window, bool maximum, const Piece& piece) {
  using Mode = npu::PoolMode;
  const auto& k = op.kernel;
  if (op.kind != npu::OpKind::kPool || op.pool != (maximum ? Mode::kMax : Mode::kAverage))
    return "operation kind differs";
  if (k.taps_y() != window.taps[0] || k.taps_x() != window.taps[1] || k.dilation_y != 1 || k.dilation_x != 1)
    return "a window of another shape";
  if (op.upscale != npu::Upscale::kNone) return "an upscaled input";
  if (op.acc_input != npu::AccInput::kReset || !op.acc_output) return "accumulators shared between operations";
  if (op.transpose != 0 || op.reverse != 0) return "an output with its axes exchanged";
  if (op.has_scales()) return "a scale for each channel";
  if (op.activation.function != npu::ActivationFunction::kNone) return "an activation function behind the pool";
  if (op.ifm.bits != 8 || !op.ifm.is_signed || op.ofm.bits != 8 || !op.ofm.is_signed) return "maps that are not int8";
  const auto depth = static_cast<std::size_t>(window.output[3]);
  if (piece.first % depth + piece.channels > depth || piece.depth != depth)
    return "pieces that are not whole pixels or channels";
  // How many elements a sum has then depends on its place.
  const bool padded = k.pad_top != 0 || k.pad_left != 0 || k.pad_bottom != 0 || k.pad_right != 0;
  if (!maximum && (padded || std::ranges::any_of(window.pad, [](auto pad) { return pad != 0; })))
    return "an average over padding";
  return "";
}

}  // namespace

std::string compare_pool(const tosa::Graph& graph, const Pool& pool, const Record& record,
                         const npu::Accelerator& accelerator, const Piece& piece, const std::vector<ElementTag>& read,
                         const IsInput& is_input) {
  const auto& op = record.operation;
  const bool maximum = pool.op->op == tosa::Op::kMAX_POOL2D;
  if (auto reason = unfit(op, pool.window, maximum, piece); !reason.empty()) return reason;
  const auto no_padding = [](std::size_t) { return false; };
  if (auto reason = compare_windows(pool.window, op, piece, read, is_input, no_padding); !reason.empty()) return reason;
  const Cases cases{pool.window.taps[0], pool.window.taps[1], !maximum};
  constexpr std::int64_t kMostElements = std::int64_t{1} << 24;
  if (cases.count() * cases.taps() > kMostElements) return "a window of too many elements";
  auto unpadded = op;
  auto& kernel = unpadded.kernel;
  kernel.pad_top = kernel.pad_left = kernel.pad_bottom = kernel.pad_right = 0;
  const auto expected = graph_results(graph, pool, cases);
  if (!expected) return expected.error().message;
  const auto actual = operation_results(unpadded, accelerator, cases);
  if (!actual) return actual.error().message;
  for (std::size_t i = 0; i < expected->size(); ++i)
    if ((*expected)[i] != (*actual)[i])
      return fmt::format("a {} of {} gives {} in the graph, {} in the stream", maximum ? "maximum" : "sum",
                         static_cast<std::int64_t>(i) - 128 * (maximum ? 1 : cases.taps()), (*expected)[i],
                         (*actual)[i]);
  return "";
}

}  // namespace macaw::prove
