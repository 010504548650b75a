#include "sim/artifact/executorch_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/flatbuffer_values.hpp"

namespace macaw::npu {
namespace {

constexpr std::size_t kMaxList = 65536;  // elements of one list of arguments

/// Kernels with several outputs: how many arguments are inputs, and how many outputs follow them. No outputs: the one
/// that follows is a list of tensors.
struct SeveralOutputs {
  std::string_view name;
  std::size_t inputs, outputs;
};
constexpr SeveralOutputs kSeveralOutputs[] = {
    {"aten::native_layer_norm", 5, 3},  {"aten::native_group_norm", 8, 3},     {"aten::max.dim_max", 3, 2},
    {"aten::min.dim_min", 3, 2},        {"aten::split_with_sizes_copy", 3, 0}, {"aten::split_copy.Tensor_out", 3, 0},
    {"aten::unbind_copy.int_out", 2, 0}};

/// Operators whose output is one element for one element of each operand: what lies in one order of dimensions may lie
/// in any.
constexpr std::string_view kElementwise[] = {
    "aten::add",     "aten::sub",     "aten::mul",   "aten::div",      "aten::sigmoid", "aten::tanh", "aten::gelu",
    "aten::silu",    "aten::relu",    "aten::rsqrt", "aten::exp",      "aten::clone",   "aten::copy", "aten::copy_",
    "aten::minimum", "aten::maximum", "aten::neg",   "aten::hardtanh", "aten::clamp",   "aten::abs"};

/// Operators of Cortex-M that move a window over their first operand: that and the output are activations.
constexpr std::string_view kWindows[] = {"cortex_m::quantized_conv2d", "cortex_m::quantized_depthwise_conv2d",
                                         "cortex_m::quantized_avg_pool2d"};

bool is_contiguous(const pte::Tensor& tensor) {
  for (std::size_t d = 0; d < count(tensor.dim_order()); ++d)
    if (tensor.dim_order()->Get(unsigned(d)) != d) return false;
  return true;
}

class KernelOperands {
 public:
  KernelOperands(ProgramTensors& tensors, HostOperator& op) : tensors_(tensors), op_(op) {}

  /// An argument as an operand in its place; a list of tensors as as many.
  Result<void> add(std::int64_t index) {
    const auto* v = tensors_.value(index);
    if (!v) return tensors_.invalid(fmt::format("{}: value {} does not exist", op_.name, index));
    if (v->value_type() == pte::Kernel::Tensor) return add_tensor(index, op_.inputs);
    if (const auto* list = v->value_as_TensorList()) return add_tensors(list->items(), false);
    if (const auto* optional = v->value_as_OptionalTensorList()) return add_tensors(optional->items(), true);
    if (const auto* integer = v->value_as_Int()) return add_list<std::int64_t>(DType::kINT64, {1}, {integer->value()});
    if (const auto* flag = v->value_as_Bool())
      return add_list<std::uint8_t>(DType::kBOOL, {1}, {std::uint8_t(flag->value())});
    if (const auto* real = v->value_as_Double()) return add_list<double>(DType::kFP64, {1}, {real->value()});
    if (const auto* integers = v->value_as_IntList()) return add_integers(integers->items());
    if (const auto* reals = v->value_as_DoubleList()) return add_values(DType::kFP64, io::values_of(reals->items()));
    if (const auto* flags = v->value_as_BoolList()) return add_values(DType::kBOOL, io::values_of(flags->items()));
    if (const auto* text = v->value_as_String()) {
      const std::string_view view = text->value() ? text->value()->string_view() : std::string_view();
      return add_values(DType::kUINT8, std::vector<std::uint8_t>(view.begin(), view.end()));
    }
    if (v->value_type() == pte::Kernel::Null) {
      op_.inputs.emplace_back();
      return {};
    }
    return tensors_.unsupported(
        fmt::format("{}: an argument that is a {}", op_.name, pte::EnumNameKernel(v->value_type())));
  }

  Result<void> add_tensor(std::int64_t index, std::vector<TensorBinding>& to) {
    const auto* t = tensors_.tensor(index);
    MACAW_ASSIGN(auto operand, tensors_.binding(index));
    const bool is_activation =
        std::ranges::find(kWindows, op_.name) != std::end(kWindows) && (&to == &op_.outputs || op_.inputs.empty());
    if (!t || (is_contiguous(*t) && !is_activation)) {
      to.push_back(std::move(operand));
      return {};
    }
    if (op_.name.starts_with("cortex_m::")) {
      MACAW_ASSIGN(operand.shape, channels_last(*t, index));
    } else if (std::ranges::find(kElementwise, op_.name) != std::end(kElementwise)) {
      orders_.push_back(index);
    } else if (!op_.name.starts_with("dim_order_ops::")) {
      return tensors_.unsupported(
          fmt::format("{}: value {} is not stored in the order of its dimensions", op_.name, index));
    }
    to.push_back(std::move(operand));
    return {};
  }

