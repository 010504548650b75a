#pragma once
#include "compiler/graph_view.hpp"
#include "compiler/network.hpp"
#include "compiler/view.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// Lowering: operators of the graph become operations of the NPU. One file per operator in lower/; operators.def lists
// them.
namespace macaw::npu {

inline constexpr std::int64_t kMaxExtent = 65536;  ///< OFM_*_M1 have 16 bits

/// Arguments of RESCALE. Multipliers are not negative, shifts are 2 to 62, both lists have the same length.
struct RescaleArguments {
  std::vector<std::uint32_t> multiplier;
  std::vector<int> shift;
  std::int32_t input_zp = 0, output_zp = 0;
  tosa::RoundingMode rounding = tosa::RoundingMode::kSingleRound;
  bool input_unsigned = false, output_unsigned = false;
  DType input{}, output{};

  /// Double rounding differs from single rounding only for shifts above 31 (TOSA, apply_scale_32).
  [[nodiscard]] bool doubles(std::size_t i) const;
  /// The NPU's rounding mode for this RESCALE.
  [[nodiscard]] Rounding hardware_rounding() const;
  [[nodiscard]] Scaling scaling(std::size_t i = 0) const;
};
[[nodiscard]] Result<RescaleArguments> rescale_arguments(const GraphView& graph, std::size_t op);

/// Post-processing that an operation applies to its result.
struct Output {
  Scaling scale{.scale = 1, .shift = 0, .rounding = Rounding::kNatural, .dbl = 0};
  std::vector<ChannelScale> per_channel;             ///< if not empty, replaces `scale`, by index of the last axis
  std::optional<std::array<std::int64_t, 2>> clamp;  ///< default: the range of the OFM's type
  bool wrap = false;                                 ///< U85: keep the low bits
  int table = -1;                                    ///< storage of an activation table
  TableForm form = TableForm::kFromOfm;
};

/// Operators that follow another operator and are fused into its operation.
struct Tail {
  tosa::ValueId value = 0;  ///< result of the last of them
  std::optional<RescaleArguments> rescale;
  Output output;
};

namespace compiler {
class Generation;
}

/// State of the pass over the operators.
class Lowering {
 public:
  Lowering(const GraphView& g, Network& n);

  const GraphView& graph;
  Network& network;
  const compiler::Generation& generation;  ///< of the network's accelerator
  std::vector<bool> taken;                 ///< by operator: fused into another's operation
  std::size_t op = 0;                      ///< the operator being lowered
  std::map<std::string, int> variables;    ///< by name: index in Network::tensors

  [[nodiscard]] const Accelerator& accelerator() const { return *network.accelerator; }
  [[nodiscard]] Family family() const { return accelerator().family; }
  [[nodiscard]] const tosa::Operator& current() const { return graph.op(op); }
  [[nodiscard]] tl::unexpected<Error> unsupported(std::string reason) const {
    return graph.unsupported(op, std::move(reason));
  }

  // Values.
  [[nodiscard]] Result<int> tensor(tosa::ValueId id);  ///< index in Network::tensors; made on first use
  [[nodiscard]] Result<StorageView> view(tosa::ValueId id);
  [[nodiscard]] StorageView view_of(int tensor) const;  ///< of a tensor by its index in Network::tensors
  /// Creates a tensor that is not constant although the value has contents; they are its initial contents.
  [[nodiscard]] Result<int> declare_variable(tosa::ValueId id);
  [[nodiscard]] Result<StorageView> input(std::size_t i) { return view(current().inputs.at(i)); }
  [[nodiscard]] Result<StorageView> output() { return view(current().outputs.at(0)); }
  [[nodiscard]] DType dtype(tosa::ValueId id) const { return graph.value(id).dtype; }
  [[nodiscard]] StorageView temporary(Shape shape, int bits);
  [[nodiscard]] StorageView constant(std::vector<std::uint8_t> bytes, Shape shape, int bits);
  [[nodiscard]] StorageView constants(const std::vector<std::int64_t>& values, Shape shape, int bits);
  /// A one-element view with the rank of `like`.
  [[nodiscard]] StorageView scalar(std::int64_t value, const StorageView& like, int bits);
  [[nodiscard]] StorageView scalar(std::int64_t value, const StorageView& like) {
    return scalar(value, like, like.bits);
  }
  void alias(tosa::ValueId to, int tensor);  ///< `to` has the same bytes in another shape

