#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/run.hpp>
#include <macaw/quantised_values.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "workflow/accuracy/groups.hpp"
#include "workflow/accuracy/tosa_pair.hpp"
#include "workflow/compare/program.hpp"

namespace macaw::accuracy {
namespace {

constexpr std::size_t kFitSets = 16;

using Values = std::map<tosa::ValueId, Tensor>;

/// A run of a graph: the values that are asked for, and the outputs.
struct GraphRun {
  Values values;
  std::vector<Tensor> outputs;
};

Result<std::vector<Tensor>> run_graph(const tosa::Graph& graph, std::vector<Tensor> inputs, const std::string& file,
                                      tosa::Options options) {
  options.threads = 1;
  auto run = tosa::run(graph, std::move(inputs), options);
  if (!run) {
    if (run.error().place.file.empty()) run.error().place.file = file;
    return tl::unexpected(run.error());
  }
  if (run->outputs.empty() && !graph.main().outputs.empty())
    return fail(ErrorCode::kInvalidGraph, "the graph breaks the specification: run 'macaw tosa' for the verdict",
                {.file = file});
  return std::move(run->outputs);
}

Result<GraphRun> run_whole(const tosa::Graph& graph, const std::vector<Tensor>& inputs, const std::string& file,
                           const std::map<std::string_view, tosa::ValueId>& wanted) {
  GraphRun result;
  const auto& block = graph.main();
  for (std::size_t i = 0; i < inputs.size() && i < block.inputs.size(); ++i)
    result.values.emplace(block.inputs[i], inputs[i]);
  tosa::Options options;
  options.on_tensor = [&](const tosa::Value& value, const Tensor& tensor) {
    if (const auto found = wanted.find(value.name); found != wanted.end())
      result.values.insert_or_assign(found->second, tensor);
  };
  MACAW_ASSIGN(result.outputs, run_graph(graph, inputs, file, std::move(options)));
  return result;
}

/// Sums for the fit of a scale and a zero point.
struct Fit {
  double n = 0, q = 0, r = 0, qq = 0, qr = 0;

  void add(double code, double real) {
    ++n;
    q += code;
    r += real;
    qq += code * code;
    qr += code * real;
  }
  [[nodiscard]] double square(double zero) const { return qq - 2 * zero * q + n * zero * zero; }
  [[nodiscard]] double product(double zero) const { return qr - zero * r; }
  /// Squares of the differences, less those of the values, which do not depend on the fit.
  [[nodiscard]] double error(double scale, double zero) const {
    return scale * scale * square(zero) - 2 * scale * product(zero);
  }
};

/// The scale fits the codes within their range, the zero point all codes: of the whole numbers near the best one the
/// one with the least error.
std::optional<Quantization> solve(const Fit& inner, const Fit& all, double least, double greatest) {
  const double variance = inner.n * inner.qq - inner.q * inner.q, covariance = inner.n * inner.qr - inner.q * inner.r;
  if (inner.n < 2 || !(variance > 0) || !(covariance > 0)) return std::nullopt;
  const double near = std::round((inner.q - inner.r * variance / covariance) / inner.n);
  std::optional<std::pair<double, Quantization>> best;
  constexpr double kReach = 4;
  for (double zero = std::clamp(near - kReach, least, greatest); zero <= std::clamp(near + kReach, least, greatest);
       ++zero) {
    const double scale = inner.product(zero) / inner.square(zero), error = all.error(scale, zero);
    if (!(scale > 0) || !std::isfinite(scale) || (best && best->first <= error)) continue;
    best.emplace(error, Quantization{.scale = {static_cast<float>(scale)}, .zero_point = {std::llround(zero)}});
  }
  return best ? std::optional(best->second) : std::nullopt;
}

template <class T>
void add_codes(const Tensor& codes, std::span<const float> reals, Fit& inner, Fit& all) {
  const auto values = codes.data<T>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    all.add(values[i], reals[i]);
    if (values[i] != std::numeric_limits<T>::min() && values[i] != std::numeric_limits<T>::max())
      inner.add(values[i], reals[i]);
  }
}

/// Both graphs, what is compared, and the scales that were fitted. Several threads may run sets at the same time.
class PairRunner {
 public:
  static Result<PairRunner> create(const TosaRequest& request) {
    PairRunner runner(request);
    runner.pairing_ = pair_graphs(request.reference->main(), request.quantised->main());
    MACAW_CHECK(runner.check_inputs());
    for (const auto& pair : runner.pairing_.pairs) {
      runner.here_.emplace(request.quantised->main().values[pair.quantised].name, pair.quantised);
      runner.there_.emplace(request.reference->main().values[pair.reference].name, pair.reference);
    }
    MACAW_CHECK(runner.fit_scales());
    runner.find_layers();
    MACAW_CHECK(runner.prepare_artifacts());
    return runner;
  }

