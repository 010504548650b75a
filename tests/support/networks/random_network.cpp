#include "tests/support/networks/random_network.hpp"

#include <macaw/tosa/interpreter.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

namespace macaw::test {
namespace {

using tosa::Op;

constexpr Op kLowered[] = {
#define MACAW_LOWERING(name, function) Op::k##name,
#define MACAW_OWN_LOWERING(name, function) Op::k##name,
#include "compiler/operators.def"
#undef MACAW_LOWERING
#undef MACAW_OWN_LOWERING
};

/// Operators that need no state: all that the compiler has, but for those of variables.
constexpr bool is_of_variables(Op op) {
  return op == Op::kVARIABLE || op == Op::kVARIABLE_READ || op == Op::kVARIABLE_WRITE;
}
constexpr auto kOps = [] {
  std::array<Op, std::ranges::count_if(kLowered, [](Op op) { return !is_of_variables(op); })> ops{};
  std::ranges::copy_if(kLowered, ops.begin(), [](Op op) { return !is_of_variables(op); });
  return ops;
}();

constexpr Op kWideOps[] = {Op::kADD,     Op::kSUB,     Op::kARITHMETIC_RIGHT_SHIFT, Op::kCLZ,  Op::kABS, Op::kMAXIMUM,
                           Op::kMINIMUM, Op::kGREATER, Op::kGREATER_EQUAL,          Op::kEQUAL};

bool is_int48(const tosa::TypeRow& row, const tosa::Definition& definition) {
  for (std::size_t i = 0; i < definition.type_variables.size(); ++i)
    if (row.types[i] == DType::kINT48) return true;
  return false;
}

bool has(const tosa::TypeRow& row, const tosa::Definition& definition, DType dtype) {
  const auto count = static_cast<std::ptrdiff_t>(definition.type_variables.size());
  return std::find(row.types.begin(), row.types.begin() + count, dtype) != row.types.begin() + count;
}

bool convolves(Op op) {
  return op == Op::kCONV2D || op == Op::kCONV3D || op == Op::kDEPTHWISE_CONV2D || op == Op::kTRANSPOSE_CONV2D;
}

/// Types of feature maps and weights that the NPU has.
bool eligible(const tosa::Definition& definition, const tosa::TypeRow& row) {
  if (!row.kernel || !find_cases(definition.op)) return false;
  for (std::size_t i = 0; i < definition.type_variables.size(); ++i) {
    switch (row.types[i]) {
      case DType::kBOOL:
      case DType::kINT8:
      case DType::kINT16:
      case DType::kINT32: continue;
      case DType::kINT48: continue;
      case DType::kINT4:
        if (definition.type_variables[i] == "weight_t") continue;
        return false;
      default: return false;
    }
  }
  return true;
}

/// Operators that U55 and U65 lack (the compiler's errors give the reasons). A convolution of INT16 is followed by
/// RESCALE.
bool in_every_family(const tosa::Definition& definition, const tosa::TypeRow& row) {
  switch (definition.op) {
    case Op::kBITWISE_AND:
    case Op::kBITWISE_OR:
    case Op::kBITWISE_XOR:
    case Op::kINTDIV:
    case Op::kGATHER:
    case Op::kSCATTER: return false;
    case Op::kTABLE: return !has(row, definition, DType::kINT16);
    default: return !is_int48(row, definition) || convolves(definition.op);
  }
}

/// INT32 operands, with INT32 or boolean results.
bool in_wide_chain(const tosa::Definition& definition, const tosa::TypeRow& row) {
  if (definition.op == Op::kRESCALE) return row.types[0] == DType::kINT32;
  for (std::size_t i = 0; i < definition.type_variables.size(); ++i)
    if (row.types[i] != DType::kINT32 && row.types[i] != DType::kBOOL) return false;
  return has(row, definition, DType::kINT32);
}

class NetworkGenerator {
 public:
  NetworkGenerator(std::uint64_t seed, Choice choice) : random_(seed), choice_(choice) {}

  RandomNetwork run(int count) {
    for (int i = 0; i < count; ++i) step();
    while (!pool_.empty() && pool_.back().tensor.dtype() == DType::kINT48 && choice_ == Choice::kEveryFamily) step();
    finish();
    return std::move(result_);
  }

 private:
  struct Available {
    tosa::ValueId id;
    Tensor tensor;
  };

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  template <class T>
  const T& any_of(std::span<const T> list) {
    return list[static_cast<std::size_t>(pick(0, std::ssize(list) - 1))];
  }

  /// Chooses the next operator of a value: often one that an NPU fuses with the previous one.
  Op next_op(const Available* start) {
    if (choice_ == Choice::kWideChain) {
      const bool rescaled = result_.ops.empty() || result_.ops.back() == Op::kRESCALE;
      return start && !rescaled && pick(1, 4) != 1 ? Op::kRESCALE : any_of<Op>(kWideOps);
    }
    if (start) {
      const auto dtype = start->tensor.dtype();
      const bool wide = dtype == DType::kINT48 || dtype == DType::kINT32;
      if (wide && (must_rescale(*start) || pick(1, 2) == 1)) return Op::kRESCALE;
      if (!wide && pick(1, 6) == 1) return pick(1, 2) == 1 ? Op::kCLAMP : Op::kTABLE;
    }
    return any_of<Op>(kOps);
  }

  /// Next value of the chain, which sometimes restarts.
  const Available* latest_wide() {
    if (pick(1, 8) == 1) return nullptr;
    for (auto i = pool_.size(); i-- > 0;)
      if (pool_[i].tensor.dtype() == DType::kINT32) return &pool_[i];
    return nullptr;
  }

