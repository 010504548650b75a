#include "sim/datapath/conv.hpp"
#include "sim/datapath/input_map.hpp"

namespace macaw::npu {
namespace {

/// Largest weight for which the sums of the vector kernels are exact.
constexpr std::int64_t kMaxWeight = 255;

}  // namespace

Result<void> multiply_matrices(const BlockOperation& op, const FeatureMapView& ifm, const FeatureMapView& ifm2,
                               bool scalar, OutputRows& out) {
  const FeatureMap& map = ifm2.map();
  // IFM2 [1][OC][IC] has the layout of OHWI weights of a 1x1 kernel.
  std::vector<std::int64_t> wide(static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c));
  ifm2.read_row(0, wide.data(), map.c);
  if (op.kernel.taps_y() != 1 || op.kernel.taps_x() != 1)
    return fail(ErrorCode::kHardwareFault, "weights from IFM2 go with a kernel of 1x1");
  bool narrow = fits_int16(op.ifm);
  for (const auto weight : wide) narrow = narrow && weight >= -kMaxWeight && weight <= kMaxWeight;
  if (narrow)
    return convolve(op, ifm, pack_conv_weights(op, Uncleared<std::int16_t>(wide.begin(), wide.end()), scalar), out);

  const Kernel& k = op.kernel;
  MACAW_ASSIGN(const auto input, load_input<std::int64_t>(op, ifm, true, 1, out.workers()));
  out.for_rows([&](int first, int end, RowWriter& writer) {
    std::vector<std::int64_t> row(writer.row().size());
    for (int y = first; y < end; ++y) {
      std::int64_t* sum = row.data();
      for (int x = 0; x < op.ofm.w; ++x) {
        const std::int64_t* in = input.at(y * k.stride_y, x * k.stride_x);
        const std::int64_t* weight = wide.data();
        for (int o = 0; o < op.ofm.c; ++o, ++sum) {
          *sum = 0;
          for (int i = 0; i < op.ifm.c; ++i) *sum = wrapping_add(*sum, wrapping_mul(in[i], *weight++));
        }
      }
      writer.store(y, row.data(), op.ofm.c);
    }
  });
  return {};
}

}  // namespace macaw::npu