  [[nodiscard]] const std::vector<Layer>& layers() const { return layers_; }
  [[nodiscard]] const TosaPairing& pairing() const { return pairing_; }
  [[nodiscard]] const std::vector<npu::PreparedNetwork>& npus() const { return npus_; }
  [[nodiscard]] bool has_classes() const { return classes_ > 0; }

  [[nodiscard]] Sums empty_sums() const {
    Sums sums;
    for (const auto& layer : layers_) sums.layers.push_back(layer.sums);
    sums.npu.assign(npus_.size(), std::vector<std::int64_t>(layers_.size()));
    sums.npu_outputs.resize(npus_.size());
    sums.not_alone.resize(layers_.size());
    return sums;
  }

  [[nodiscard]] Result<void> run(std::size_t set, Sums& sums) const {
    const auto label = request_.labels ? std::optional((*request_.labels)[set]) : std::nullopt;
    if (label && (*label < 0 || *label >= static_cast<std::int64_t>(classes_)))
      return fail(ErrorCode::kMismatch, fmt::format("label {} is not one of {} classes", *label, classes_));
    MACAW_ASSIGN(const auto inputs, both_inputs(set));
    MACAW_ASSIGN(const auto stored, run_whole(*request_.quantised, inputs.quantised, request_.quantised_file, here_));
    MACAW_ASSIGN(const auto ideal, run_whole(*request_.reference, inputs.reference, request_.reference_file, there_));
    Values real;  // by value of the float graph: what the quantised run has there
    for (std::size_t i = 0; i < inputs.reference.size(); ++i)
      MACAW_CHECK(add_real(real, request_.reference->main().inputs[i], inputs.quantised[i], request_.input_scales[i]));
    for (std::size_t i = 0; i < layers_.size(); ++i)
      MACAW_CHECK(add_real(real, pairs_[i].reference, stored.values.at(pairs_[i].quantised), scales_[i]));
    for (std::size_t i = 0; i < layers_.size(); ++i) MACAW_CHECK(add_layer(i, stored, ideal, real, sums));
    MACAW_CHECK(compare_npus(inputs.quantised, stored.outputs, sums));
    if (classes_ == 0) return {};
    count_classes(set, std::as_const(ideal.outputs[0]).data<float>(),
                  real.at(request_.reference->main().outputs[0]).data<float>(), label, sums.classes);
    return {};
  }

 private:
  explicit PairRunner(const TosaRequest& request) : request_(request) {}

  struct Inputs {
    std::vector<Tensor> reference, quantised;
  };

