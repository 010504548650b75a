#include <macaw/interruption.hpp>
#include <macaw/tflite/interpreter.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "base/bools.hpp"
#include "base/near_names.hpp"
#include "reference/tflite/call.hpp"

namespace macaw::tflite {
namespace {

constexpr int kMaxDepth = 32;  // of subgraphs that run subgraphs

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// A shape without its axes of extent 1.
Shape squeezed(const Shape& shape) {
  Shape result;
  std::ranges::copy_if(shape, std::back_inserter(result), [](std::int64_t extent) { return extent != 1; });
  return result;
}

Result<Tensor> fitted(const TensorInfo& info, Tensor tensor) {
  const bool fits = squeezed(tensor.shape()) == squeezed(info.shape) ||
                    (tensor.rank() == 1 && tensor.size() == product(info.shape, 0, info.shape.size()));
  if (tensor.dtype() != info.dtype || !fits)
    return fail(ErrorCode::kMismatch,
                fmt::format("input '{}' is {} {}, expected {} {}", info.name, to_string(tensor.dtype()),
                            to_string(tensor.shape()), to_string(info.dtype), to_string(info.shape)));
  tensor.reshape(info.shape);
  normalise_bools(tensor);
  return tensor;
}

template <class T>
void fill(Tensor& tensor, std::int64_t value) {
  std::ranges::fill(tensor.data<T>(), static_cast<T>(value));
}

Result<Tensor> initial_contents(const TensorInfo& info) {
  MACAW_ASSIGN(auto tensor, Tensor::create(info.dtype, info.shape));
  if (!info.quantization || info.quantization->zero_point.empty()) return tensor;
  const auto zero_point = info.quantization->zero_point[0];
  if (info.dtype == DType::kINT8) fill<std::int8_t>(tensor, zero_point);
  if (info.dtype == DType::kUINT8) fill<std::uint8_t>(tensor, zero_point);
  if (info.dtype == DType::kINT16) fill<std::int16_t>(tensor, zero_point);
  return tensor;
}

Result<const Definition*> definition_of(const OperatorInfo& op) {
  if (!op.unsupported.empty()) return unsupported(op.unsupported);
  if (const auto* found = find_definition(op.name)) return found;
  return unsupported("Macaw does not have this operator" + io::near_names(op.name, operator_names()));
}

/// The variables of a run that operators reach by a handle, which lie in its state.
class StateResources final : public Resources {
 public:
  StateResources(const Network& network, State& state, const RunOptions& options)
      : network_(network), state_(state), options_(options) {}

  Result<std::int32_t> handle(const schema::VarHandleOptionsT& variable) const override {
    const auto found = network_.resources.find({variable.container, variable.shared_name});
    if (found == network_.resources.end()) return invalid("the variable has no number");
    return static_cast<std::int32_t>(found->second);
  }

  Result<const Tensor*> find(std::int32_t handle) const override {
    MACAW_CHECK(check(handle));
    const auto found = state_.find({kResourceVariable, at(handle)});
    return found == state_.end() ? nullptr : &found->second;
  }

  Result<void> assign(std::int32_t handle, const Tensor& contents) override {
    MACAW_ASSIGN(const Tensor* old, find(handle));
    const auto bytes = static_cast<std::int64_t>(contents.bytes().size());
    if (old && static_cast<std::int64_t>(old->bytes().size()) != bytes)
      return invalid(fmt::format("{} bytes for a variable of {}", bytes, old->bytes().size()));
    if (!old) {
      if (bytes > options_.max_memory - bytes_)
        return unsupported(
            fmt::format("the variables take more memory than the limit of {} bytes", options_.max_memory));
      bytes_ += bytes;
    }
    state_.insert_or_assign({kResourceVariable, at(handle)}, contents);
    return {};
  }

  bool called(std::size_t op) const override {
    const auto found = state_.find({kCalledOnce, op});
    return found != state_.end() && found->second.data<bool>()[0];
  }
  void set_called(std::size_t op) override {
    Tensor yes(DType::kBOOL, {1});
    yes.data<bool>()[0] = true;
    state_.insert_or_assign({kCalledOnce, op}, std::move(yes));
  }

 private:
  Result<void> check(std::int32_t handle) const {
    if (handle >= 0 && at(handle) < network_.resources.size()) return {};
    return invalid(fmt::format("{} is not the handle of a variable", handle));
  }

