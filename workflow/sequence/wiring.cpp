#include "workflow/sequence/wiring.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <type_traits>

#include <macaw/quantised_values.hpp>

#include "base/number_text.hpp"
#include "base/tensor_elements.hpp"

namespace macaw::sequence {
namespace {

std::optional<std::size_t> find(const std::vector<Port>& ports, std::string_view name) {
  const auto found = std::ranges::find_if(ports, [&](const Port& port) { return port.tensor.name == name; });
  if (found != ports.end()) return static_cast<std::size_t>(found - ports.begin());
  const auto number = io::number_of<std::size_t>(name);
  return number && *number < ports.size() ? number : std::nullopt;
}

tl::unexpected<Error> not_found(const std::vector<Port>& ports, std::string_view name, const char* option,
                                const char* kind) {
  std::vector<std::string> names;
  for (const auto& port : ports) names.push_back("'" + port.tensor.name + "'");
  return fail(ErrorCode::kMismatch,
              fmt::format("{}: no {} is called '{}'; expected one of {}", option, kind, name, fmt::join(names, ", ")));
}

Result<std::size_t> port_named(const std::vector<Port>& ports, std::string_view name, const char* option,
                               const char* kind) {
  if (const auto found = find(ports, name)) return *found;
  return not_found(ports, name, option, kind);
}

struct Halves {
  std::string_view left, right;
};

/// The two sides of the first '=' with a port on its left, else of the first: names may have one.
Result<Halves> halves(std::string_view text, const std::vector<Port>& ports, const char* option, const char* form) {
  std::optional<Halves> first;
  for (auto at = text.find('='); at != text.npos; at = text.find('=', at + 1)) {
    const Halves split{text.substr(0, at), text.substr(at + 1)};
    if (!first) first = split;
    if (find(ports, split.left)) return split;
  }
  if (!first || first->left.empty() || first->right.empty())
    return fail(ErrorCode::kUsage, fmt::format("{} {}: expected {}", option, text, form));
  return *first;
}

/// Stores the number in every element: false for a type that does not have it, or whose numbers C++ does not have. A
/// floating-point type has the nearest one if that `rounds`.
bool fill(Tensor& tensor, double value, bool any_sign, bool rounds) {
  const DType dtype = tensor.dtype();
  return io::with_elements(tensor, [&](auto elements) {
    using T = typename decltype(elements)::value_type;
    T stored{};
    if constexpr (std::is_floating_point_v<T>) {
      stored = static_cast<T>(value);
      if (!rounds && static_cast<double>(stored) != value) return false;
    } else {
      const auto bits = static_cast<int>(info(dtype).bits);
      const bool has_sign = std::is_signed_v<T>;
      const double least = has_sign ? -std::ldexp(1.0, bits - 1) : 0;
      const double end = std::ldexp(1.0, has_sign && !any_sign ? bits - 1 : bits);
      if (!(value >= least && value < end) || std::floor(value) != value) return false;
      stored = value < 0 ? static_cast<T>(static_cast<std::int64_t>(value))
                         : static_cast<T>(static_cast<std::uint64_t>(value));
    }
    std::ranges::fill(elements, stored);
    return true;
  });
}

/// The number as a single element holds it; absent where fill() returns false.
std::optional<double> stored_number(DType dtype, double value, bool any_sign) {
  Tensor one(dtype, {1});
  if (is_block_scale(dtype) || !fill(one, value, any_sign, true)) return std::nullopt;
  return sole_value(one);
}

/// "SCALE" or "SCALE:ZERO_POINT".
Result<Quantization> quantization_of(std::string_view text, std::string_view option) {
  const auto colon = text.find(':');
  const auto scale = io::number_of<float>(text.substr(0, colon));
  const auto zero = colon == text.npos ? 0 : io::number_of<std::int64_t>(text.substr(colon + 1));
  if (!scale || !(*scale > 0) || !std::isfinite(*scale) || !zero)
    return fail(ErrorCode::kUsage,
                fmt::format("--scale {}: expected PORT=SCALE or PORT=SCALE:ZERO_POINT, SCALE positive", option));
  return Quantization{.scale = {*scale}, .zero_point = {*zero}};
}

/// A name may be that of an input, of an output, or of both; a number is that of an output.
Result<void> state_scale(Wiring& wiring, const std::string& text) {
  auto both = wiring.inputs;
  both.insert(both.end(), wiring.outputs.begin(), wiring.outputs.end());
  MACAW_ASSIGN(const auto split, halves(text, both, "--scale", "PORT=SCALE"));
  MACAW_ASSIGN(auto quantization, quantization_of(split.right, text));
  const auto zero_point = static_cast<double>(quantization.zero_point[0]);
  const auto shared = std::make_shared<const Quantization>(std::move(quantization));
  const auto set = [&](Port& port) -> Result<void> {
    const auto& [name, dtype, shape, any_sign] = port.tensor;
    if (!is_float(dtype) && !stored_number(dtype, zero_point, any_sign))
      return fail(ErrorCode::kMismatch, fmt::format("--scale {}: '{}' of {} cannot hold the zero point {}", text, name,
                                                    to_string(dtype), zero_point));
    port.quantization = shared;
    return {};
  };
  bool is_there = false;
  for (auto* ports : {&wiring.inputs, &wiring.outputs})
    for (auto& port : *ports)
      if (port.tensor.name == split.left) {
        MACAW_CHECK(set(port));
        is_there = true;
      }
  if (is_there) return {};
  if (const auto output = find(wiring.outputs, split.left)) return set(wiring.outputs[*output]);
  return not_found(both, split.left, "--scale", "input or output");
}

std::string scale_text(const Quantization* q) {
  if (!q) return "no scale";
  return fmt::format("scale {}, zero point {}", fmt::join(q->scale, " "), fmt::join(q->zero_point, " "));
}

bool equal(const Quantization& a, const Quantization& b) {
  const auto zeros = [](const Quantization& q) {
    return q.zero_point.empty() ? std::vector<std::int64_t>(q.scale.size()) : q.zero_point;
  };
  return a.scale == b.scale && zeros(a) == zeros(b) && (a.scale.size() < 2 || a.dimension == b.dimension);
}

/// Whether dequantised(), or quantised() of a target, takes the type; FP32 needs neither.
bool converts(DType dtype, bool is_target) {
  switch (dtype) {
    case DType::kFP32:
    case DType::kINT8:
    case DType::kUINT8:
    case DType::kINT16: return true;
    case DType::kINT4:
    case DType::kINT32:
    case DType::kINT64: return !is_target;
    default: return false;
  }
}

/// Whether the input takes what the output holds; with `requantize`, by their scales.
Result<bool> check_feedback(const Port& output, const Port& input, bool requantize) {
  const auto differs = [&](std::string what) {
    return fail(ErrorCode::kMismatch,
                fmt::format("--feedback {}={}: {}", output.tensor.name, input.tensor.name, std::move(what)));
  };
  const auto &from = output.tensor, &to = input.tensor;
  if (from.shape && to.shape && !same_arrangement(*from.shape, *to.shape))
    return differs(fmt::format("the output has shape {}, the input {}", to_string(*from.shape), to_string(*to.shape)));
  const bool same_type =
      from.dtype == to.dtype || ((from.any_sign || to.any_sign) && size_of(from.dtype) == size_of(to.dtype));
  const bool both_float = is_float(from.dtype) && is_float(to.dtype);
  const bool both_scaled = output.quantization && input.quantization;
  const bool one_scaled = (output.quantization != nullptr) != (input.quantization != nullptr) && !is_float(from.dtype);
  const bool same_scale = both_float || (both_scaled ? equal(*output.quantization, *input.quantization) : !one_scaled);
  if (same_type && same_scale) return false;
  const bool can = (output.quantization || is_float(from.dtype)) && (input.quantization || is_float(to.dtype));
  if (requantize && can) {
    for (const auto& [port, is_target] : {std::pair(&from, false), std::pair(&to, true)})
      if (!converts(port->dtype, is_target))
        return differs(
            fmt::format("--requantize does not convert {} {}", is_target ? "to" : "from", to_string(port->dtype)));
    return true;
  }
  static const std::string kStateScale = "; --scale states the scale of a port that the file has none of";
  const std::string advice = requantize ? kStateScale : "; --requantize converts by the scales of both";
  if (!same_type)
    return differs(fmt::format("the output is {}, the input {}{}", to_string(from.dtype), to_string(to.dtype), advice));
  return differs(fmt::format("the output has {}, the input {}{}", scale_text(output.quantization.get()),
                             scale_text(input.quantization.get()), one_scaled ? kStateScale : advice));
}

Result<void> add_feedback(Wiring& wiring, const std::string& text, bool requantize) {
  MACAW_ASSIGN(const auto split, halves(text, wiring.outputs, "--feedback", "OUT=IN"));
  Feedback feedback;
  MACAW_ASSIGN(feedback.output, port_named(wiring.outputs, split.left, "--feedback", "output"));
  MACAW_ASSIGN(feedback.input, port_named(wiring.inputs, split.right, "--feedback", "input"));
  MACAW_ASSIGN(feedback.requantized,
               check_feedback(wiring.outputs[feedback.output], wiring.inputs[feedback.input], requantize));
  wiring.feedback.push_back(feedback);
  return {};
}

Result<void> add_count(Wiring& wiring, const std::string& text) {
  MACAW_ASSIGN(const auto split, halves(text, wiring.inputs, "--count", "IN=FIRST"));
  Count count;
  MACAW_ASSIGN(count.input, port_named(wiring.inputs, split.left, "--count", "input"));
  const auto first = io::number_of<std::int32_t>(split.right);
  if (!first) return fail(ErrorCode::kUsage, fmt::format("--count {}: expected IN=FIRST, an integer", text));
  count.first = *first;
  MACAW_CHECK(filled(wiring.inputs[count.input], count.first));
  wiring.counts.push_back(count);
  return {};
}

Result<void> add_initial(Wiring& wiring, const std::string& text) {
  MACAW_ASSIGN(const auto split, halves(text, wiring.inputs, "--initial", "IN=FILE.npy"));
  MACAW_ASSIGN(const auto input, port_named(wiring.inputs, split.left, "--initial", "input"));
  const bool is_fed = std::ranges::any_of(wiring.feedback, [&](const Feedback& f) { return f.input == input; });
  if (!is_fed) return fail(ErrorCode::kUsage, fmt::format("--initial {}: no --feedback leads to this input", text));
  const std::string file(split.right);
  MACAW_ASSIGN(const auto array, read_npy(file));
  MACAW_ASSIGN(auto tensor, fit_input(array, wiring.inputs[input].tensor, {}, file));
  if (!wiring.initial.emplace(input, std::move(tensor)).second)
    return fail(ErrorCode::kUsage, fmt::format("--initial: input '{}' is given twice", split.left));
  return {};
}

Result<void> add_stop(Wiring& wiring, const std::string& text) {
  MACAW_ASSIGN(const auto split, halves(text, wiring.outputs, "--stop", "OUT=VALUE"));
  Stop stop;
  MACAW_ASSIGN(stop.output, port_named(wiring.outputs, split.left, "--stop", "output"));
  const auto value = io::number_of<double>(split.right);
  if (!value) return fail(ErrorCode::kUsage, fmt::format("--stop {}: expected OUT=VALUE, a number", text));
  const auto& output = wiring.outputs[stop.output].tensor;
  const auto stored = stored_number(output.dtype, *value, output.any_sign);
  if (!stored || std::isnan(*stored))
    return fail(ErrorCode::kMismatch,
                fmt::format("--stop {}: output '{}' of {} cannot hold {}, so that no step would be the last", text,
                            output.name, to_string(output.dtype), split.right));
  stop.value = *stored;
  wiring.stop = stop;
  return {};
}

Result<void> check_once(const Wiring& wiring) {
  std::set<std::size_t> seen;
  const auto add = [&](std::size_t input) -> Result<void> {
    if (seen.insert(input).second) return {};
    return fail(ErrorCode::kUsage, fmt::format("input '{}' is fed by more than one of --feedback and --count",
                                               wiring.inputs[input].tensor.name));
  };
  for (const auto& feedback : wiring.feedback) MACAW_CHECK(add(feedback.input));
  for (const auto& count : wiring.counts) MACAW_CHECK(add(count.input));
  return {};
}

}  // namespace

bool Options::any() const {
  return !feedback.empty() || !initial.empty() || !counts.empty() || !scales.empty() || !stop.empty() ||
         !score.empty() || requantize;
}

std::vector<std::size_t> Wiring::given() const {
  std::set<std::size_t> fed;
  for (const auto& item : feedback) fed.insert(item.input);
  for (const auto& item : counts) fed.insert(item.input);
  for (const auto* tensors : {&constants, &initial})
    for (const auto& [input, tensor] : *tensors) fed.insert(input);
  std::vector<std::size_t> given;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!fed.contains(i)) given.push_back(i);
  return given;
}