  Result<void> check_inputs() const {
    const auto &here = request_.quantised->main(), &there = request_.reference->main();
    if (here.inputs.size() != there.inputs.size())
      return fail(
          ErrorCode::kMismatch,
          fmt::format("{} inputs, but {} has {}", here.inputs.size(), request_.reference_file, there.inputs.size()),
          {.file = request_.quantised_file});
    if (request_.input_scales.size() != here.inputs.size())
      return fail(ErrorCode::kUsage,
                  fmt::format("--input-scale: {} given, but the graph has {} inputs; a TOSA graph does not state their "
                              "scales",
                              request_.input_scales.size(), here.inputs.size()),
                  {.file = request_.quantised_file});
    for (std::size_t i = 0; i < here.inputs.size(); ++i) {
      const auto &q = here.values[here.inputs[i]], &r = there.values[there.inputs[i]];
      const bool is_integer = q.dtype == DType::kINT8 || q.dtype == DType::kINT16;
      if (!is_integer || r.dtype != DType::kFP32 || !q.is_static() || !r.is_static() ||
          element_count(*q.shape).value_or(-1) != element_count(*r.shape).value_or(-2))
        return fail(
            ErrorCode::kMismatch,
            fmt::format("input '{}' is {} {}, '{}' of {} is {} {}; expected INT8 or INT16 and FP32 of one size", q.name,
                        to_string(q.dtype), q.shape ? to_string(*q.shape) : "unranked", r.name, request_.reference_file,
                        to_string(r.dtype), r.shape ? to_string(*r.shape) : "unranked"),
            {.file = request_.quantised_file});
      const std::int64_t half = q.dtype == DType::kINT8 ? 128 : 32768;
      for (const auto zero : request_.input_scales[i].zero_point)
        if (zero < -half || zero >= half)
          return fail(ErrorCode::kUsage,
                      fmt::format("--input-scale: zero point {} of input '{}', expected {} to {} for {}", zero, q.name,
                                  -half, half - 1, to_string(q.dtype)),
                      {.file = request_.quantised_file});
    }
    return {};
  }

  Result<Inputs> both_inputs(std::size_t set) const {
    MACAW_ASSIGN(const auto given, request_.inputs(set));
    Inputs inputs;
    const auto& here = request_.quantised->main();
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto dtype = here.values[here.inputs[i]].dtype;
      if (given[i].dtype() == DType::kFP32) {
        inputs.reference.push_back(given[i]);
        MACAW_ASSIGN(auto tensor, quantised(given[i], request_.input_scales[i], dtype));
        inputs.quantised.push_back(std::move(tensor));
      } else {
        inputs.quantised.push_back(given[i]);
        MACAW_ASSIGN(auto tensor, dequantised(given[i], request_.input_scales[i]));
        inputs.reference.push_back(std::move(tensor));
      }
      const auto& there = request_.reference->main();
      inputs.reference.back().reshape(*there.values[there.inputs[i]].shape);
      inputs.quantised.back().reshape(*here.values[here.inputs[i]].shape);
    }
    return inputs;
  }

  /// A run of both graphs, and what the integers stand for as far as scales are known.
  struct FitRun {
    GraphRun stored, ideal;
    Values real;
  };

  /// The content of a value of the float graph in a run: computed from the operands of the quantised run where they are
  /// known, so that the errors of the layers before do not enter the fit. Null: a value of another type, or none.
  static const Tensor* expected(const FitRun& run, const Result<CutOut>& part, const TosaPair& pair,
                                const std::string& file, Tensor& alone) {
    if (part)
      if (auto result = run_part(*part, run.real, file)) {
        alone = *std::move(result);
        return &alone;
      }
    const auto found = run.ideal.values.find(pair.reference);
    return found != run.ideal.values.end() && found->second.dtype() == DType::kFP32 ? &found->second : nullptr;
  }

  /// In the order of the graph; leaves out pairs to which no scale fits.
  Result<void> fit_scales() {
    std::vector<FitRun> runs(std::min(request_.sets, kFitSets));
    std::vector<tosa::ValueId> known = request_.reference->main().inputs;
    for (std::size_t set = 0; set < runs.size(); ++set) {
      MACAW_ASSIGN(const auto inputs, both_inputs(set));
      auto& run = runs[set];
      MACAW_ASSIGN(run.stored, run_whole(*request_.quantised, inputs.quantised, request_.quantised_file, here_));
      MACAW_ASSIGN(run.ideal, run_whole(*request_.reference, inputs.reference, request_.reference_file, there_));
      for (std::size_t i = 0; i < known.size(); ++i)
        MACAW_CHECK(add_real(run.real, known[i], inputs.quantised[i], request_.input_scales[i]));
    }
    for (const auto& pair : pairing_.pairs) {
      const auto part = cut_out(*request_.reference, known, pair.reference);
      Fit inner, all;
      bool is_byte = false;
      for (const auto& run : runs) {
        Tensor alone;
        const auto codes = run.stored.values.find(pair.quantised);
        const Tensor* values = expected(run, part, pair, request_.reference_file, alone);
        if (codes == run.stored.values.end() || !values || values->dtype() != DType::kFP32) continue;
        is_byte = codes->second.dtype() == DType::kINT8;
        const auto reals = std::as_const(*values).data<float>();
        if (is_byte) add_codes<std::int8_t>(codes->second, reals, inner, all);
        else add_codes<std::int16_t>(codes->second, reals, inner, all);
      }
      const double least = is_byte ? -128 : -32768, greatest = is_byte ? 127 : 32767;
      auto scale = solve(inner, all, least, greatest);
      if (!scale) scale = solve(all, all, least, greatest);
      if (!scale) {
        pairing_.only_quantised.push_back(pair.name);
        continue;
      }
      for (auto& run : runs)
        MACAW_CHECK(add_real(run.real, pair.reference, run.stored.values.at(pair.quantised), *scale));
      known.push_back(pair.reference);
      pairs_.push_back(pair);
      scales_.push_back(*std::move(scale));
    }
    return {};
  }