  const Network& network_;
  State& state_;
  const RunOptions& options_;
  std::int64_t bytes_ = 0;  // of variables that this run has made
};

/// State shared by all subgraphs of a run.
struct Run {
  const Network& network;
  State& state;
  const RunOptions& options;
  StateResources resources{network, state, options};
  std::int64_t memory = 0;  // bytes of tensors that are alive
  RunResult result = {};
};

class SubgraphRun {
 public:
  SubgraphRun(Run& run, std::size_t index, int depth)
      : run_(run),
        index_(index),
        depth_(depth),
        subgraph_(run.network.subgraphs[index]),
        values_(subgraph_.tensors.size()),
        uses_(subgraph_.tensors.size()) {
    for (const auto& op : subgraph_.operators)
      for (const int i : op.inputs)
        if (i >= 0) ++uses_[at(i)];
    for (const int i : subgraph_.outputs) ++uses_[at(i)];
  }
  ~SubgraphRun() {
    for (auto& value : values_) release(value);
  }
  SubgraphRun(const SubgraphRun&) = delete;
  SubgraphRun& operator=(const SubgraphRun&) = delete;

  Result<std::vector<Tensor>> outputs(std::vector<Tensor> inputs) {
    if (inputs.size() != subgraph_.inputs.size())
      return fail(ErrorCode::kMismatch, fmt::format("{} inputs, expected {}", inputs.size(), subgraph_.inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto id = at(subgraph_.inputs[i]);
      MACAW_ASSIGN(auto tensor, fitted(subgraph_.tensors[id], std::move(inputs[i])));
      MACAW_CHECK(keep(id, std::move(tensor)));
    }
    for (std::size_t i = 0; i < subgraph_.operators.size(); ++i) {
      auto done = execute(i);
      if (done) continue;
      if (done.error().place.op.empty())
        done.error().place.op = (index_ ? fmt::format("subgraph {}, ", index_) : "") + subgraph_.operators[i].place(i);
      return tl::unexpected(done.error());
    }
    std::vector<Tensor> outputs;
    for (const int i : subgraph_.outputs) {
      MACAW_ASSIGN(const Operand operand, operand_of(i));
      outputs.push_back(*operand.value);
    }
    return outputs;
  }

 private:
  Result<void> expect_room(std::int64_t bytes) const {
    if (bytes > run_.options.max_memory - run_.memory)
      return unsupported(
          fmt::format("the tensors take more memory than the limit of {} bytes", run_.options.max_memory));
    return {};
  }
  Result<void> expect_room(const TensorInfo& info) const {
    const auto bytes = byte_count(info.dtype, info.shape);
    return bytes ? expect_room(*bytes) : Result<void>();  // what cannot be counted cannot be made
  }

  Result<void> keep(std::size_t id, Tensor tensor) {
    const auto bytes = static_cast<std::int64_t>(tensor.bytes().size());
    MACAW_CHECK(expect_room(bytes));
    run_.memory += bytes;
    values_[id] = std::move(tensor);
    return {};
  }

  /// Keeps a tensor of zeros.
  Result<void> create(std::size_t id) {
    const auto& info = subgraph_.tensors[id];
    MACAW_CHECK(expect_room(info));
    MACAW_ASSIGN(auto tensor, Tensor::create(info.dtype, info.shape));
    return keep(id, std::move(tensor));
  }

  void release(std::optional<Tensor>& value) {
    if (value) run_.memory -= static_cast<std::int64_t>(value->bytes().size());
    value.reset();
  }

  Result<Tensor*> variable(std::size_t id) {
    const auto [found, is_new] = run_.state.try_emplace({index_, id});
    if (is_new) {
      MACAW_CHECK(expect_room(subgraph_.tensors[id]));
      MACAW_ASSIGN(found->second, initial_contents(subgraph_.tensors[id]));
    } else if (found->second.dtype() != subgraph_.tensors[id].dtype ||
               found->second.shape() != subgraph_.tensors[id].shape) {
      return fail(ErrorCode::kMismatch, fmt::format("variable '{}' has other contents", subgraph_.tensors[id].name));
    }
    return &found->second;
  }

  Result<Operand> operand_of(int index) {
    if (index < 0) return Operand{};
    const auto& info = subgraph_.tensors[at(index)];
    Operand operand{.quantization = info.quantization.get()};
    if (info.constant) {
      operand.value = info.constant.get();
    } else if (auto& value = values_[at(index)]) {
      operand.value = &*value;
    } else if (info.is_variable) {
      MACAW_ASSIGN(operand.writable, variable(at(index)));
      operand.value = operand.writable;
    } else {  // of no elements, and not written by anything
      MACAW_CHECK(create(at(index)));
      operand.value = &*values_[at(index)];
    }
    return operand;
  }

  Result<void> execute(std::size_t index) {
    const auto& op = subgraph_.operators[index];
    MACAW_CHECK(Interruption::check());
    MACAW_ASSIGN(const Definition* definition, definition_of(op));
    Call call{.name = op.name,
              .options = op.options.get(),
              .inputs = {},
              .outputs = {},
              .run_subgraph = [this](std::int32_t index,
                                     std::vector<Tensor> inputs) { return run_subgraph(index, std::move(inputs)); },
              .resources = &run_.resources,
              .number = op.number,
              .max_work = run_.options.max_work,
              .work = run_.result.work};
    OperatorEvent event{.op = index, .outputs = {}, .sums = {}};
    const bool is_watched = run_.options.observer && depth_ == 0;
    if (is_watched) call.sums = &event.sums;
    for (const int i : op.inputs) {
      MACAW_ASSIGN(auto operand, operand_of(i));
      call.inputs.push_back(operand);
    }
    for (const int i : op.outputs) {
      call.outputs.emplace_back();
      if (i < 0) continue;
      const auto& info = subgraph_.tensors[at(i)];
      MACAW_CHECK(create(at(i)));
      auto& value = *values_[at(i)];
      call.outputs.back() = {.value = &value, .writable = &value, .quantization = info.quantization.get()};
    }
    running_ = &call;
    const auto done = tflite::execute(*definition, call);
    run_.result.work = call.work;
    MACAW_CHECK(done);
    if (is_watched) {
      std::vector<const Tensor*> outputs;
      for (const auto& output : call.outputs) outputs.push_back(output.value);
      event.outputs = outputs;
      MACAW_CHECK(run_.options.observer(event));
    }
    finish(op);
    return {};
  }

  void finish(const OperatorInfo& op) {
    for (const int i : op.outputs) {
      if (i < 0) continue;
      if (run_.options.keep_tensors && depth_ == 0)
        run_.result.tensors.emplace_back(subgraph_.tensors[at(i)].name, *values_[at(i)]);
      if (uses_[at(i)] == 0) release(values_[at(i)]);
    }
    for (const int i : op.inputs)
      if (i >= 0 && --uses_[at(i)] == 0) release(values_[at(i)]);
  }

  Result<std::vector<Tensor>> run_subgraph(std::int32_t index, std::vector<Tensor> inputs) {
    if (index < 0 || at(index) >= run_.network.subgraphs.size())
      return invalid(fmt::format("there is no subgraph {}", index));
    if (depth_ == kMaxDepth) return unsupported(fmt::format("subgraphs {} deep in each other", kMaxDepth));
    const auto tensors = static_cast<std::int64_t>(run_.network.subgraphs[at(index)].tensors.size());
    MACAW_CHECK(running_->account(kWorkPerOperator + kWorkPerTensor * tensors));
    run_.result.work = running_->work;
    SubgraphRun called(run_, at(index), depth_ + 1);
    auto outputs = called.outputs(std::move(inputs));
    running_->work = run_.result.work;
    return outputs;
  }

  Run& run_;
  std::size_t index_;
  int depth_;
  const Subgraph& subgraph_;
  std::vector<std::optional<Tensor>> values_;  // of inputs and of what operators have written
  std::vector<std::size_t> uses_;              // of each tensor, that are still to come
  Call* running_ = nullptr;
};

}  // namespace

Result<RunResult> run(const Network& network, const std::vector<Tensor>& inputs, State& state,
                      const RunOptions& options) {
  Run run{network, state, options};
  SubgraphRun main(run, 0, 0);
  auto outputs = main.outputs(inputs);
  if (!outputs) {
    outputs.error().place.file = network.file;
    return tl::unexpected(outputs.error());
  }
  run.result.outputs = std::move(*outputs);
  return std::move(run.result);
}

namespace {

Result<std::vector<Tensor>> execute_alone(const Subgraph& subgraph, const OperatorInfo& op,
                                          std::span<const Tensor* const> operands, const RunOptions& options) {
  MACAW_ASSIGN(const Definition* definition, definition_of(op));
  Call call{.name = op.name, .options = op.options.get(), .inputs = {}, .outputs = {}, .max_work = options.max_work};
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    auto& operand = call.inputs.emplace_back();
    if (op.inputs[i] < 0) continue;
    const auto& info = subgraph.tensors[at(op.inputs[i])];
    if (info.is_variable) return unsupported("an operator with state runs only in its network");
    operand.quantization = info.quantization.get();
    operand.value = i < operands.size() && operands[i] ? operands[i] : info.constant.get();
  }
  std::vector<Tensor> outputs(op.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    call.outputs.emplace_back();
    if (op.outputs[i] < 0) continue;
    const auto& info = subgraph.tensors[at(op.outputs[i])];
    MACAW_ASSIGN(outputs[i], Tensor::create(info.dtype, info.shape));
    call.outputs.back() = {.value = &outputs[i], .writable = &outputs[i], .quantization = info.quantization.get()};
  }
  MACAW_CHECK(tflite::execute(*definition, call));
  return outputs;
}

}  // namespace

Result<std::vector<Tensor>> run_operator(const Network& network, std::size_t op,
                                         std::span<const Tensor* const> operands, const RunOptions& options) {
  const auto& info = network.main().operators[op];
  auto outputs = execute_alone(network.main(), info, operands, options);
  if (!outputs) outputs.error().place = {.file = network.file, .op = info.place(op)};
  return outputs;
}

}  // namespace macaw::tflite