  /// Elementwise operators need one order for all their tensors.
  Result<void> check_orders(const std::vector<std::int64_t>& arguments) const {
    if (orders_.empty()) return {};
    const auto* order = tensors_.tensor(orders_.front())->dim_order();
    for (const auto index : arguments) {
      const auto* t = tensors_.tensor(index);
      if (t && io::values_of(t->dim_order()) != io::values_of(order))
        return tensors_.unsupported(fmt::format(
            "{}: value {} is not stored in the order of its dimensions, as other operands are", op_.name, index));
    }
    return {};
  }

  Result<void> add_order(std::int64_t index) {
    const auto* t = tensors_.tensor(index);
    std::vector<std::int64_t> order;
    for (std::size_t d = 0; t && d < count(t->sizes()); ++d)
      order.push_back(count(t->dim_order()) == count(t->sizes()) ? t->dim_order()->Get(unsigned(d)) : std::int64_t(d));
    return add_values(DType::kINT64, order);
  }

 private:
  /// Shape NHWC of a tensor whose sizes are NCHW, if it lies so in memory.
  Result<Shape> channels_last(const pte::Tensor& t, std::int64_t index) const {
    constexpr std::array<unsigned, 4> kOrder = {0, 2, 3, 1};
    Shape shape;
    std::vector<unsigned> given, expected;
    if (count(t.sizes()) == kOrder.size() && count(t.dim_order()) == kOrder.size())
      for (unsigned d = 0; d < kOrder.size(); ++d) {
        shape.push_back(t.sizes()->Get(kOrder[d]));
        // Where a dimension of extent 1 lies does not matter.
        if (t.sizes()->Get(kOrder[d]) != 1) expected.push_back(kOrder[d]);
        if (t.dim_order()->Get(d) < kOrder.size() && t.sizes()->Get(t.dim_order()->Get(d)) != 1)
          given.push_back(t.dim_order()->Get(d));
      }
    if (shape.empty() || given != expected)
      return tensors_.unsupported(fmt::format("{}: value {} does not have its channels last", op_.name, index));
    return shape;
  }

  Result<void> add_tensors(const flatbuffers::Vector<std::int32_t>* items, bool may_be_absent) {
    if (count(items) > kMaxList) return too_long(count(items));
    for (std::size_t i = 0; i < count(items); ++i) {
      const auto index = items->Get(unsigned(i));
      const auto* v = tensors_.value(index);
      if (may_be_absent && (index < 0 || (v && v->value_type() == pte::Kernel::Null))) op_.inputs.emplace_back();
      else MACAW_CHECK(add_tensor(index, op_.inputs));
    }
    return {};
  }

  /// The items are values of their own (runtime/executor/method.cpp).
  Result<void> add_integers(const flatbuffers::Vector<std::int64_t>* items) {
    if (count(items) > kMaxList) return too_long(count(items));
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < count(items); ++i) {
      const auto* item = tensors_.value(io::value_at(*items, i));
      if (!item || !item->value_as_Int())
        return tensors_.invalid(fmt::format("{}: a list of values that are not numbers", op_.name));
      list.push_back(item->value_as_Int()->value());
    }
    return add_values(DType::kINT64, list);
  }

  [[nodiscard]] tl::unexpected<Error> too_long(std::size_t size) const {
    return tensors_.unsupported(fmt::format("{}: a list of {} arguments, at most {}", op_.name, size, kMaxList));
  }

  template <class T>
  Result<void> add_values(DType dtype, const std::vector<T>& list) {
    return add_list(dtype, {std::int64_t(list.size())}, list);
  }

  /// Numbers of one type, as a constant operand.
  template <class T>
  Result<void> add_list(DType dtype, Shape shape, const std::vector<T>& list) {
    if (list.size() > kMaxList) return too_long(list.size());
    TensorBinding out{.name = "argument", .shape = std::move(shape), .element_size = sizeof(T), .dtype = dtype};
    out.memory = tensors_.add_constant(out.name, std::as_bytes(std::span(list)));
    op_.inputs.push_back(std::move(out));
    return {};
  }