  // Operators that follow another operator.
  [[nodiscard]] std::optional<std::size_t> follower(tosa::ValueId id, tosa::Op kind) const;
  /// The RESCALE (if wanted), CLAMPs and 8-bit TABLE that follow `id` as its only consumers.
  [[nodiscard]] Result<Tail> tail(tosa::ValueId id, bool rescale);

  // Operations.
  [[nodiscard]] BlockOperation block(OpKind kind) const;  ///< of this family, with a kernel of 1x1 and unit scales
  /// Elementwise operation; extents of 1 are broadcast. Swaps a and b where only b can be broadcast.
  [[nodiscard]] Result<void> elementwise(ElementwiseMode mode, const StorageView& out, const StorageView& a,
                                         const StorageView& b, const Output& how = {});
  [[nodiscard]] Result<void> elementwise(const BlockOperation& proto, StorageView out, StorageView a, StorageView b,
                                         const Output& how = {});
  [[nodiscard]] Result<void> unary(ElementwiseMode mode, const StorageView& out, const StorageView& a,
                                   const Output& how = {});
  /// out = saturate(scale(a - zp) + zp), with the other settings of `how`.
  [[nodiscard]] Result<void> convert(const StorageView& out, const StorageView& a, const Output& how = {});
  /// Copies without changing bits.
  [[nodiscard]] Result<void> copy(const StorageView& out, const StorageView& a);
  [[nodiscard]] Result<void> fill(const StorageView& dense_out, std::int64_t value);
  /// Any operation over maps [h][w][c]; `extents` are those that the operation touches.
  [[nodiscard]] Result<void> add(BlockOperation proto, const StorageView& ofm, const StorageView& ifm,
                                 const StorageView* ifm2, std::shared_ptr<const LayerConstants> constants = nullptr,
                                 const Output* how = nullptr);
  [[nodiscard]] Result<void> add_dma(DmaOperation dma, const StorageView& target, const StorageView& source,
                                     const StorageView* index);
  /// An elementwise operation over views of any rank; `b` may be null.
  [[nodiscard]] Result<void> map(const BlockOperation& proto, const StorageView& out, const StorageView* a,
                                 const StorageView* b, const Output& how);
  void set_output(BlockOperation& proto, const StorageView& out, const Output& how) const;

 private:
  [[nodiscard]] int add_storage(std::string name, const Shape& shape, int bits);
  void bind(Placement& operand, FeatureMap& map, const StorageView& v);
  [[nodiscard]] Result<void> push(NetworkStep step);

  std::vector<int> tensor_of_;                              ///< by value: index in Network::tensors, or -1
  std::map<std::pair<std::string, int>, int> constant_of_;  ///< by bytes and bits of an element
  std::size_t steps_before_ = 0, counted_op_ = static_cast<std::size_t>(-1);
};

using LowerFunction = Result<void> (*)(Lowering&);

#define MACAW_LOWERING(name, function) [[nodiscard]] Result<void> function(Lowering& lowering);
#include "compiler/operators.def"

/// Whether a SCATTER may write its rows into the variable that it reads: no other operator reads the previous contents.
[[nodiscard]] bool updates_variable_in_place(const Lowering& lowering);

/// Lowers the whole main block. kUnsupported names the operator and the reason.
[[nodiscard]] Result<Network> lower(const tosa::Graph& graph, const Accelerator& accelerator);

}  // namespace macaw::npu