  void find_layers() {
    const auto &here = request_.quantised->main(), &there = request_.reference->main();
    std::vector<tosa::ValueId> known = there.inputs;
    for (const auto& pair : pairs_) known.push_back(pair.reference);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto& value = here.values[pairs_[i].quantised];
      layers_.push_back({.op = pairs_[i].op,
                         .tensor = pairs_[i].quantised,
                         .reference = pairs_[i].reference,
                         .kind = pairs_[i].kind,
                         .name = pairs_[i].name,
                         .reference_name = pairs_[i].reference_name,
                         .shape = *value.shape,
                         .dtype = value.dtype,
                         .keeps_scale = false,
                         .sums = TensorSums(*value.shape, step_of(value.dtype, &scales_[i])),
                         .filter = {},
                         .not_alone = {}});
      parts_.push_back(cut_out(*request_.reference, known, pairs_[i].reference));
    }
    if (here.outputs.empty() || there.outputs.empty() || pairs_.empty()) return;
    const auto found = std::ranges::find(pairs_, here.outputs[0], &TosaPair::quantised);
    const auto& shape = here.values[here.outputs[0]].shape;
    if (found == pairs_.end() || found->reference != there.outputs[0] || !shape || shape->empty()) return;
    const auto count = element_count(*shape).value_or(0);
    if (count > 1 && shape->back() == count) classes_ = static_cast<std::size_t>(count);
  }

  Result<void> prepare_artifacts() {
    for (const auto& artifact : request_.artifacts) {
      MACAW_ASSIGN(const auto* accelerator, npu::choose_accelerator(artifact, request_.accelerator));
      if (artifact.outputs.size() != request_.quantised->main().outputs.size())
        return fail(ErrorCode::kMismatch,
                    fmt::format("{} outputs, but the graph has {}", artifact.outputs.size(),
                                request_.quantised->main().outputs.size()),
                    {.file = artifact.file});
      MACAW_ASSIGN(auto prepared, npu::PreparedNetwork::create(artifact, *accelerator));
      npus_.push_back(std::move(prepared));
    }
    return {};
  }

  static Result<void> add_real(Values& real, tosa::ValueId value, const Tensor& codes, const Quantization& scale) {
    MACAW_ASSIGN(auto tensor, dequantised(codes, scale));
    real.insert_or_assign(value, std::move(tensor));
    return {};
  }

  /// The layer of the float graph on what the quantised run has before it.
  static Result<Tensor> run_part(const CutOut& part, const Values& real, const std::string& file) {
    std::vector<Tensor> operands;
    for (std::size_t k = 0; k < part.inputs.size(); ++k) {
      operands.push_back(real.at(part.inputs[k]));
      operands.back().reshape(*part.graph.main().values[part.graph.main().inputs[k]].shape);
    }
    MACAW_ASSIGN(auto outputs, run_graph(part.graph, std::move(operands), file, {}));
    return std::move(outputs.front());
  }

  Result<Tensor> run_alone(std::size_t i, const Values& real) const {
    MACAW_CHECK(parts_[i]);
    return run_part(*parts_[i], real, request_.reference_file);
  }

  Result<void> add_layer(std::size_t i, const GraphRun& stored, const GraphRun& ideal, const Values& real,
                         Sums& sums) const {
    const auto alone = run_alone(i, real);
    if (!alone) sums.not_alone[i] = alone.error().message;
    sums.layers[i].add(ideal.values.at(pairs_[i].reference), alone ? &*alone : nullptr, real.at(pairs_[i].reference),
                       &stored.values.at(pairs_[i].quantised));
    return {};
  }

  Result<void> compare_npus(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, Sums& sums) const {
    const compare::Program program(*request_.quantised);
    for (std::size_t a = 0; a < npus_.size(); ++a) {
      MACAW_ASSIGN(const auto named, program.network_inputs(inputs, npus_[a].artifact()));
      MACAW_ASSIGN(const auto result, npu::execute(npus_[a], named));
      bool differs = false;
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (std::ranges::equal(outputs[k].bytes(), result.outputs[k].bytes())) continue;
        differs = true;
        for (std::size_t i = 0; i < layers_.size(); ++i)
          sums.npu[a][i] += pairs_[i].quantised == request_.quantised->main().outputs[k];
      }
      sums.npu_outputs[a] += differs;
    }
    return {};
  }

  const TosaRequest& request_;
  TosaPairing pairing_;
  std::map<std::string_view, tosa::ValueId> here_, there_;  ///< values that are asked for, by name
  std::vector<TosaPair> pairs_;                             ///< that have a scale
  std::vector<Quantization> scales_;
  std::vector<Layer> layers_;
  std::vector<Result<CutOut>> parts_;  ///< by layer
  std::vector<npu::PreparedNetwork> npus_;
  std::size_t classes_ = 0;
};

}  // namespace

