#include <cmath>

#include <fmt/format.h>

#include "reference/tflite/function_tables.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{unidirectional_sequence_lstm.cc,lstm_eval.h,
// lstm_eval.cc,lstm_eval_common.cc}: the standard cell, without peepholes, projection and layer normalisation.
namespace macaw::tflite::unidirectional_sequence_lstm {
namespace {

// The four gates in the order of the operator's inputs.
enum Gate : std::size_t { kInputGate, kForgetGate, kCellGate, kOutputGate, kGates };
constexpr std::size_t kInput = 0, kInputWeights = 1, kStateWeights = 5, kBiases = 12, kOutputState = 18,
                      kCellState = 19;
constexpr std::size_t kInputs = 24;

struct Geometry {
  std::int64_t batches, steps, depth, units;
  bool is_time_major;

  /// First element of a step's values of `width`.
  [[nodiscard]] std::size_t offset(std::int64_t batch, std::int64_t step, std::int64_t width) const {
    return static_cast<std::size_t>((is_time_major ? step * batches + batch : batch * steps + step) * width);
  }
};

Result<Geometry> geometry(const Call& call, bool is_time_major) {
  if (call.inputs.size() != kInputs) return unsupported(fmt::format("{} inputs, not 24", call.inputs.size()));
  MACAW_ASSIGN(const Tensor* in, call.input(kInput));
  MACAW_ASSIGN(const Tensor* hidden, call.input(kOutputState));
  MACAW_ASSIGN(const Tensor* cell, call.input(kCellState));
  MACAW_CHECK(expect_rank(*in, 3, "the input"));
  MACAW_CHECK(expect_rank(*hidden, 2, "the output state"));
  const Shape& shape = in->shape();
  const Geometry g{shape[is_time_major ? 1 : 0], shape[is_time_major ? 0 : 1], shape[2], hidden->shape()[1],
                   is_time_major};
  MACAW_CHECK(expect(*hidden, Shape{g.batches, g.units}, "the output state"));
  MACAW_CHECK(expect(*hidden, in->dtype(), "the output state"));
  if (cell->size() != hidden->size()) return invalid("the states differ in size");
  for (std::size_t gate = 0; gate < kGates; ++gate) {
    MACAW_ASSIGN(const Tensor* from_input, call.input(kInputWeights + gate));
    MACAW_ASSIGN(const Tensor* from_state, call.input(kStateWeights + gate));
    MACAW_CHECK(expect(*from_input, Shape{g.units, g.depth}, "the input's weights"));
    MACAW_CHECK(expect(*from_state, Shape{g.units, g.units}, "the state's weights"));
    if (const Tensor* bias = call.optional_input(kBiases + gate)) MACAW_CHECK(expect(*bias, Shape{g.units}, "a bias"));
  }
  for (const std::size_t i : {9, 10, 11, 16, 17, 20, 21, 22, 23})
    if (call.optional_input(i)) return unsupported("peepholes, projection or layer normalisation");
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_CHECK(expect(call.output(), Shape{shape[0], shape[1], g.units}, "the output"));
  return g;
}

/// Arithmetic of a cell for a numeric type: how gates add up, and how states follow from them.
struct FloatCell {
  using Value = float;
  using State = float;
  using Weight = float;
  using Bias = float;
  float clip = 0;

  [[nodiscard]] float gate(std::size_t, float input_sum, float bias, float state_sum) const {
    return input_sum + bias + state_sum;
  }
  [[nodiscard]] float add(float sum, float a, std::size_t, bool, float b) const { return sum + a * b; }
  [[nodiscard]] static float sigmoid(float x) { return float_logistic(x); }
  [[nodiscard]] static float gate_tanh(float x) { return std::tanh(x); }
  [[nodiscard]] float next_cell(float cell, float forget, float input, float candidate) const {
    const float next = forget * cell + input * candidate;
    return clip > 0 ? std::max(std::min(clip, next), -clip) : next;
  }
  [[nodiscard]] float next_hidden(float cell, float output) const { return std::tanh(cell) * output; }
};

struct GateScales {
  FixedMultiplier input, state;
};

template <class T, class Sum>
struct QuantizedCell {
  using Value = T;
  using State = std::int16_t;
  using Weight = std::int8_t;
  using Bias = Sum;
  std::array<GateScales, kGates> gates;
  std::int32_t input_zero = 0, hidden_zero = 0;
  FixedMultiplier forget, input, output;
  std::int32_t clip = 0;  // 0: none
  SigmoidScale cell_tanh;

