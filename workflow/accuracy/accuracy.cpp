#include "workflow/accuracy/accuracy.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include <macaw/quantised_values.hpp>
#include "base/threads.hpp"

#include "workflow/accuracy/set_run.hpp"

namespace macaw::accuracy {
namespace {

constexpr std::size_t kGroup = 16;  // sets whose sums come together before they are added to the others

/// All groups of sets, which threads take one by one and add in their order.
class Groups {
 public:
  Groups(const Request& request, const SetRunner& runner)
      : request_(request), runner_(runner), total_(runner.empty_sums()) {}

  Result<Sums> run() {
    {
      const auto others =
          start_threads(static_cast<std::size_t>(std::max(request_.threads, 1) - 1), [this] { work(); });
      work();
    }
    if (thrown_) std::rethrow_exception(thrown_);
    if (error_) return tl::unexpected(*error_);
    return std::move(total_);
  }

 private:
  void work() {
    for (std::size_t group; (group = next_++) * kGroup < request_.sets;) {
      Result<Sums> sums = fail(ErrorCode::kUnsupported, "");
      std::exception_ptr thrown;
      try {
        sums = one(group);
      } catch (...) {  // a lack of memory, which the caller's thread is to meet
        thrown = std::current_exception();
      }
      std::unique_lock lock(mutex_);
      turn_.wait(lock, [&] { return added_ == group; });
      if (!error_ && !thrown_) {
        if (thrown) thrown_ = thrown;
        else if (!sums) error_ = sums.error();
        else total_.merge(*sums);
        if (thrown_ || error_) next_ = request_.sets;
      }
      ++added_;
      turn_.notify_all();
    }
  }

  Result<Sums> one(std::size_t group) {
    auto sums = runner_.empty_sums();
    for (std::size_t set = group * kGroup; set < std::min((group + 1) * kGroup, request_.sets); ++set) {
      if (auto done = runner_.run(set, sums); !done) {
        done.error().message = fmt::format("set {}: {}", set, done.error().message);
        return tl::unexpected(done.error());
      }
      if (request_.done) request_.done();
    }
    return sums;
  }

  const Request& request_;
  const SetRunner& runner_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable turn_;
  std::size_t added_ = 0;
  Sums total_;
  std::optional<Error> error_;
  std::exception_ptr thrown_;
};

template <class T>
FilterFacts facts_of(const Tensor& filter, const Tensor& reference, const Quantization& quantization,
                     std::size_t axis) {
  FilterFacts facts{.scales = quantization.scale.size()};
  const auto [least, greatest] = std::ranges::minmax(quantization.scale);
  facts.scale_ratio = least > 0 ? double{greatest} / double{least} : 1;
  const auto values = filter.data<T>();
  facts.codes_used = static_cast<std::int64_t>(std::set<T>(values.begin(), values.end()).size());
  const auto weights = reference.data<float>();
  const auto& shape = reference.shape();
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= static_cast<std::size_t>(shape[i]);
  std::vector<float> magnitude(static_cast<std::size_t>(shape[axis]));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto& largest = magnitude[i / inner % magnitude.size()];
    largest = std::max(largest, std::abs(weights[i]));
  }
  std::erase(magnitude, 0.0F);
  if (magnitude.empty()) return facts;
  const auto [narrow, wide] = std::ranges::minmax(magnitude);
  facts.range_ratio = double{wide} / double{narrow};
  return facts;
}

/// The filter is the second operand of every operator that has one.
std::optional<FilterFacts> filter_of(const Request& request, const Layer& layer) {
  static constexpr std::array<std::string_view, 4> kKinds{"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED",
                                                          "TRANSPOSE_CONV"};
  if (std::ranges::find(kKinds, layer.kind) == kKinds.end()) return std::nullopt;
  const auto& graph = request.quantised->main();
  const auto& op = graph.operators[layer.op];
  if (op.inputs.size() < 2 || op.inputs[1] < 0) return std::nullopt;
  const auto& info = graph.tensors[static_cast<std::size_t>(op.inputs[1])];
  if (!info.constant || !info.quantization || info.quantization->scale.empty() || info.constant->size() == 0)
    return std::nullopt;
  const std::size_t axis = layer.kind == "DEPTHWISE_CONV_2D" ? info.shape.size() - 1 : 0;
  auto weights = dequantised(*info.constant, *info.quantization);
  if (const auto partner = request.pairing.op[layer.op]) {
    const auto& reference = request.reference->main();
    const auto& other = reference.operators[*partner];
    if (other.name == op.name && other.inputs.size() > 1 && other.inputs[1] >= 0) {
      const auto& constant = reference.tensors[static_cast<std::size_t>(other.inputs[1])].constant;
      if (constant && constant->dtype() == DType::kFP32 && constant->shape() == info.shape) weights = *constant;
    }
  }
  if (!weights) return std::nullopt;
  switch (info.dtype) {
    case DType::kINT4:
    case DType::kINT8: {
      auto facts = facts_of<std::int8_t>(*info.constant, *weights, *info.quantization, axis);
      if (info.dtype == DType::kINT4) facts.bits = 4;
      return facts;
    }
    case DType::kUINT8: return facts_of<std::uint8_t>(*info.constant, *weights, *info.quantization, axis);
    default: return std::nullopt;
  }
}

std::vector<std::string> names_of(const tflite::Network& network, const std::vector<std::size_t>& tensors) {
  std::vector<std::string> names;
  for (const auto i : tensors) {
    const auto& name = network.main().tensors[i].name;
    names.push_back(name.empty() ? fmt::format("tensor {}", i) : name);
  }
  return names;
}

}  // namespace