Result<Accuracy> measure(const TosaRequest& request) {
  MACAW_ASSIGN(const auto runner, PairRunner::create(request));
  if (runner.layers().empty())
    return fail(ErrorCode::kMismatch, "the graphs have no computed tensor in common, neither by name nor by place",
                {.file = request.quantised_file});
  if (request.labels && !runner.has_classes())
    return fail(ErrorCode::kMismatch, "labels, but the first output is not a list of one score for each class",
                {.file = request.quantised_file});
  MACAW_ASSIGN(auto sums, sum_sets({.sets = request.sets,
                                    .threads = request.threads,
                                    .empty = [&] { return runner.empty_sums(); },
                                    .run = [&](std::size_t set, Sums& into) { return runner.run(set, into); },
                                    .done = request.done}));
  Accuracy accuracy{.reference_file = request.reference_file,
                    .quantised_file = request.quantised_file,
                    .sets = request.sets,
                    .layers = runner.layers(),
                    .only_float = runner.pairing().only_float,
                    .only_quantised = runner.pairing().only_quantised,
                    .fitted_scales = true,
                    .classes = {},
                    .npus = {},
                    .outputs = {},
                    .advice = {}};
  const auto& outputs = request.quantised->main().outputs;
  for (std::size_t i = 0; i < accuracy.layers.size(); ++i) {
    auto& layer = accuracy.layers[i];
    layer.sums = std::move(sums.layers[i]);
    layer.not_alone = std::move(sums.not_alone[i]);
    const bool is_output = std::ranges::find(outputs, static_cast<tosa::ValueId>(layer.tensor)) != outputs.end();
    if (is_output) accuracy.outputs.push_back(i);
    for (std::size_t a = 0; a < runner.npus().size(); ++a) {
      layer.npu.push_back(is_output ? sums.npu[a][i] : -1);
      layer.cycles.emplace_back();
    }
  }
  for (std::size_t a = 0; a < runner.npus().size(); ++a)
    accuracy.npus.push_back(
        {runner.npus()[a].artifact().file, std::string(runner.npus()[a].accelerator().name), sums.npu_outputs[a]});
  if (runner.has_classes()) accuracy.classes = std::move(sums.classes);
  accuracy.advice = advise(accuracy);
  return accuracy;
}

}  // namespace macaw::accuracy