  static std::int64_t scaled(Sum sum, FixedMultiplier by) {
    if constexpr (sizeof(Sum) == 8) return scale_wide(sum, by);
    else return scale(sum, by);
  }
  [[nodiscard]] std::int16_t gate(std::size_t gate, Sum input_sum, Sum bias, Sum state_sum) const {
    using U = std::make_unsigned_t<Sum>;
    const auto with_bias = static_cast<Sum>(static_cast<U>(input_sum) + static_cast<U>(bias));
    return clamped<std::int16_t>(std::int64_t{clamped<std::int16_t>(scaled(with_bias, gates[gate].input))} +
                                 clamped<std::int16_t>(scaled(state_sum, gates[gate].state)));
  }
  [[nodiscard]] Sum add(Sum sum, T a, std::size_t, bool is_state, std::int8_t b) const {
    using U = std::make_unsigned_t<Sum>;
    return static_cast<Sum>(static_cast<U>(sum) +
                            static_cast<U>((Sum{a} - (is_state ? hidden_zero : input_zero)) * Sum{b}));
  }
  [[nodiscard]] static std::int16_t sigmoid(std::int16_t x) { return logistic16(x, {}); }
  [[nodiscard]] static std::int16_t gate_tanh(std::int16_t x) { return tanh16(x, {}); }
  [[nodiscard]] std::int16_t next_cell(std::int16_t cell, std::int16_t f, std::int16_t i,
                                       std::int16_t candidate) const {
    const auto kept = clamped<std::int16_t>(scale(f * cell, forget));
    const auto added = clamped<std::int16_t>(scale(i * candidate, input));
    const auto next = clamped<std::int16_t>(std::int64_t{kept} + added);
    return clip > 0 ? static_cast<std::int16_t>(std::clamp<std::int32_t>(next, -clip, clip)) : next;
  }
  [[nodiscard]] T next_hidden(std::int16_t cell, std::int16_t o) const {
    return clamped<T>(std::int64_t{scale(tanh16(cell, cell_tanh) * o, output)} + hidden_zero);
  }
};

template <class Cell>
class Sequence {
 public:
  Sequence(const Call& call, const Geometry& g, const Cell& cell, Tensor& hidden, Tensor& state)
      : call_(call), g_(g), cell_(cell), hidden_(hidden), state_(state) {}

  void run() {
    const auto units = static_cast<std::size_t>(g_.units);
    const auto in = call_.inputs[kInput].value->data<Value>();
    const auto out = call_.output().template uninitialized_data<Value>();
    std::array<std::vector<State>, kGates> gates;
    for (auto& gate : gates) gate.resize(units);
    for (std::int64_t b = 0; b < g_.batches; ++b) {
      const auto hidden = hidden_.data<Value>().subspan(static_cast<std::size_t>(b) * units, units);
      const auto state = state_.data<State>().subspan(static_cast<std::size_t>(b) * units, units);
      for (std::int64_t t = 0; t < g_.steps; ++t) {
        const auto now = in.subspan(g_.offset(b, t, g_.depth), static_cast<std::size_t>(g_.depth));
        for (std::size_t gate = 0; gate < kGates; ++gate)
          for (std::size_t u = 0; u < units; ++u) gates[gate][u] = value_of(gate, u, now, hidden);
        for (std::size_t u = 0; u < units; ++u) {
          state[u] = cell_.next_cell(state[u], gates[kForgetGate][u], gates[kInputGate][u], gates[kCellGate][u]);
          hidden[u] = cell_.next_hidden(state[u], gates[kOutputGate][u]);
        }
        std::ranges::copy(hidden, out.subspan(g_.offset(b, t, g_.units), units).begin());
      }
    }
  }

 private:
  using Value = typename Cell::Value;
  using State = typename Cell::State;
  using Weight = typename Cell::Weight;
  using Sum = typename Cell::Bias;

  State value_of(std::size_t gate, std::size_t unit, std::span<const Value> now, std::span<const Value> hidden) const {
    const auto sum = [&](std::span<const Value> values, std::size_t weights, bool is_state) {
      const auto row = call_.inputs[weights + gate].value->template data<Weight>().subspan(unit * values.size());
      Sum total = 0;
      for (std::size_t i = 0; i < values.size(); ++i) total = cell_.add(total, values[i], gate, is_state, row[i]);
      return total;
    };
    const Tensor* bias = call_.optional_input(kBiases + gate);
    const auto value = cell_.gate(gate, sum(now, kInputWeights, false), bias ? bias->data<Sum>()[unit] : Sum{0},
                                  sum(hidden, kStateWeights, true));
    return gate == kCellGate ? Cell::gate_tanh(value) : Cell::sigmoid(value);
  }

