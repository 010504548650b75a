#include "sim/functional/host_operator.hpp"

#include <cstring>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

auto invalid(std::string what) { return fail(ErrorCode::kInvalidFile, std::move(what)); }
auto unsupported(std::string what) { return fail(ErrorCode::kUnsupported, std::move(what)); }

class HostExecution {
 public:
  HostExecution(const HostOperator& op, const std::vector<Memory>& memories,
                const std::vector<std::span<std::uint8_t>>& contents, std::int64_t max_work)
      : op_(op), memories_(memories), contents_(contents), max_work_(max_work) {}

  Result<std::int64_t> run(const HostOperators* host) {
    if (!host) return unsupported("nothing here runs the operators that the file leaves to the CPU");
    for (const auto& binding : op_.inputs)
      if (binding.memory >= 0) MACAW_CHECK(account(binding));
    for (const auto& binding : op_.outputs) {
      MACAW_CHECK(account(binding));
      MACAW_CHECK(check_writable(binding));
    }
    std::vector<std::optional<Tensor>> inputs;
    for (const auto& binding : op_.inputs) {
      inputs.emplace_back();
      if (binding.memory < 0) continue;
      MACAW_ASSIGN(inputs.back(), read(binding));
    }
    MACAW_ASSIGN(const auto result, host->run(op_, inputs, max_work_ - moved_));
    for (const auto i : result.changed_inputs) MACAW_CHECK(check_writable(op_.inputs[i]));
    for (const auto i : result.changed_inputs) write(op_.inputs[i], *inputs[i]);
    for (std::size_t i = 0; i < op_.outputs.size(); ++i) write(op_.outputs[i], result.outputs[i]);
    return moved_ + result.work;
  }

 private:
  /// Checks that an operand lies in its memory, and subtracts its bytes from the limit.
  Result<void> account(const TensorBinding& binding) {
    if (!binding.dtype || size_of(*binding.dtype) != binding.element_size)
      return unsupported(fmt::format("tensor '{}' has elements that Macaw has no type for", binding.name));
    MACAW_ASSIGN(const std::int64_t count, element_count(binding.shape, binding.element_size));
    const auto bytes = static_cast<std::uint64_t>(count) * binding.element_size;
    if (static_cast<std::size_t>(binding.memory) >= contents_.size())
      return invalid(fmt::format("tensor '{}' lies in no memory", binding.name));
    const std::uint64_t size = contents_[static_cast<std::size_t>(binding.memory)].size();
    if (binding.offset > size || bytes > size - binding.offset)
      return invalid(fmt::format("tensor '{}' lies outside its memory", binding.name));
    if (static_cast<std::int64_t>(bytes) > max_work_ - moved_)
      return unsupported(fmt::format("more than the {} multiply-accumulates and bytes that are left", max_work_));
    moved_ += static_cast<std::int64_t>(bytes);
    return {};
  }

  Result<void> check_writable(const TensorBinding& binding) const {
    if (memories_[static_cast<std::size_t>(binding.memory)].read_only)
      return invalid(fmt::format("tensor '{}' is written and lies in a constant", binding.name));
    return {};
  }

  Result<Tensor> read(const TensorBinding& binding) const {
    MACAW_ASSIGN(auto tensor, Tensor::create(*binding.dtype, binding.shape));
    const auto bytes = tensor.bytes();
    if (!bytes.empty()) std::memcpy(bytes.data(), place(binding), bytes.size());
    return tensor;
  }

  void write(const TensorBinding& binding, const Tensor& tensor) {
    const auto bytes = tensor.bytes();
    if (!bytes.empty()) std::memcpy(place(binding), bytes.data(), bytes.size());
  }

  std::uint8_t* place(const TensorBinding& binding) const {
    return contents_[static_cast<std::size_t>(binding.memory)].data() + binding.offset;
  }

  const HostOperator& op_;
  const std::vector<Memory>& memories_;
  const std::vector<std::span<std::uint8_t>>& contents_;
  std::int64_t max_work_, moved_ = 0;  // bytes of operands
};

}  // namespace

Result<std::int64_t> run_host_operator(const HostOperator& op, const HostOperators* host,
                                       const std::vector<Memory>& memories,
                                       const std::vector<std::span<std::uint8_t>>& contents, std::int64_t max_work) {
  auto done = HostExecution(op, memories, contents, max_work).run(host);
  if (!done && done.error().place.op.empty())
    done.error().place.op = fmt::format("operator {} ({})", op.index, op.name);
  return done;
}

}  // namespace macaw::npu