Result<Wiring> resolve(const Engine& engine, const Options& options) {
  Wiring wiring{.inputs = engine.inputs(), .outputs = engine.outputs()};
  for (const auto& text : options.scales) MACAW_CHECK(state_scale(wiring, text));
  for (const auto& text : options.feedback) MACAW_CHECK(add_feedback(wiring, text, options.requantize));
  for (const auto& text : options.counts) MACAW_CHECK(add_count(wiring, text));
  MACAW_CHECK(check_once(wiring));
  for (const auto& text : options.initial) MACAW_CHECK(add_initial(wiring, text));
  if (!options.stop.empty()) MACAW_CHECK(add_stop(wiring, options.stop));
  if (!options.score.empty()) {
    MACAW_ASSIGN(const auto split, halves(options.score, wiring.outputs, "--score", "OUT=TARGETS.npy"));
    MACAW_ASSIGN(wiring.scored, port_named(wiring.outputs, split.left, "--score", "output"));
    wiring.targets = split.right;
    MACAW_ASSIGN(wiring.classes, read_tensor(wiring.targets));
  }
  return wiring;
}

Result<Tensor> fed_back(const Wiring& wiring, const Feedback& feedback, const Tensor& output) {
  const Port &from = wiring.outputs[feedback.output], &to = wiring.inputs[feedback.input];
  Tensor tensor = output;
  if (feedback.requantized) {
    if (!is_float(from.tensor.dtype)) {
      MACAW_ASSIGN(tensor, dequantised(tensor, *from.quantization));
    }
    if (!is_float(to.tensor.dtype)) {
      MACAW_ASSIGN(tensor, quantised(tensor, *to.quantization, to.tensor.dtype));
    }
  }
  return fit_input(to_npy(tensor), to.tensor, {}, "");
}

Result<Tensor> filled(const Port& port, std::int64_t value) {
  if (!port.tensor.shape)
    return fail(ErrorCode::kUnsupported,
                fmt::format("'{}' has no shape that is known before the run", port.tensor.name));
  MACAW_ASSIGN(auto tensor, Tensor::create(port.tensor.dtype, *port.tensor.shape));
  if (!fill(tensor, static_cast<double>(value), port.tensor.any_sign, false))
    return fail(ErrorCode::kMismatch,
                fmt::format("input '{}' of {} cannot hold {}", port.tensor.name, to_string(port.tensor.dtype), value));
  return tensor;
}

std::optional<double> sole_value(const Tensor& tensor) {
  std::optional<double> sole;
  io::with_elements(tensor, [&](auto elements) {
    if (elements.empty()) return false;
    const auto first = elements.front();
    if (std::ranges::all_of(elements, [&](auto element) { return element == first; }))
      sole = static_cast<double>(first);
    return true;
  });
  return sole;
}

}  // namespace macaw::sequence