  const Call& call_;
  const Geometry& g_;
  const Cell& cell_;
  Tensor &hidden_, &state_;
};

template <class T, class Sum>
Result<QuantizedCell<T, Sum>> quantized_cell(const Call& call, float clip) {
  QuantizedCell<T, Sum> cell;
  MACAW_ASSIGN(const Affine in, affine(call.inputs[kInput]));
  MACAW_ASSIGN(const Affine hidden, affine(call.inputs[kOutputState]));
  MACAW_ASSIGN(const Affine state, affine(call.inputs[kCellState]));
  constexpr double kGateScale = 1.0 / 4096, kUnit = 1.0 / 32768;
  for (std::size_t gate = 0; gate < kGates; ++gate) {
    MACAW_ASSIGN(const Affine from_input, affine(call.inputs[kInputWeights + gate]));
    MACAW_ASSIGN(const Affine from_state, affine(call.inputs[kStateWeights + gate]));
    if (from_input.zero_point != 0 || from_state.zero_point != 0) return unsupported("weights with a zero point");
    // The products are in single precision.
    const float input_product = in.scale * from_input.scale, state_product = hidden.scale * from_state.scale;
    MACAW_ASSIGN(cell.gates[gate].input, fixed_multiplier(double{input_product} / kGateScale));
    MACAW_ASSIGN(cell.gates[gate].state, fixed_multiplier(double{state_product} / kGateScale));
    constexpr int kWideShiftLimit = 8;
    if (sizeof(Sum) == 8 && std::max(cell.gates[gate].input.shift, cell.gates[gate].state.shift) >= kWideShiftLimit)
      return unsupported("a gate with a scale of 128 or more");
  }
  cell.input_zero = in.zero_point;
  cell.hidden_zero = hidden.zero_point;
  MACAW_ASSIGN(cell.forget, fixed_multiplier(kUnit * double{state.scale} / double{state.scale}));
  MACAW_ASSIGN(cell.input, fixed_multiplier(kUnit * kUnit / double{state.scale}));
  MACAW_ASSIGN(cell.output, fixed_multiplier(kUnit * kUnit / double{hidden.scale}));
  int exponent = 0;
  if (!is_power_of_two(state.scale, exponent) || exponent < -15 - 12 || exponent > 0 || state.zero_point != 0)
    return unsupported(fmt::format("a cell state of scale {} and zero point {}", state.scale, state.zero_point));
  const int shift = exponent + 12;
  cell.cell_tanh = shift >= 0 ? SigmoidScale{0, shift} : SigmoidScale{3, -shift};
  if (clip > 0)
    cell.clip = static_cast<std::int32_t>(std::clamp(double{clip} / double{state.scale}, -32768.0, 32767.0));
  return cell;
}

/// Types of weights and biases.
Result<void> check_types(const Call& call, DType weights, DType biases) {
  for (std::size_t gate = 0; gate < kGates; ++gate) {
    MACAW_CHECK(expect(*call.inputs[kInputWeights + gate].value, weights, "the input's weights"));
    MACAW_CHECK(expect(*call.inputs[kStateWeights + gate].value, weights, "the state's weights"));
    if (const Tensor* bias = call.optional_input(kBiases + gate)) MACAW_CHECK(expect(*bias, biases, "a bias"));
  }
  return {};
}

template <class T, class Sum>
Result<void> run_quantized(Call& call, const Geometry& g, float clip, Tensor& hidden, Tensor& state) {
  MACAW_CHECK(check_types(call, DType::kINT8, sizeof(Sum) == 8 ? DType::kINT64 : DType::kINT32));
  MACAW_CHECK(expect(state, DType::kINT16, "the cell state"));
  MACAW_ASSIGN(const auto cell, (quantized_cell<T, Sum>(call, clip)));
  Sequence(call, g, cell, hidden, state).run();
  return {};
}

Result<void> unidirectional_sequence_lstm(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::UnidirectionalSequenceLSTMOptionsT>());
  if (options->diagonal_recurrent_tensors) return unsupported("diagonal recurrent weights");
  if (options->fused_activation_function != schema::ActivationFunctionType::TANH)
    return unsupported("another activation than TANH");
  MACAW_ASSIGN(const Geometry g, geometry(call, options->time_major));
  MACAW_ASSIGN(const auto work,
               element_count({g.batches, g.steps, static_cast<std::int64_t>(kGates), g.units, g.depth + g.units}));
  MACAW_CHECK(call.account(work));
  MACAW_ASSIGN(Tensor * hidden, call.state(kOutputState));
  MACAW_ASSIGN(Tensor * state, call.state(kCellState));
  switch (call.inputs[kInput].value->dtype()) {
    case DType::kFP32: {
      MACAW_CHECK(check_types(call, DType::kFP32, DType::kFP32));
      MACAW_CHECK(expect(*state, DType::kFP32, "the cell state"));
      const FloatCell cell{options->cell_clip};
      Sequence(call, g, cell, *hidden, *state).run();
      return {};
    }
    case DType::kINT8: return run_quantized<std::int8_t, std::int32_t>(call, g, options->cell_clip, *hidden, *state);
    case DType::kINT16: return run_quantized<std::int16_t, std::int64_t>(call, g, options->cell_clip, *hidden, *state);
    default: return unsupported_type(call.inputs[kInput].value->dtype());
  }
}

constexpr Definition kDefinitions[] = {
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", kInputs, kInputs, 1, 1, unidirectional_sequence_lstm},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::unidirectional_sequence_lstm