  ProgramTensors& tensors_;
  HostOperator& op_;
  std::vector<std::int64_t> orders_;  // tensors of another order than that of their dimensions
};

/// A number among the arguments, as a constant operand.
void add_number(ProgramTensors& tensors, HostOperator& op, const char* name, DType dtype, const void* bytes) {
  TensorBinding out{.name = name, .shape = {1}, .element_size = 4, .dtype = dtype};
  out.memory = tensors.add_constant(name, {static_cast<const std::byte*>(bytes), 4});
  op.inputs.push_back(std::move(out));
}

Result<void> add_conversion(ProgramTensors& tensors, HostOperator& op, const std::vector<std::int64_t>& args) {
  if (args.empty()) return tensors.invalid(fmt::format("{} has no arguments", op.name));
  // The output is the last argument, and once more the result.
  const auto output = args.back();
  for (const auto arg : args) {
    if (arg == output) continue;
    const auto* v = tensors.value(arg);
    if (!v) return tensors.invalid(fmt::format("{}: value {} does not exist", op.name, arg));
    if (v->value_type() == pte::Kernel::Tensor) {
      MACAW_ASSIGN(auto operand, tensors.binding(arg));
      op.inputs.push_back(std::move(operand));
    } else if (const auto* real = v->value_as_Double()) {
      const auto scale = float(real->value());
      add_number(tensors, op, "scale", DType::kFP32, &scale);
    } else if (const auto* integer = v->value_as_Int()) {
      const auto number = std::int32_t(std::clamp<std::int64_t>(integer->value(), INT32_MIN, INT32_MAX));
      add_number(tensors, op, "argument", DType::kINT32, &number);
    }
  }
  // The last number is the type of the integers, which the tensors have as well.
  if (op.inputs.size() > 5) op.inputs.resize(5);
  MACAW_ASSIGN(auto result, tensors.binding(output));
  op.outputs.push_back(std::move(result));
  return {};
}

Result<void> add_several_outputs(ProgramTensors& tensors, const SeveralOutputs& row, HostOperator& op,
                                 const std::vector<std::int64_t>& args) {
  KernelOperands operands(tensors, op);
  if (args.size() < row.inputs + std::max<std::size_t>(row.outputs, 1))
    return tensors.invalid(
        fmt::format("{}: {} arguments, expected {} inputs and their outputs", op.name, args.size(), row.inputs));
  for (std::size_t i = 0; i < row.inputs; ++i) MACAW_CHECK(operands.add(args[i]));
  if (row.outputs > 0) {
    for (std::size_t i = 0; i < row.outputs; ++i) MACAW_CHECK(operands.add_tensor(args[row.inputs + i], op.outputs));
    return {};
  }
  const auto* value = tensors.value(args[row.inputs]);
  const auto* list = value ? value->value_as_TensorList() : nullptr;
  if (!list) return tensors.invalid(fmt::format("{}: the output is not a list of tensors", op.name));
  if (count(list->items()) > kMaxList) return tensors.unsupported(fmt::format("{}: too many outputs", op.name));
  for (std::size_t i = 0; i < count(list->items()); ++i)
    MACAW_CHECK(operands.add_tensor(list->items()->Get(unsigned(i)), op.outputs));
  return {};
}

/// The last argument is the result: the output, which stands before it once more, or, of an operator that changes its
/// first argument, that.
Result<void> add_placed(ProgramTensors& tensors, HostOperator& op, std::vector<std::int64_t> args) {
  if (args.size() < 2) return tensors.invalid(fmt::format("{}: {} arguments", op.name, args.size()));
  const auto output = args.back();
  const bool is_named_twice = args[args.size() - 2] == output;
  const bool is_in_place = op.name.ends_with("_") && args.front() == output;
  if (!is_named_twice && !is_in_place) return tensors.unsupported(fmt::format("{}: more than one output", op.name));
  args.resize(args.size() - (is_in_place ? 1 : 2));
  KernelOperands operands(tensors, op);
  for (const auto arg : args) MACAW_CHECK(operands.add(arg));
  MACAW_CHECK(operands.add_tensor(output, op.outputs));
  args.push_back(output);
  if (!op.name.starts_with("dim_order_ops::")) return operands.check_orders(args);
  MACAW_CHECK(operands.add_order(args.front()));
  return operands.add_order(output);
}

}  // namespace

Result<HostOperator> kernel_operator(ProgramTensors& tensors, const pte::KernelCall& call, std::size_t index) {
  const auto& plan = tensors.plan();
  if (call.op() < 0 || std::size_t(call.op()) >= count(plan.operators()))
    return tensors.invalid(fmt::format("operator {} does not exist", call.op()));
  const auto* entry = plan.operators()->Get(unsigned(call.op()));
  HostOperator op{.index = index, .name = entry->name() ? entry->name()->str() : "", .inputs = {}, .outputs = {}};
  std::vector<std::int64_t> args;
  for (std::size_t i = 0; i < count(call.args()); ++i) args.push_back(call.args()->Get(unsigned(i)));
  if (op.name.ends_with("quantize_per_tensor")) {
    MACAW_CHECK(add_conversion(tensors, op, args));
    return op;
  }
  const std::string overload = entry->overload() ? entry->overload()->str() : "";
  if (!overload.empty() && overload != "out") op.name += "." + overload;
  const auto* row = std::ranges::find(kSeveralOutputs, op.name, &SeveralOutputs::name);
  if (row != std::end(kSeveralOutputs)) MACAW_CHECK(add_several_outputs(tensors, *row, op, args));
  else MACAW_CHECK(add_placed(tensors, op, std::move(args)));
  return op;
}

}  // namespace macaw::npu