  bool must_rescale(const Available& value) const {
    return value.tensor.dtype() == DType::kINT48 && choice_ == Choice::kEveryFamily;
  }

  void step() {
    for (;;) {
      const auto* start = pool_.empty() || pick(1, 8) == 1 ? nullptr : &any_of<Available>(pool_);
      if (!pool_.empty() && must_rescale(pool_.back())) start = &pool_.back();
      if (choice_ == Choice::kWideChain) start = latest_wide();
      const auto* definition = tosa::find_definition(next_op(start));
      const auto& row = definition->rows[static_cast<std::size_t>(pick(0, std::ssize(definition->rows) - 1))];
      if (!eligible(*definition, row)) continue;
      const bool forced = start && must_rescale(*start);
      if (choice_ == Choice::kEveryFamily && !forced && !in_every_family(*definition, row)) continue;
      if (choice_ == Choice::kWideChain && !in_wide_chain(*definition, row)) continue;
      if (forced && definition->op != Op::kRESCALE) continue;
      const auto c = make_case(random_, *definition, row, start ? &start->tensor : nullptr);
      if (choice_ == Choice::kWideChain && c.op.get_int(tosa::Attr::k_per_channel) != 0 && pick(1, 4) != 1) continue;
      if (start && c.given < 0) {
        // RESCALE draws its own INT48 values, so that one is put in their place.
        if (!forced || row.types[0] != DType::kINT48) continue;
        if (!append_rescale(*start, row.types[1])) continue;
        return;
      }
      if (append(c, start ? std::optional(start->id) : std::nullopt)) return;
    }
  }

  /// The results of one case alone, if it keeps the specification.
  static std::optional<std::vector<Tensor>> evaluate(const Case& c) {
    const auto alone = graph_of(c);
    tosa::Options options;
    options.level = tosa::kLevelNone;
    auto run = tosa::run(alone.graph, alone.inputs, options);
    if (!run) throw std::logic_error(run.error().to_string());
    if (run->verdict.status() != tosa::Status::kValid) return std::nullopt;
    return std::move(run->outputs);
  }

  bool append(const Case& c, std::optional<tosa::ValueId> given) {
    auto results = evaluate(c);
    if (!results) return false;
    for (const auto& tensor : *results)
      if (tensor.size() > 40'000) return false;
    result_.ops.push_back(c.op.op);
    bool constants = pick(1, 6) == 1;
    auto placed = c;
    if (convolves(c.op.op)) {
      // Weights are constants, the feature map is not.
      constants = true;
      if (!given) {
        given = input(c.inputs[0]);
        placed.given = 0;
      }
    }
    const auto ids = result_.made.append(placed, given, constants);
    for (std::size_t i = 0; i < ids.size(); ++i) pool_.push_back({ids[i], std::move((*results)[i])});
    return true;
  }

  /// A value that is not a constant.
  tosa::ValueId input(const Tensor& tensor) {
    Case identity;
    identity.op.op = Op::kIDENTITY;
    identity.inputs = {tensor};
    identity.outputs = {{tensor.dtype(), tensor.shape()}};
    return result_.made.append(identity)[0];
  }

  /// RESCALE of an INT48 result, one scale or one for each channel.
  bool append_rescale(const Available& start, DType to) {
    Case c;
    c.op.op = Op::kRESCALE;
    const auto& shape = start.tensor.shape();
    const bool per_channel = pick(1, 2) == 1;
    const auto channels = per_channel ? shape.back() : 1;
    Tensor multiplier(DType::kINT16, {channels}), shift(DType::kINT8, {channels});
    for (auto& m : multiplier.data<std::int16_t>()) m = static_cast<std::int16_t>(pick(1 << 14, (1 << 15) - 1));
    for (auto& s : shift.data<std::int8_t>()) s = static_cast<std::int8_t>(pick(20, 34));
    c.inputs = {start.tensor, multiplier, shift, Tensor(DType::kINT48, {1}), Tensor(to, {1})};
    if (to == DType::kINT8) c.inputs[4].data<std::int8_t>()[0] = static_cast<std::int8_t>(pick(-128, 127));
    c.given = 0;
    c.op.set(tosa::Attr::k_scale32, std::int64_t{0});
    c.op.set(tosa::Attr::k_rounding_mode, static_cast<std::int64_t>(tosa::RoundingMode::kSingleRound));
    c.op.set(tosa::Attr::k_per_channel, std::int64_t{per_channel});
    c.op.set(tosa::Attr::k_input_unsigned, std::int64_t{0});
    c.op.set(tosa::Attr::k_output_unsigned, std::int64_t{0});
    c.outputs = {{to, shape}};
    return append(c, start.id);
  }

  /// Results that something reads are outputs only now and then; INT48 values that U55 and U65 do not have never.
  void finish() {
    auto& block = result_.made.graph.blocks.front();
    std::vector<bool> read(block.values.size());
    for (const auto& op : block.operators)
      for (const auto id : op.inputs) read[id] = true;
    std::vector<tosa::ValueId> kept;
    for (auto& value : pool_) {
      if (read[value.id] && (must_rescale(value) || pick(1, 6) != 1)) continue;
      kept.push_back(value.id);
      result_.expected.push_back(std::move(value.tensor));
    }
    block.outputs = std::move(kept);
  }

  Random random_;
  Choice choice_;
  std::vector<Available> pool_;
  RandomNetwork result_;
};

}  // namespace

RandomNetwork random_network(std::uint64_t seed, int count, Choice choice) {
  return NetworkGenerator(seed, choice).run(count);
}

}  // namespace macaw::test