void ClassCounts::merge(const ClassCounts& other) {
  classes = std::max(classes, other.classes);
  has_labels |= other.has_labels;
  sets += other.sets;
  agree += other.agree;
  top1 += other.top1;
  top5 += other.top5;
  top1_reference += other.top1_reference;
  top5_reference += other.top5_reference;
  for (const auto& [cell, count] : other.confusion) confusion[cell] += count;
  for (const auto& [cell, count] : other.confusion_reference) confusion_reference[cell] += count;
  for (const auto& flip : other.flips)
    if (flips.size() < kMostFlips) flips.push_back(flip);
}

Result<Accuracy> measure(Request request) {
  MACAW_ASSIGN(auto runner, SetRunner::create(request));
  if (runner.layers().empty())
    return fail(ErrorCode::kMismatch, "the networks have no computed tensor in common, neither by name nor by place",
                {.file = request.quantised->file});
  MACAW_ASSIGN(auto sums, Groups(request, runner).run());
  Accuracy accuracy{.reference_file = request.reference->file,
                    .quantised_file = request.quantised->file,
                    .sets = request.sets,
                    .layers = runner.layers(),
                    .only_float = names_of(*request.reference, request.pairing.only_float),
                    .only_quantised = names_of(*request.quantised, request.pairing.only_quantised),
                    .classes = {},
                    .npus = {},
                    .outputs = {},
                    .advice = {}};
  for (std::size_t i = 0; i < accuracy.layers.size(); ++i) {
    auto& layer = accuracy.layers[i];
    layer.sums = std::move(sums.layers[i]);
    layer.not_alone = std::move(sums.not_alone[i]);
    layer.filter = filter_of(request, layer);
    for (const auto& npu : runner.npus()) layer.cycles.push_back(npu.cycles()[layer.tensor]);
    for (std::size_t a = 0; a < runner.npus().size(); ++a)
      layer.npu.push_back(runner.npus()[a].visible()[layer.tensor] ? sums.npu[a][i] : -1);
    if (std::ranges::find(request.quantised->main().outputs, static_cast<int>(layer.tensor)) !=
        request.quantised->main().outputs.end())
      accuracy.outputs.push_back(i);
  }
  for (std::size_t a = 0; a < runner.npus().size(); ++a)
    accuracy.npus.push_back(
        {runner.npus()[a].file(), std::string(runner.npus()[a].accelerator_name()), sums.npu_outputs[a]});
  if (runner.has_classes()) accuracy.classes = std::move(sums.classes);
  accuracy.advice = advise(accuracy);
  return accuracy;
}

std::vector<std::size_t> Accuracy::ranking() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (std::isfinite(layers[i].own_sqnr())) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return layers[i].own_sqnr(); });
  return order;
}

double Accuracy::output_sqnr() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto i : outputs)
    if (const double sqnr = layers[i].sums.accumulated.sqnr(); sqnr < least) least = sqnr;
  return least;
}

}  // namespace macaw::accuracy
